"""Resolve the source of a model: a folder, or a repository of the hub, cached on this machine or downloaded."""

import os
import re
from pathlib import Path

from .downloading import DownloadProgress, cached_folder
from .downloading import download as download_repository
from .errors import OpenError
from .folder import CONFIG
from .weight_files import GGUF

ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?(@[\w.-]{1,64})?")


QUOTES = "'\"`\u2018\u2019\u201c\u201d"
OTHER_KINDS = ("datasets", "spaces")
_ADDRESS = re.compile(
    r"(?:https?://|hf://)?(?:www\.)?(?:(?:huggingface\.co|hf\.co|hf-mirror\.com)/|(?<=hf://))(?:models/)?"
    r"(?:(?P<kind>datasets|spaces)/)?(?P<id>[\w.-]+(?:/[\w.-]+)?)"
    r"(?:/(?:tree|blob|resolve|raw|commit|commits)/(?P<revision>[\w.-]+)[^\s?#]*|/(?:discussions|edit|settings)[^\s?#]*)?"
    r"/?(?:[?#]\S*)?"
)
_CALL = re.compile(
    r"(?:from_pretrained|open_model|snapshot_download|load_model|pipeline)\((?:[^)]*?\b(?:model|repo_id)\s*=\s*)?"
    r"\s*([\"'][^\"']+[\"'])"
)
_COMMAND = re.compile(r"(?:^|\s)(?:(?:hf|huggingface-cli)\s+download|git\s+clone)\s+(\S+)")
# a file of llama.cpp, or a repository with the name of its quantization: owner/name:Q4_K_M
_GGUF = re.compile(r"(?:\.gguf|/[\w.-]+:(?:UD-)?(?:I?Q\d|TQ\d|B?F16|F32|MXFP4)\w*)$", re.IGNORECASE)
_REVISION = re.compile(r"(?:--revision[\s=]+|revision\s*=\s*)[\"']?([\w.-]+)")


def read_source(source: str | os.PathLike) -> str | os.PathLike:
    """What a pasted text names: an id of the hub, optionally with its revision, or a folder; other texts as they are.

    Read are addresses of a repository or of a file in it, commands that download one, calls of `from_pretrained`, and
    paths of a file in a checkpoint's folder, in quotes or with spaces around them.

    Raises:
        OpenError: it names a data set, a space, weights in the format GGUF, or a file that is no part of a checkpoint's
            folder.
    """
    text = _without_quotes(str(source))
    if match := _CALL.search(text) or _COMMAND.search(text):
        revision = _REVISION.search(text)
        text = _without_quotes(match[1]) + (f"@{revision[1]}" if revision else "")
    if match := _ADDRESS.fullmatch(text):
        kind, id_, revision_ = match["kind"], match["id"], match["revision"]
        if kind in OTHER_KINDS:
            raise OpenError("This address is one of the hub's {kind}, not of a model; open a model.", kind=kind)
        return id_.removesuffix(".git") + ("" if revision_ in (None, "main") else f"@{revision_}")
    text = text.removeprefix("file://")
    folder = Path(text).expanduser()
    if folder.is_dir():
        return folder
    if folder.is_file():
        return _folder_of_file(folder)
    if _GGUF.search(text):
        raise OpenError(GGUF)
    trimmed = text.rstrip("/")
    return trimmed if looks_like_id(trimmed) else text


def _folder_of_file(file: Path) -> Path:
    """The checkpoint's folder that a file is part of.

    Raises:
        OpenError: there is no configuration beside it.
    """
    if file.suffix.lower() == ".gguf":
        raise OpenError(GGUF)
    if not (file.parent / CONFIG).is_file():
        raise OpenError(
            "{file} is a file without {config} beside it; give the folder that a model was saved to.",
            file=file.name,
            config=CONFIG,
        )
    return file.parent


def _without_quotes(text: str) -> str:
    """A text without spaces around it, and without quotes around that."""
    text = text.strip()
    while len(text) > 1 and text[0] in QUOTES and text[-1] in QUOTES:
        text = text[1:-1].strip()
    return text


def looks_like_id(source: str) -> bool:
    """Whether a text has the form `owner/name` or `owner/name@revision`."""
    return bool(ID.fullmatch(source)) and ".." not in source


def folder_of(source: str | os.PathLike, *, download: bool, progress: DownloadProgress | None = None) -> Path:
    """Find or download the folder with the files of a source.

    Args:
        source: a folder, or the id of a repository, optionally with `@revision`; see `read_source`.
        download: whether what is not in this machine's cache may be downloaded.
        progress: receives the bytes so far and in total during a download.

    Raises:
        OpenError: there is no such folder; the repository is not in the cache, or cannot be reached or read.
    """
    source = read_source(source)
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
