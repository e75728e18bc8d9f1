"""Read from a checkpoint's folder nothing but regular files of its own: no pipe, no device, no file elsewhere."""

import os
import re
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from ..runtime.messages import Template
from .bounded_json import LARGEST_INDEX, LARGEST_JSON, read_bounded
from .errors import OpenError, reason_of

UNREADABLE = Template("{file} cannot be read ({reason}); see to whom it belongs.")

TEXTS = {".json", ".txt", ".model", ".jinja"}
LARGEST_TEXT = 300_000_000  # bytes of a file that is read whole, such as tokenizer.json
TEMPLATES = "additional_chat_templates"  # the only folder below the checkpoint's own that the library reads
MOST_ENTRIES = 10_000  # of one folder
# files of settings that the library reads, also of a version ("config.4.0.0.json"), and indices of weight files; any
# other JSON file is not read, and those of tokens name no files, though some of them look like paths
SETTINGS = re.compile(
    r"(config|(generation|tokenizer|adapter|((audio|image|video)_)?(pre)?processor|audio_tokenizer)_config"
    r"|special_tokens_map|chat_template)(\.[\w.-]+)?\.json"
)
INDEX = re.compile(r".+\.index(\.[\w-]+)?\.json")
# keys under which libraries write where a model was before
ORIGINS = {"_name_or_path", "name_or_path", "base_model_name_or_path"}
LONGEST_PATH = 4096  # characters


def open_regular(file: Path) -> BinaryIO:
    """Open a regular file for reading; never waits, as opening a pipe would.

    Raises:
        OpenError: it is anything else.
        OSError: it cannot be opened.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(file, flags)
    except OSError:
        check_regular(file)  # a socket cannot be opened at all
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _irregular(file)
    return os.fdopen(descriptor, "rb")


def check_regular(file: Path) -> None:
    """Refuse what exists and is neither a regular file nor a folder, or is a folder with the name of a file.

    Raises:
        OpenError: with the file's name.
    """
    try:
        mode = os.stat(file).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode) and not (stat.S_ISDIR(mode) and file.suffix not in TEXTS | {".safetensors"}):
        raise _irregular(file)


def list_entries(folder: Path) -> list[Path]:
    """What is in a folder, in no order.

    Raises:
        OpenError: more than any model has.
        OSError: it cannot be read.
    """
    with os.scandir(folder) as entries:
        found = [folder / entry.name for entry in islice(entries, MOST_ENTRIES + 1)]
    if len(found) > MOST_ENTRIES:
        raise OpenError("This folder has more than {limit} entries; give the folder of one model.", limit=MOST_ENTRIES)
    return found


def check_entries(folder: Path) -> None:
    """Refuse a folder that contains links to files elsewhere, or what is no regular file.

    Raises:
        OpenError: with the name of the entry.
    """
    for file in (*list_entries(folder), *_templates(folder)):
        _check_location(folder, file)
        check_regular(file)
        if file.suffix in TEXTS and file.is_file() and file.stat().st_size > LARGEST_TEXT:
            raise OpenError(
                "{file} has {size:.1f} GB, where {limit:.1f} GB are read; save or download the model again.",
                file=file.name,
                size=file.stat().st_size / 1e9,
                limit=LARGEST_TEXT / 1e9,
            )


def check_references(folder: Path) -> None:
    """Refuse a folder whose JSON files name files outside of it, or weight files that are not in it.

    Raises:
        OpenError: with the JSON file, and the name in it.
    """
    for file in sorted(list_entries(folder)):
        is_index = INDEX.fullmatch(file.name) is not None
        if not is_index and not SETTINGS.fullmatch(file.name):
            continue
        try:
            with open_regular(file) as stream:
                content = read_bounded(stream, file, LARGEST_INDEX if is_index else LARGEST_JSON)
        except OpenError:
            raise
        except OSError as error:
            raise OpenError(UNREADABLE, file=file.name, reason=reason_of(error)) from None
        except (ValueError, RecursionError):
            continue  # the library states which file it needs and cannot read
        index = content.get("weight_map") if isinstance(content, dict) and is_index else None
        for name in set(map(str, index.values())) if isinstance(index, dict) else ():
            if Path(name).name != name or not (folder / name).is_file():
                raise OpenError(
                    "{index} names the file {file}, which is not in this folder; put all weight files next to it.",
                    index=file.name,
                    file=name[:100],
                )
        for text in _strings(content):
            if _leads_outside(folder, text):
                raise OpenError(
                    "{json} names the file {file} outside of this folder; only files in the folder are read.",
                    json=file.name,
                    file=text[:100],
                )


def _templates(folder: Path) -> list[Path]:
    below = folder / TEMPLATES
    return list_entries(below) if below.is_dir() else []


def _check_location(folder: Path, file: Path) -> None:
    """Refuse a file outside its folder and, in the hub's cache, outside the blobs of the same repository."""
    inside = folder.resolve()
    try:
        real = file.resolve()
    except (OSError, RuntimeError):  # links in a circle
        raise _irregular(file) from None
    blobs = inside.parent.parent / "blobs"
    if not (real.is_relative_to(inside) or (inside.parent.name == "snapshots" and real.is_relative_to(blobs))):
        raise OpenError("A file of this folder is elsewhere; copy the model into one folder.")


def _strings(content: object) -> Iterator[str]:
    """All texts of a JSON value that may name a file."""
    stack = [content]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            stack += value
        elif isinstance(value, dict):
            stack += [part for key, part in value.items() if key not in ORIGINS | {"added_tokens_decoder"}]


def _leads_outside(folder: Path, text: str) -> bool:
    """Whether a text is the path of something that exists outside the folder, seen from it or from the program."""
    if not {"/", "\\"} & set(text) and text != ".." or len(text) > LONGEST_PATH or "\0" in text or "\n" in text:
        return False
    home = os.path.abspath(folder)
    for start in (home, os.getcwd()):
        path = os.path.normpath(os.path.join(start, text))
        inside = path == home or path.startswith(home + os.sep)
        if not inside and os.path.exists(path):
            return bool(text.strip("/\\"))  # a slash alone is a token, and the root of the disk is no file
    return False


def _irregular(file: Path) -> OpenError:
    return OpenError("{file} is not a regular file; save or download the model again.", file=file.name)
