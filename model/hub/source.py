"""Where a model comes from: a folder, or a repository of the hub that is in this machine's cache or can be fetched."""

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from model.hub.errors import OpenError

ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?(@[\w.-]{1,64})?")
FILES = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]
OFFLINE_AFTER = 3.0  # seconds

Progress = Callable[[int, int], None]  # bytes that are here, bytes in all


def looks_like_id(source: str) -> bool:
    """Whether a text could be `owner/name` or `owner/name@revision`."""
    return bool(ID.fullmatch(source)) and ".." not in source


def folder_of(source: str | os.PathLike, *, download: bool, progress: Progress | None = None) -> Path:
    """The folder with the files of a source.

    Args:
        source: a folder, or the id of a repository, with `@revision` where one is wanted.
        download: whether the hub may be asked for what is not in this machine's cache.
        progress: is told how far a download is.

    Raises:
        OpenError: there is no such folder; the repository is not here, or cannot be reached or read.
    """
    folder = Path(source).expanduser()
    if folder.is_dir():
        return folder
    text = str(source)
    if not looks_like_id(text):
        raise OpenError("There is no such folder; give a folder with config.json and safetensors files.")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, RepositoryNotFoundError

    repository, _, revision = text.partition("@")
    wanted = {"repo_id": repository, "revision": revision or None, "allow_patterns": FILES}
    try:
        return Path(snapshot_download(**wanted, local_files_only=True))
    except (LocalEntryNotFoundError, ValueError, OSError):
        if not download:
            raise OpenError("{id} is not in this machine's cache; download it first.", id=repository) from None
    if not reachable():
        raise OpenError("{id} is not in this machine's cache, and the hub cannot be reached.", id=repository)
    try:
        return Path(snapshot_download(**wanted, **_bar(progress)))
    except RepositoryNotFoundError:
        raise OpenError(
            "The hub has no {id} for you; look at how it is spelled, and log in if it is private.", id=repository
        ) from None
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError):
        raise OpenError("{id} could not be downloaded; try again later.", id=repository) from None


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


def _bar(progress: Progress | None) -> dict:
    """What has `snapshot_download` report to `progress`."""
    if progress is None:
        return {}
    from tqdm.auto import tqdm

    class Told(tqdm):
        def __init__(self, *arguments, **options) -> None:
            super().__init__(*arguments, **options | {"disable": False, "file": open(os.devnull, "w")})  # noqa: SIM115

        def update(self, count: float = 1) -> bool | None:
            shown = super().update(count)
            if self.unit == "B":
                progress(int(self.n), int(self.total or 0))
            return shown

    return {"tqdm_class": Told}
