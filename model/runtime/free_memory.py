"""How much memory is free on this machine, on every operating system."""

import ctypes
import os
from contextlib import suppress
from pathlib import Path


def free_memory() -> int | None:
    """Bytes of memory that programs may still take; None where the system does not report it.

    Linux and Windows report what is available. Other systems report the whole memory, of which half is assumed.
    """
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    with suppress(AttributeError, OSError):
        status = _MemoryStatus()
        status.length = ctypes.sizeof(status)
        # named by `getattr`, as the module has no such name on other systems
        if getattr(ctypes, "windll").kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):  # noqa: B009
            return status.available_physical
    with suppress(AttributeError, OSError, ValueError):  # neither function nor names exist everywhere
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return None


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API; sizes in bytes."""

    length: int
    available_physical: int

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("percent_used", ctypes.c_uint32),
        ("physical", ctypes.c_uint64),
        ("available_physical", ctypes.c_uint64),
        ("page_file", ctypes.c_uint64),
        ("available_page_file", ctypes.c_uint64),
        ("virtual", ctypes.c_uint64),
        ("available_virtual", ctypes.c_uint64),
        ("available_extended_virtual", ctypes.c_uint64),
    )
