"""Inspect a checkpoint's folder before anything is loaded: is it complete, is it safe, does it fit?"""

import os
import re
import struct
from dataclasses import dataclass
from pathlib import Path

from ..runtime.free_memory import free_memory
from .bounded_json import LARGEST_HEADER, Pairs, parse_bounded, read_bounded
from .errors import OpenError, reason_of
from .folder_files import UNREADABLE, check_entries, list_entries, open_regular
from .weight_files import ADAPTER, GGUF, check_pointers, check_without_weights, select_weights

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
