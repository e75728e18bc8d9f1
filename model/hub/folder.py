"""Inspect a checkpoint's folder before anything is loaded: is it complete, is it safe, does it fit?"""

import os
import re
import stat
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from ..runtime.free_memory import free_memory
from ..runtime.messages import Template
from .bounded_json import LARGEST_HEADER, LARGEST_INDEX, LARGEST_JSON, Pairs, parse_bounded, read_bounded
from .errors import OpenError, reason_of

CONFIG = "config.json"
TYPE = re.compile(r"[\w.-]{1,100}")  # of a model, as config.json names it
MOST_HEADERS = 50_000_000  # bytes of the headers of all weight files
MOST_NUMBERS = 2**63  # in one tensor
SHARE = 0.6  # of free memory, for weights
BYTES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "I16": 2, "U8": 1, "I8": 1, "BOOL": 1}


@dataclass(frozen=True)
class CheckpointFiles:
    """Sizes of the files in a checkpoint's folder."""

    folder: Path  # its path
    config: dict  # the content of `config.json`
    tensors: int  # number of tensors in the weight files
    parameters: int  # number of their elements
    bytes: int  # their size in the files


def inspect_checkpoint(folder: Path) -> CheckpointFiles:
    """Read the configuration and the headers of the weight files, nothing else.

    Raises:
        OpenError: the folder is not a checkpoint, is damaged, contains pickled weights only, needs code of its own, or
            links to files elsewhere.
    """
    if not folder.is_dir():
        raise OpenError("There is no such folder; give a folder with config.json and safetensors files.")
    check_pointers(entries := list_entries(folder))
    config = _config(folder)
    weights = select_weights(entries)
    if not weights:
        check_without_weights(file.name for file in entries)
    check_entries(folder)
    read = tensors = parameters = size = 0
    for file in weights:
        length, shapes = _read_header(file, MOST_HEADERS - read)
        read += length
        for entry in shapes:
            count = _count(entry["shape"])
            tensors, parameters, size = tensors + 1, parameters + count, size + count * BYTES.get(entry["dtype"], 4)
    return CheckpointFiles(folder=folder, config=config, tensors=tensors, parameters=parameters, bytes=size)


def check_size(files: CheckpointFiles, dtype_bytes: int | None, free: float | None = None) -> None:
    """Refuse a checkpoint that is too large for this machine, or whose configuration cannot belong to its weights.

    Args:
        dtype_bytes: bytes of a number once loaded; None for the size in the files.
        free: bytes of free memory; None asks the machine.

    Raises:
        OpenError: with the figures.
    """
    check_layers(files)
    check_memory(files.bytes if dtype_bytes is None else files.parameters * dtype_bytes, free)


def check_layers(files: CheckpointFiles) -> None:
    """Refuse a configuration that names more layers than the weights have tensors.

    Raises:
        OpenError: with both numbers.
    """
    counts = (files.config.get(name) for name in ("num_hidden_layers", "n_layer", "num_layers"))
    layers = max((count for count in counts if isinstance(count, int)), default=0)
    if layers > files.tensors:
        raise OpenError(
            "config.json names {layers} {layers:layer|layers}, but the weights are only {tensors} "
            "{tensors:tensor|tensors}; the two files do not "
            "belong together.",
            layers=layers,
            tensors=files.tensors,
        )


def check_memory(needed: int, free: float | None = None) -> None:
    """Refuse weights that need more bytes than `SHARE` of the free memory, by default this machine's if it is known.

    Raises:
        OpenError: with the figures.
    """
    free = free_memory() if free is None else free
    if free is not None and needed > SHARE * free:
        raise OpenError(
            "The weights need {needed:.1f} GB, and this machine may give {limit:.1f} GB of its {free:.1f} GB of free "
            "memory to them; open a smaller model.",
            needed=needed / 1e9,
            limit=SHARE * free / 1e9,
            free=free / 1e9,
        )


def _config(folder: Path) -> dict:
    try:
        with open_regular(folder / CONFIG) as file:
            config = read_bounded(file, folder / CONFIG)
    except FileNotFoundError:
        if (folder / ADAPTER).is_file():
            raise OpenError(
                "The folder has the adapter of a model and no config.json; load both with the library peft and give "
                "the model live: open_model(model, reader=tokenizer)."
            ) from None
        if any(file.suffix.lower() == ".gguf" for file in list_entries(folder)):
            raise OpenError(GGUF) from None
        raise OpenError("The folder has no config.json; give a folder that a model was saved to.") from None
    except OpenError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise OpenError(
            "config.json cannot be read ({reason}); save or download the model again.", reason=reason_of(error)
        ) from None
    type_ = config.get("model_type") if isinstance(config, dict) else None
    if not isinstance(type_, str) or not TYPE.fullmatch(type_):
        raise OpenError("config.json names no type of model; give a folder that `save_pretrained` wrote.")
    return config


