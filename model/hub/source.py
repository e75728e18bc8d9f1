"""Resolve the source of a model: a folder, or a repository of the hub, cached on this machine or downloaded."""

import os
import re
from pathlib import Path

from .downloading import DownloadProgress, cached_folder
from .downloading import download as download_repository
from .errors import OpenError

ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?(@[\w.-]{1,64})?")


def looks_like_id(source: str) -> bool:
    """Whether a text has the form `owner/name` or `owner/name@revision`."""
    return bool(ID.fullmatch(source)) and ".." not in source


def folder_of(source: str | os.PathLike, *, download: bool, progress: DownloadProgress | None = None) -> Path:
    """Find or download the folder with the files of a source.

    Args:
        source: a folder, or the id of a repository, optionally with `@revision`.
        download: whether what is not in this machine's cache may be downloaded.
        progress: receives the bytes so far and in total during a download.

    Raises:
        OpenError: there is no such folder; the repository is not in the cache, or cannot be reached or read.
    """
    folder = Path(source).expanduser()
    if folder.is_dir():
        return folder
    text = str(source)
    if not looks_like_id(text):
        raise OpenError("There is no such folder; give a folder with config.json and safetensors files.")
    repository, _, revision = text.partition("@")
    cached = cached_folder(repository, revision or None)
    if cached is not None:
        return cached
    if not download:
        raise OpenError("{id} is not in this machine's cache; download it first.", id=repository)
    return download_repository(repository, revision or None, progress)


def commit_of(folder: Path) -> str | None:
    """The commit of a folder of the hub's cache; None for any other folder."""
    return folder.name if folder.parent.name == "snapshots" else None
