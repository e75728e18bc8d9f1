"""Temporary files of servers on one machine: those of killed ones are removed, those of others stay."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from server import temporary_files, warm_up
from server.temporary_files import TemporaryFiles
from tests.processes import ROOT

SERVER = """
import sys
from pathlib import Path
from server.temporary_files import TemporaryFiles

folder = TemporaryFiles(Path(sys.argv[1])).folder()
(folder / "model.safetensors").write_bytes(bytes(1000))
print(folder, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def start(tmp_path):
    """A function that starts a process with temporary files in `tmp_path`; returns it and its folder."""
    processes = []

    def start_one() -> tuple[subprocess.Popen[str], Path]:
        command = [sys.executable, "-c", SERVER, str(tmp_path)]
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        return process, Path(process.stdout.readline().strip())

    yield start_one
    for process in processes:
        process.kill()
        process.communicate()


def folders(parent: Path) -> set[Path]:
    return {path for path in parent.iterdir() if path.is_dir()}


def test_what_a_killed_server_leaves_is_removed_and_nothing_of_a_live_one(start, tmp_path):
    killed, first = start()
    ended, second = start()
    live, third = start()
    own = TemporaryFiles(tmp_path)
    assert {first, second, third, own.folder()} == folders(tmp_path)
    ended.communicate()
    assert folders(tmp_path) == {first, third, own.folder()}
    killed.kill()
    killed.wait()
    own.clear_abandoned()
    assert folders(tmp_path) == {third, own.folder()}
    assert (third / "model.safetensors").stat().st_size == 1000
    own.remove()
    assert folders(tmp_path) == {third} and live.poll() is None


def test_servers_that_start_at_once_remove_nothing_of_each_other(tmp_path):
    servers = [TemporaryFiles(tmp_path) for _ in range(8)]

    def start_one(server: TemporaryFiles) -> None:
        server.clear_abandoned()
        (server.folder() / "file").touch()
        server.clear_abandoned()

    threads = [threading.Thread(target=start_one, args=(server,)) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert folders(tmp_path) == {server.folder() for server in servers} and len(folders(tmp_path)) == 8
    assert all((server.folder() / "file").exists() for server in servers)
    for server in servers:
        server.remove()
    assert not folders(tmp_path)


def test_the_folder_is_private_and_made_again_when_it_is_removed(tmp_path):
    files = TemporaryFiles(tmp_path / "shared")
    first = files.folder()
    assert files.folder() == first and first.parent == tmp_path / "shared"
    assert {path.stat().st_mode & 0o777 for path in (first, first.parent)} == {0o700}
    shutil.rmtree(first)
    second = files.folder()
    assert second != first and second.is_dir()
    TemporaryFiles(tmp_path / "shared").clear_abandoned()
    assert folders(first.parent) == {second}


def test_a_shared_folder_of_another_user_is_not_used(tmp_path, monkeypatch):
    (tmp_path / "shared" / "left").mkdir(parents=True)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    files = TemporaryFiles(tmp_path / "shared")
    for act in (files.folder, files.clear_abandoned):
        with pytest.raises(PermissionError, match="belongs to another user"):
            act()
    assert folders(tmp_path / "shared") == {tmp_path / "shared" / "left"}


def test_links_are_not_followed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").touch()
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "link").symlink_to(elsewhere)
    TemporaryFiles(tmp_path / "shared").clear_abandoned()
    assert (elsewhere / "file").exists()
    (tmp_path / "linked").symlink_to(elsewhere)
    with pytest.raises(PermissionError):
        TemporaryFiles(tmp_path / "linked").folder()
    assert [path.name for path in elsewhere.iterdir()] == ["file"]


def test_what_earlier_versions_left_is_removed_and_nothing_else(tmp_path, monkeypatch):
    """They made a folder with a random name for each checkpoint, and no lock."""
    now = time.time()

    def make(name: str, entry: str = "", days: float = 2.0) -> Path:
        folder = tmp_path / name
        (folder / entry).mkdir(parents=True)
        if entry:
            (folder / entry / "model.safetensors").write_bytes(bytes(100))
            os.utime(folder / entry, (now - 86_400 * days,) * 2)
        os.utime(folder, (now - 86_400 * days,) * 2)
        return folder

    left = [make("attention-atlas-ab3_x9zq", "atlas-gpt2"), make("attention-atlas-00000000", "atlas-vit"),
            make("attention-atlas-empty123")]  # fmt: skip
    shared = make("attention-atlas-12345678")  # that of this version, of a user with such a number
    kept = [
        make("attention-atlas-in_use00", "atlas-translator", days=0.5),
        make("attention-atlas-notes", "atlas-gpt2"),
        make("attention-atlas-somebody", "my-results"),
        make("other-ab3_x9zq", "atlas-gpt2"),
        shared,
    ]
    (tmp_path / "attention-atlas-linked00").symlink_to(kept[3])
    (tmp_path / "attention-atlas-afile000").touch()
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with suppress(PermissionError):
        TemporaryFiles(tmp_path / "attention-atlas-99999999").clear_abandoned()
    assert all(folder.exists() for folder in (*left, *kept))  # they are another user's
    monkeypatch.undo()
    TemporaryFiles(shared).clear_abandoned()
    assert not any(folder.exists() for folder in left) and all(folder.exists() for folder in kept)
    assert {path.name for path in tmp_path.iterdir()} >= {"attention-atlas-linked00", "attention-atlas-afile000"}


def test_a_disk_without_room_leaves_no_folder(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    files = TemporaryFiles(tmp_path)
    acquire = temporary_files.FileLock.acquire
    monkeypatch.setattr(
        temporary_files.FileLock,
        "acquire",
        lambda lock, *given, **options: (
            fail() if Path(lock.lock_file).name == temporary_files.IN_USE else acquire(lock, *given, **options)
        ),
    )
    with pytest.raises(OSError, match="No space left"):
        files.folder()
    assert not folders(tmp_path)


def test_a_server_begins_by_removing_what_others_left(monkeypatch):
    done = []
    monkeypatch.setattr(warm_up, "SWITCH_SECONDS", sys.getswitchinterval())
    monkeypatch.setattr(warm_up, "clear_abandoned", lambda: done.append("cleared"))
    warm_up.warm_up({"first": lambda: done.append("first")})
    assert done == ["first", "cleared"]


def test_what_cannot_be_removed_is_logged(monkeypatch, tmp_path):
    lines = []
    monkeypatch.setattr(temporary_files.logs, "event", lambda name, level: lines.append(name))
    monkeypatch.setattr(temporary_files, "temporary_files", lambda: TemporaryFiles(tmp_path / "file" / "below"))
    temporary_files.clear_abandoned()  # there is nothing
    (tmp_path / "file").touch()
    monkeypatch.setattr(temporary_files, "temporary_files", lambda: TemporaryFiles(tmp_path / "file"))
    temporary_files.clear_abandoned()
    assert lines == ["temporary files of earlier servers cannot be removed"]