def _read_header(file: Path, most: int) -> tuple[int, list[dict]]:
    """Bytes of the header of a weight file, of which there may be `most`, and its tensors."""
    damaged = OpenError("{file} is damaged or cut short; save or download the model again.", file=file.name)
    try:
        with open_regular(file) as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > os.fstat(stream.fileno()).st_size:
                raise damaged
            if length > min(most, LARGEST_HEADER):
                raise OpenError(
                    "The headers of the weight files have more than {one} MB in {file}, or {all} MB in all, "
                    "more than any model needs; save or download the model again.",
                    file=file.name,
                    one=LARGEST_HEADER // 1_000_000,
                    all=MOST_HEADERS // 1_000_000,
                )
            header = parse_bounded(stream.read(length), file, _without_doubles)
            tensors = [entry for name, entry in header.items() if name != "__metadata__"]
            end = 8 + length + max((entry["data_offsets"][1] for entry in tensors), default=0)
            if end != os.fstat(stream.fileno()).st_size or not all(map(_fits, tensors)):
                raise damaged
    except OpenError:
        raise
    except OSError as error:
        raise OpenError(UNREADABLE, file=file.name, reason=reason_of(error)) from None
    except (ValueError, RecursionError, struct.error, KeyError, TypeError, AttributeError, IndexError):
        raise damaged from None
    return length, tensors


def _without_doubles(pairs: Pairs) -> dict:
    """An object of a header, in which the format allows every name once: other programs may read another one of two."""
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError
    return result


def _fits(entry: dict) -> bool:
    """Whether a tensor's bytes fit its shape; an unknown type of number may have any size."""
    start, end = entry["data_offsets"]
    if not all(type(size) is int and size >= 0 for size in (start, end, *entry["shape"])):
        return False
    size, count = BYTES.get(entry["dtype"]), _count(entry["shape"])
    return end >= start if size is None else end - start == count * size


def _count(shape: list[int]) -> int:
    """Numbers in a tensor of this shape.

    Raises:
        ValueError: there are more than any file has, as a product on the way to it is.
    """
    total = 1
    for size in shape:
        total *= size
        if total >= MOST_NUMBERS:
            raise ValueError
    return total


# Read from a checkpoint's folder nothing but regular files of its own: no pipe, no device, no file elsewhere.

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


# Which files of a folder or repository have the weights that the library reads, and which are only in their place.

WEIGHTS, WEIGHT_INDEX = "model.safetensors", "model.safetensors.index.json"
ADAPTER, ADAPTER_WEIGHTS = "adapter_config.json", "adapter_model.safetensors"  # of the library peft
VOCABULARIES = {".spm", ".tiktoken", ".bpe"}  # of tokenizers, besides texts
PICKLED = {".bin", ".pt", ".pth", ".ckpt"}
# in a repository: the same weights once more in another form or precision, and those of other libraries in folders
UNREAD = ["consolidated*.safetensors", "model.*.safetensors", "*/*.safetensors"]
POINTER, LARGEST_POINTER = b"version https://git-lfs.github.com/", 1024  # what Git LFS leaves, and bytes
GGUF = Template(
    "These weights are in the GGUF format of llama.cpp, whose attention cannot be recorded; open the model that they "
    "were converted from, in safetensors."
)
_SHARD = re.compile(r".+-\d+-of-\d+\.safetensors")


def select_weights(entries: Iterable[Path]) -> list[Path]:
    """The safetensors files that the library reads, by name; an adapter's among them.

    A folder may have the same weights once more, such as `consolidated.safetensors` beside shards. Without the names
    that the library looks for, all safetensors files.
    """
    files = {file.name: file for file in entries}
    weights = {name for name in files if name.endswith(".safetensors")}
    if WEIGHTS in files:
        read = {WEIGHTS}
    elif WEIGHT_INDEX in files:
        read = (
            _indexed(files[WEIGHT_INDEX]) or {name for name in weights if _SHARD.fullmatch(name)}
        ) & weights or weights
    else:
        return sorted(files[name] for name in weights)
    if ADAPTER in files:
        read |= {ADAPTER_WEIGHTS} & weights
    return sorted(files[name] for name in read)


def _indexed(index: Path) -> set[str]:
    """Names of the files in an index; none where it cannot be read, which the library states."""
    try:
        with open_regular(index) as stream:
            content = read_bounded(stream, index, LARGEST_INDEX)
        return set(map(str, content["weight_map"].values()))
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return set()


def check_without_weights(names: Iterable[str]) -> None:
    """Refuse a folder without safetensors files, for what it has instead.

    Raises:
        OpenError: always.
    """
    endings = {Path(name).suffix.lower() for name in names}
    if endings & PICKLED:
        raise OpenError(
            "The weights are pickled, and loading them could run code; save the model as safetensors and try again."
        )
    if ".gguf" in endings:
        raise OpenError(GGUF)
    raise OpenError("The folder has no safetensors file; put the weights next to config.json.")


def check_pointers(entries: Iterable[Path]) -> None:
    """Refuse a folder in which a file that is read is the short text that Git leaves in its place without Git LFS.

    Others, such as the same weights for another library, may be left as pointers.

    Raises:
        OpenError: with the name of the file.
    """
    files = list(entries)
    for file in sorted({*select_weights(files), *(file for file in files if file.suffix in TEXTS | VOCABULARIES)}):
        with suppress(OSError):  # the code that needs the file states why it cannot be read
            if not file.is_file() or file.stat().st_size > LARGEST_POINTER:
                continue
            with open_regular(file) as stream:
                if stream.read(len(POINTER)) == POINTER:
                    raise OpenError(
                        "{file} is a pointer of Git LFS, not the file itself; run `git lfs pull` in this folder, or "
                        "download the model again.",
                        file=file.name,
                    )
