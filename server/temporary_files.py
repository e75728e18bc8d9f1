"""The one owner of temporary files: a folder of this process, removed at its end, or by the next server after a kill.

All servers of one user on a machine share a folder. In it each has its own, with a lock that the operating system
releases when its process ends, however that happens: so a folder whose lock is free belongs to nobody. Only this module
creates temporary files for pages; `tests/test_forbidden.py` sees to that.
"""

import atexit
import logging
import os
import re
import shutil
import stat
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout  # which PyTorch requires

from server import logs
from server.singleton import singleton

PATIENCE = 10.0  # seconds that a server waits for another one that is creating or removing folders
EARLIER = re.compile(r"attention-atlas-[a-z0-9_]{8}")  # a folder of versions without locks, beside the shared one
EARLIER_CONTENTS = re.compile(r"atlas-(translator|gpt2|vit)")  # what they wrote into it
EARLIER_SECONDS = 86_400.0  # without a change, after which no such version is writing into it
CHANGES, IN_USE = "changes.lock", "in-use.lock"  # held while folders are created or removed; while one is in use


class TemporaryFiles:
    """The folder of this process for temporary files. Safe to use from several threads.

    Args:
        parent: folder that all servers of this user share; by default one in the system's folder for temporary files.
    """

    def __init__(self, parent: Path | None = None) -> None:
        user = getattr(os, "getuid", int)()  # on Windows each user has a folder for temporary files
        self._parent = Path(tempfile.gettempdir(), f"attention-atlas-{user}") if parent is None else parent
        self._user = user
        self._lock = threading.Lock()
        self._folder: Path | None = None
        self._in_use: FileLock | None = None

    def folder(self) -> Path:
        """Return the folder of this process, which is created when it is missing, and which this user alone may read.

        Raises:
            OSError: it cannot be created.
        """
        with self._lock:
            if self._folder is None or not self._folder.is_dir():
                self._create()
            assert self._folder is not None
            return self._folder

    def clear_abandoned(self) -> None:
        """Remove the folders of servers that have ended without removing theirs."""
        if self._parent.exists():
            self._check_parent()
            with self._changes():
                for folder in self._parent.iterdir():
                    if folder != self._folder and folder.is_dir() and not folder.is_symlink():
                        _remove_if_abandoned(folder)
        for folder in self._parent.parent.glob("attention-atlas-*"):
            if folder != self._parent and EARLIER.fullmatch(folder.name):
                with suppress(OSError):  # removed or changed meanwhile, or not ours to read
                    self._remove_earlier(folder)

    def _remove_earlier(self, folder: Path) -> None:
        """Remove what a killed server of an earlier version left, if it is certainly that and unused for a day."""
        status = os.lstat(folder)
        is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == self._user
        entries = list(folder.iterdir()) if is_own else []
        newest = max(os.lstat(path).st_mtime for path in (folder, *entries))
        known = all(EARLIER_CONTENTS.fullmatch(path.name) and not path.is_symlink() for path in entries)
        if is_own and known and time.time() - newest > EARLIER_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)

    def remove(self) -> None:
        """Remove the folder of this process."""
        with self._lock:
            if self._in_use is not None:
                self._in_use.release()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = self._in_use = None

    def _create(self) -> None:
        self._parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._check_parent()
        if self._in_use is not None:  # of a folder that somebody has removed
            self._in_use.release()
        with self._changes():
            folder = Path(tempfile.mkdtemp(dir=self._parent))
            try:
                self._in_use = FileLock(folder / IN_USE, thread_local=False)
                self._in_use.acquire(blocking=False)
            except OSError:
                shutil.rmtree(folder, ignore_errors=True)
                raise
        self._folder = folder
        atexit.register(self.remove)

    def _changes(self) -> FileLock:
        return FileLock(self._parent / CHANGES, timeout=PATIENCE)

    def _check_parent(self) -> None:
        """Refuse a shared folder that another user has put there: its owner could exchange what is in it."""
        status = os.lstat(self._parent)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != self._user:
            raise PermissionError(1, "the folder for temporary files belongs to another user")


def _remove_if_abandoned(folder: Path) -> None:
    in_use = FileLock(folder / IN_USE, thread_local=False)
    with suppress(Timeout, OSError):
        in_use.acquire(blocking=False)
        in_use.release()
        shutil.rmtree(folder, ignore_errors=True)


@singleton
def temporary_files() -> TemporaryFiles:
    """Return the temporary files of this process."""
    return TemporaryFiles()


def clear_abandoned() -> None:
    """Remove what killed servers have left behind; what cannot be removed is only logged, as nothing depends on it."""
    try:
        temporary_files().clear_abandoned()
    except OSError:
        logs.event("temporary files of earlier servers cannot be removed", logging.WARNING)
