"""Resolve the source of a model: a folder, or a repository of the hub, cached on this machine or downloaded."""

import os
import re
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from .downloading import DownloadProgress, cached_folder
from .downloading import download as download_repository
from .errors import OpenError
from .folder import CONFIG
from .weight_files import GGUF

_PULL = r"refs/(?:pr/\d+|convert/[\w.-]+)"  # revisions that the hub makes
ID = re.compile(rf"[A-Za-z0-9][\w.-]{{0,95}}(/[A-Za-z0-9][\w.-]{{0,95}})?(@(?:{_PULL}|[\w.-]{{1,64}}))?")


QUOTES = "'\"`\u2018\u2019\u201c\u201d"
OTHER_KINDS = ("datasets", "spaces")
LONGEST_SHOWN = 60  # characters of an address in a message
_HUB = re.compile(r"(?:(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co|hf-mirror\.com)/|hf://)([^?#]*)(?:[?#]\S*)?")
_ADDRESS = re.compile(r"[a-z][a-z+.-]+://\S*|(?:www\.)[\w.-]+/\S*", re.IGNORECASE)
_PAGES = "api|blog|collections|docs|join|learn|login|models|organizations|papers|pricing|search|settings|tasks"
_PAGE = re.compile(rf"(?:{_PAGES})(?:/.*)?|")
_VIEWS = "tree|blob|resolve|raw|commits?|discussions|edit|settings|blame"
_ENDINGS = "safetensors|json|bin|pth?|ckpt|h5|msgpack|onnx|ot|txt|model|md|py|jinja|spm|tiktoken"
# names of files that no repository has; owner/run.json may be one
_KNOWN = (
    rf"(?:[\w.-]*model[\w.-]*|consolidated[\w.-]*|merges|vocab|optimizer|scheduler|training_args|README)\.(?:{_ENDINGS})"
    r"|[\w.-]*(?:config|tokenizer|vocab|special_tokens_map|added_tokens|trainer_state)\.json|[\w.-]*\.index\.json"
    r"|chat_template\.(?:jinja|json)"
)
# what is read of a path in the hub: a repository, with what follows it in the path of one of its files or pages
_REPOSITORY = re.compile(
    rf"(?P<id>[A-Za-z0-9][\w.-]*(?:/(?!(?:{_VIEWS})(?:/|$)|(?:{_KNOWN})$)[A-Za-z0-9][\w.-]*)?)"
    rf"(?:@(?P<at>{_PULL}|[\w.-]+))?"
    rf"(?P<rest>/(?:tree|blob|resolve|raw|blame|commits?)/(?P<revision>{_PULL}|[\w.-]+)(?:/.*)?"
    rf"|/(?:discussions|edit|settings)(?:/.*)?|/(?:[^/]+/)*[^/]+\.(?:{_ENDINGS}))?"
)
_FILE = re.compile(_KNOWN)
_CACHED = re.compile(  # a folder or file of the hub's cache
    r"(?:.*/)?(?P<kind>models|datasets|spaces)--(?P<id>[\w.-]+)(?:/snapshots/(?P<revision>[0-9a-f]{40})(?:/.*)?)?"
)
_CALL = re.compile(
    r"(?:from_pretrained|open_model|snapshot_download|load_model|pipeline)\((?:[^)]*?\b(?:model|repo_id)\s*=\s*)?"
    r"\s*([\"'][^\"']+[\"'])"
)
_COMMAND = re.compile(r"(?:^|\s)(?:(?:hf|huggingface-cli)\s+download|git\s+clone)\s+(\S+)")
_WITHIN = re.compile(r"(?<=[\s(<\"'])https?://(?:www\.)?(?:huggingface\.co|hf\.co|hf-mirror\.com)/[^\s)>\"']+")
# a file of llama.cpp, or a repository with the name of its quantization: owner/name:Q4_K_M
_GGUF = re.compile(r"(?:\.gguf|/[\w.-]+:(?:UD-)?(?:I?Q\d|TQ\d|B?F16|F32|MXFP4)\w*)$", re.IGNORECASE)
_REVISION = re.compile(r"(?:--revision[\s=]+|revision\s*=\s*)[\"']?([\w.-]+)")


