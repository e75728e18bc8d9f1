"""Where a model comes from: a folder, or a repository of the hub that is in this machine's cache or can be fetched."""

import os
import re
from pathlib import Path

from .downloading import DownloadProgress, cached_folder
from .downloading import download as fetched
from .errors import OpenError

ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?(@[\w.-]{1,64})?")


def looks_like_id(source: str) -> bool:
    """Whether a text could be `owner/name` or `owner/name@revision`."""
    return bool(ID.fullmatch(source)) and ".." not in source


def folder_of(source: str | os.PathLike, *, download: bool, progress: DownloadProgress | None = None) -> Path:
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
    repository, _, revision = text.partition("@")
    here = cached_folder(repository, revision or None)
    if here is not None:
        return here
    if not download:
        raise OpenError("{id} is not in this machine's cache; download it first.", id=repository)
    return fetched(repository, revision or None, progress)


def commit_of(folder: Path) -> str | None:
    """The commit that a folder of the hub's cache holds; None for any other folder."""
    return folder.name if folder.parent.name == "snapshots" else None
