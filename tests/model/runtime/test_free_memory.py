"""Free memory on Linux, Windows and other systems, and where none is reported."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from model import OpenError
from model.hub import folder
from model.runtime import free_memory as module
from model.runtime.free_memory import free_memory


@pytest.fixture
def no_proc(monkeypatch):
    """Without /proc, as on Windows and macOS."""

    def missing(*_, **__):
        raise FileNotFoundError

    monkeypatch.setattr(module, "Path", lambda _: SimpleNamespace(read_text=missing))


def report_windows(available: int):
    """The function of the Windows API, which fills in the structure that it is given."""

    def fill(reference: object) -> int:
        status = reference._obj
        assert status.length == ctypes.sizeof(status) == 64  # as the API requires
        status.available_physical = available
        return 1

    return SimpleNamespace(kernel32=SimpleNamespace(GlobalMemoryStatusEx=fill))


@pytest.mark.skipif(not Path("/proc/meminfo").is_file(), reason="of Linux")
def test_linux_reports_what_is_available():
    lines = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if line.startswith("MemAvailable"))
    assert free_memory() == pytest.approx(int(line.split()[1]) * 1024, rel=0.2)


def test_windows_reports_what_is_available(no_proc, monkeypatch):
    monkeypatch.delattr(os, "sysconf", raising=False)
    monkeypatch.setattr(ctypes, "windll", report_windows(7_000_000_000), raising=False)
    assert free_memory() == 7_000_000_000


def test_other_systems_give_half_of_the_whole_memory(no_proc, monkeypatch):
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2_000_000}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__, raising=False)
    assert free_memory() == 4096 * 1_000_000


@pytest.mark.parametrize("sysconf", [None, {}])
def test_a_system_that_reports_nothing_refuses_nothing(no_proc, monkeypatch, sysconf):
    if sysconf is None:
        monkeypatch.delattr(os, "sysconf", raising=False)
    else:

        def unknown(name: str) -> int:
            raise ValueError("unrecognized configuration name")

        monkeypatch.setattr(os, "sysconf", unknown, raising=False)
    assert free_memory() is None
    folder.check_memory(10**15)
    with pytest.raises(OpenError, match=r"The weights need 1\.0 GB, and this machine may give 0\.6 GB"):
        folder.check_memory(10**9, 10**9)