def read_source(source: str | os.PathLike) -> str | os.PathLike:
    """What a pasted text names: an id of the hub, optionally with its revision, or a folder; other texts as they are.

    Read are addresses of a repository or of a file in it, commands that download one, calls of `from_pretrained`,
    paths of a file in a repository or in its folder of the hub's cache, and paths of a file in a checkpoint's folder;
    in quotes or with spaces around them.

    Raises:
        OpenError: it names a data set, a space, another page of the web, weights in the format GGUF, a file that is no
            part of a checkpoint's folder, or a file alone.
    """
    text = _without_quotes(str(source))
    if match := _CALL.search(text) or _COMMAND.search(text):
        revision = _REVISION.search(text)
        text = _without_quotes(match[1]) + (f"@{revision[1]}" if revision else "")
    if match := _WITHIN.search(text):
        text = match[0]
    if match := _HUB.fullmatch(text):
        return _read_path(match[1], text)
    text = text.removeprefix("file://")
    folder = Path(text).expanduser()
    if folder.is_dir():
        return _snapshot_in(folder)
    if folder.is_file():
        return _folder_of_file(folder)
    if _GGUF.search(text):
        raise OpenError(GGUF)
    if _ADDRESS.fullmatch(text):
        raise _other_page(text)
    trimmed = text.rstrip("/")
    if match := _CACHED.fullmatch(trimmed):
        return _repository(match["kind"], match["id"].replace("--", "/"), match["revision"])
    if trimmed.startswith(tuple(f"{kind}/" for kind in OTHER_KINDS)) and not Path(trimmed.partition("/")[0]).is_dir():
        return _read_path(trimmed, text)
    if _FILE.fullmatch(trimmed):
        raise OpenError(
            "{file} is the name of a file; give the folder that it is in, or the id of its repository, such as "
            "owner/name.",
            file=trimmed,
        )
    match = _REPOSITORY.fullmatch(trimmed)
    if match and match["rest"] and not folder.parent.is_dir():
        return _repository("models", match["id"], match["revision"] or match["at"])
    return trimmed if looks_like_id(trimmed) else text


def _read_path(path: str, address: str) -> str:
    """The id that a path in the hub names.

    Raises:
        OpenError: it is of a data set or a space, or of none of its repositories.
    """
    parts = [part for part in unquote(path).split("/") if part]
    if parts[:1] == ["api"]:
        del parts[0]
    kind = parts.pop(0) if parts and parts[0] in ("models", *OTHER_KINDS) else "models"
    joined = "/".join(parts)
    match = _REPOSITORY.fullmatch(joined)
    if kind == "models" and (match is None or _PAGE.fullmatch(joined)):
        raise _other_page(address)
    return _repository(kind, match["id"] if match else joined, match and (match["revision"] or match["at"]))


def _repository(kind: str, id_: str, revision: str | None) -> str:
    """An id with its revision.

    Raises:
        OpenError: it is of a data set or a space.
    """
    if kind in OTHER_KINDS:
        raise OpenError("This address is one of the hub's {kind}, not of a model; open a model.", kind=kind)
    return id_.removesuffix(".git") + ("" if revision in (None, "main") else f"@{revision}")


def _other_page(address: str) -> OpenError:
    return OpenError(
        "{address} is no address of a model; give the address of its page on the hub, or its id, such as owner/name.",
        address=address if len(address) <= LONGEST_SHOWN else address[: LONGEST_SHOWN - 1] + "\u2026",
    )


def _snapshot_in(folder: Path) -> Path:
    """A folder; of a repository's folder in the hub's cache the one with the files of its branch `main`."""
    if _CACHED.fullmatch(folder.name) and not (folder / CONFIG).is_file():
        snapshots = folder / "snapshots"
        with suppress(OSError, UnicodeDecodeError):
            commit = (folder / "refs" / "main").read_text(encoding="utf-8").strip()
            if re.fullmatch("[0-9a-f]{40}", commit) and (snapshots / commit).is_dir():
                return snapshots / commit
    return folder


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
