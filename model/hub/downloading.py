"""A repository of the hub, fetched into this machine's cache: first what it weighs, then its files."""

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from .errors import OpenError
from .folder import check_memory

FILES = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]
OFFLINE_AFTER = 3.0  # seconds

DownloadProgress = Callable[[int, int], None]  # bytes that are here, bytes in all


def cached_folder(repository: str, revision: str | None) -> Path | None:
    """The folder of a repository that is wholly in this machine's cache; nobody is asked."""
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(repository, revision=revision, allow_patterns=FILES, local_files_only=True))
    except (ValueError, OSError):
        return None


def download(repository: str, revision: str | None, progress: DownloadProgress | None = None) -> Path:
    """The folder of a repository, with what is missing of it fetched. A download that was cut off goes on.

    Args:
        revision: branch, tag or commit; None is the newest.
        progress: is told how far it is, from other threads too.

    Raises:
        OpenError: the hub cannot be reached or has no such repository for this reader; it has no safetensors, or they
            fit neither the disk nor the memory of this machine; the connection was lost.
    """
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    if not reachable():
        raise OpenError("{id} is not in this machine's cache, and the hub cannot be reached.", id=repository)
    try:
        commit = HfApi().model_info(repository, revision=revision).sha
        _check_fits(repository, commit)
        # by the name that was asked for, under which the library finds it in the cache later
        wanted = {"revision": revision, "allow_patterns": FILES}
        return Path(snapshot_download(repository, **wanted, **_progress_options(progress)))
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
            "The hub has no {id} for you; look at how it is spelled, and log in if it is private.", id=repository
        ) from None
    except RevisionNotFoundError:
        raise OpenError("{id} has no revision {revision} on the hub.", id=repository, revision=str(revision)) from None
    except Exception:  # what the library lets through of its own network layer differs between its versions
        raise OpenError(
            "The download of {id} was cut off; try again, and it goes on from where it was.", id=repository
        ) from None


def reachable() -> bool:
    """Whether the hub answers within `OFFLINE_AFTER` seconds; a slow look-up of its name counts as no."""
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        return False
    from huggingface_hub.constants import ENDPOINT

    answers = []

    def ask() -> None:
        try:
            with urlopen(Request(ENDPOINT, method="HEAD"), timeout=OFFLINE_AFTER) as answer:
                answers.append(answer.status)
        except HTTPError as error:  # it answered
            answers.append(error.code)
        except OSError:
            return

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(OFFLINE_AFTER)
    return bool(answers)


def _check_fits(repository: str, commit: str) -> None:
    """Refuse what cannot be kept or opened, before any of it is fetched."""
    from huggingface_hub import HfApi
    from huggingface_hub.constants import HF_HUB_CACHE
    from huggingface_hub.utils import filter_repo_objects

    files = {
        entry.path: entry.size
        for entry in HfApi().list_repo_tree(repository, recursive=True, revision=commit)
        if getattr(entry, "size", None) is not None
    }
    files = {name: files[name] for name in filter_repo_objects(files, allow_patterns=FILES)}
    weights = sum(size for name, size in files.items() if name.endswith(".safetensors"))
    if not weights:
        raise OpenError("{id} has no safetensors file on the hub; open a model that has.", id=repository)
    check_memory(weights)
    folder = Path(HF_HUB_CACHE)
    there = next(place for place in (folder, *folder.parents) if place.is_dir())
    free, total = shutil.disk_usage(there).free, sum(files.values())
    if total > free:
        raise OpenError(
            "{id} takes {size:.2f} GB, and the disk with the hub's cache has {free:.2f} GB left; make room first.",
            id=repository,
            size=total / 1e9,
            free=free / 1e9,
        )


def _progress_options(progress: DownloadProgress | None) -> dict:
    """What has `snapshot_download` report to `progress`; it draws no bar of its own."""
    from tqdm.auto import tqdm

    lock, most = threading.Lock(), [0, 0]

    class Told(tqdm):
        def __init__(self, *arguments, **options) -> None:
            super().__init__(*arguments, **options | {"disable": False, "file": open(os.devnull, "w")})  # noqa: SIM115

        def update(self, count: float = 1) -> bool | None:
            shown = super().update(count)
            if self.unit == "B" and progress is not None:  # of bytes there are two bars: received, and written
                with lock:
                    most[:] = max(most[0], int(self.n)), max(most[1], int(self.total or 0))
                    progress(*most)
            return shown

    return {"tqdm_class": Told}
