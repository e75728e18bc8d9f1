"""Download a repository of the hub into this machine's cache, after a check of its size."""

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from .errors import OpenError, reason_of
from .folder import GGUF, UNREAD, check_memory

FILES = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]
PATTERNS: dict[str, list[str]] = {"allow_patterns": FILES, "ignore_patterns": UNREAD}
OFFLINE_AFTER = 3.0  # seconds

DownloadProgress = Callable[[int, int], None]  # bytes downloaded, bytes in total


def cached_folder(repository: str, revision: str | None) -> Path | None:
    """Folder of a repository that is completely in this machine's cache, or None; makes no request."""
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(repository, revision=revision, **PATTERNS, local_files_only=True))
    except (ValueError, OSError):
        return None


def download(repository: str, revision: str | None, progress: DownloadProgress | None = None) -> Path:
    """Download the missing files of a repository and return its folder. An interrupted download is resumed.

    Args:
        revision: branch, tag or commit; None is the newest.
        progress: receives the bytes so far and in total, from other threads too.

    Raises:
        OpenError: the hub cannot be reached, or has no such repository for this user; there is no safetensors file, or
            too little disk or memory for the files; the connection was lost.
    """
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    reason = find_disconnection()
    if reason is not None:
        raise OpenError(
            "{id} is not in this machine's cache, and the hub cannot be reached ({reason}).",
            id=repository,
            reason=reason,
        )
    try:
        commit = HfApi().model_info(repository, revision=revision).sha
        _check_fits(repository, commit)
        # by the given revision, under which the library finds it in the cache later
        options = {"revision": revision, **PATTERNS} | _progress_options(progress)
        return Path(snapshot_download(repository, **options))
    except OpenError:
        raise
    except GatedRepoError:
        raise OpenError(
            "{id} is gated: accept its terms on the hub's page of it, and start this program with your token in "
            "HF_TOKEN.",
            id=repository,
        ) from None
    except RepositoryNotFoundError:
        raise OpenError(
            "{id} is not found on the hub; check its spelling, and log in if it is private.", id=repository
        ) from None
    except RevisionNotFoundError:
        raise OpenError("{id} has no revision {revision} on the hub.", id=repository, revision=str(revision)) from None
    except Exception as error:  # the errors of its network layer differ between versions of the library
        raise OpenError(
            "The download of {id} was cut off ({reason}); try again, and it goes on from where it was.",
            id=repository,
            reason=reason_of(error),
        ) from None


def find_disconnection() -> str | None:
    """Return why the hub does not answer within `OFFLINE_AFTER` seconds, or None if it does."""
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        return "HF_HUB_OFFLINE"
    from huggingface_hub.constants import ENDPOINT

    reasons: list[str | None] = []

    def request() -> None:
        try:
            with urlopen(Request(ENDPOINT, method="HEAD"), timeout=OFFLINE_AFTER):
                reasons.append(None)
        except HTTPError:  # an answer too
            reasons.append(None)
        except OSError as error:
            reasons.append(reason_of(error))

    thread = threading.Thread(target=request, daemon=True)
    thread.start()
    thread.join(OFFLINE_AFTER)  # a slow DNS look-up takes longer
    return reasons[0] if reasons else f"TimeoutError: {OFFLINE_AFTER:g} s"


def _check_fits(repository: str, commit: str) -> None:
    """Refuse a repository that cannot be stored or opened, before any file is downloaded."""
    from huggingface_hub import HfApi
    from huggingface_hub.constants import HF_HUB_CACHE
    from huggingface_hub.utils import filter_repo_objects

    files = {
        entry.path: entry.size
        for entry in HfApi().list_repo_tree(repository, recursive=True, revision=commit)
        if getattr(entry, "size", None) is not None
    }
    everything = set(files)
    files = {name: files[name] for name in filter_repo_objects(files, **PATTERNS)}
    weights = sum(size for name, size in files.items() if name.endswith(".safetensors"))
    if not weights:
        if any(name.lower().endswith(".gguf") for name in everything):
            raise OpenError(GGUF)
        raise OpenError("{id} has no safetensors file on the hub; open a model that has.", id=repository)
    check_memory(weights)
    folder = Path(HF_HUB_CACHE)
    existing = next(path for path in (folder, *folder.parents) if path.is_dir())
    free, total = shutil.disk_usage(existing).free, sum(files.values())
    if total > free:
        raise OpenError(
            "{id} takes {size:.2f} GB, and the disk with the hub's cache has {free:.2f} GB left; make room first.",
            id=repository,
            size=total / 1e9,
            free=free / 1e9,
        )


def _progress_options(progress: DownloadProgress | None) -> dict:
    """Options that make `snapshot_download` report to `progress` and draw no bar of its own."""
    from tqdm.auto import tqdm

    lock, largest = threading.Lock(), [0, 0]

    class SilentBar(tqdm):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
            super().__init__(*arguments, **options | {"disable": False, "file": nowhere})

        def update(self, count: float = 1) -> bool | None:
            displayed = super().update(count)
            if self.unit == "B" and progress is not None:  # there are two bars of bytes: received, and written
                with lock:
                    largest[:] = max(largest[0], int(self.n)), max(largest[1], int(self.total or 0))
                    progress(*largest)
            return displayed

    return {"tqdm_class": SilentBar}
