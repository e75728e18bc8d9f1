"""A checkpoint's folder, looked at before anything in it is loaded: is it whole, is it safe, does it fit?"""

import json
import os
import struct
from dataclasses import dataclass
from pathlib import Path

from .errors import OpenError

CONFIG = "config.json"
LARGEST_CONFIG = 10_000_000  # bytes
LARGEST_HEADER = 100_000_000  # bytes; the format's own limit
SHARE = 0.6  # of free memory, for weights
PICKLED = {".bin", ".pt", ".pth", ".ckpt"}
BYTES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "I16": 2, "U8": 1, "I8": 1, "BOOL": 1}


@dataclass(frozen=True)
class CheckpointFiles:
    """What a folder holds.

    Attributes:
        folder: where it is.
        config: what `config.json` says.
        tensors: how many the weight files hold.
        parameters: how many numbers they are.
        bytes: their size in the files.
    """

    folder: Path
    config: dict
    tensors: int
    parameters: int
    bytes: int


def inspect_checkpoint(folder: Path) -> CheckpointFiles:
    """Read the configuration and the headers of the weight files, nothing else.

    Raises:
        OpenError: the folder is no checkpoint, is damaged, holds pickled weights only, needs code of its own, or has
            files that lie elsewhere.
    """
    if not folder.is_dir():
        raise OpenError("There is no such folder; give a folder with config.json and safetensors files.")
    config = _config(folder)
    if config.get("auto_map"):
        raise OpenError("This model needs program code of its own, which is never run; open a model that does not.")
    weights = sorted(folder.glob("*.safetensors"))
    if not weights:
        if any(file.suffix in PICKLED for file in folder.iterdir()):
            raise OpenError(
                "The weights are pickled, and loading them could run code; save the model as safetensors and try again."
            )
        raise OpenError("The folder has no safetensors file; put the weights beside config.json.")
    for file in folder.iterdir():
        _check_location(folder, file)
    headers = [_header(file) for file in weights]
    shapes = [entry for header in headers for name, entry in header.items() if name != "__metadata__"]
    sizes = [_count(entry["shape"]) for entry in shapes]
    return CheckpointFiles(
        folder=folder,
        config=config,
        tensors=len(shapes),
        parameters=sum(sizes),
        bytes=sum(size * BYTES.get(entry["dtype"], 4) for size, entry in zip(sizes, shapes, strict=True)),
    )


def check_size(found: CheckpointFiles, dtype_bytes: int | None, free: float | None = None) -> None:
    """Refuse a checkpoint that is too large for this machine, or whose configuration cannot belong to its weights.

    Args:
        dtype_bytes: of a number once loaded; None as in the files.
        free: bytes of free memory; None asks the machine.

    Raises:
        OpenError: with the figures.
    """
    told = (found.config.get(name) for name in ("num_hidden_layers", "n_layer", "num_layers"))
    layers = max((count for count in told if isinstance(count, int)), default=0)
    if layers > found.tensors:
        raise OpenError(
            "config.json names {layers} layers, but the weights are only {tensors} tensors; the two files do not "
            "belong together.",
            layers=layers,
            tensors=found.tensors,
        )
    check_memory(found.bytes if dtype_bytes is None else found.parameters * dtype_bytes, free)


def check_memory(needed: int, free: float | None = None) -> None:
    """Refuse weights of so many bytes that the free memory, by default this machine's, is too small for.

    Raises:
        OpenError: with the figures.
    """
    free = free_memory() if free is None else free
    if needed > SHARE * free:
        raise OpenError(
            "The weights need {needed:.1f} GB, and this machine may give {limit:.1f} GB of its {free:.1f} GB of free "
            "memory to them; open a smaller model.",
            needed=needed / 1e9,
            limit=SHARE * free / 1e9,
            free=free / 1e9,
        )


def free_memory() -> int:
    """Bytes that this machine can still give."""
    told = Path("/proc/meminfo")
    if told.is_file():
        for line in told.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _config(folder: Path) -> dict:
    try:
        with open(folder / CONFIG, encoding="utf-8") as file:
            read = json.loads(file.read(LARGEST_CONFIG))
    except FileNotFoundError:
        raise OpenError("The folder has no config.json; give a folder that a model was saved to.") from None
    except (OSError, ValueError, RecursionError):
        raise OpenError("config.json cannot be read; save or download the model again.") from None
    if not isinstance(read, dict) or not isinstance(read.get("model_type"), str):
        raise OpenError("config.json names no type of model; give a folder that `save_pretrained` wrote.")
    return read


def _check_location(folder: Path, file: Path) -> None:
    """A file must lie in its folder, or, in the cache of the hub, among the blobs of the same repository."""
    inside = folder.resolve()
    real = file.resolve()
    blobs = inside.parent.parent / "blobs"
    if not (real.is_relative_to(inside) or (inside.parent.name == "snapshots" and real.is_relative_to(blobs))):
        raise OpenError("A file of this folder lies elsewhere; copy the model into one folder.")


def _header(file: Path) -> dict:
    damaged = OpenError("{file} is damaged or cut short; save or download the model again.", file=file.name)
    try:
        with open(file, "rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > LARGEST_HEADER:
                raise damaged
            header = json.loads(stream.read(length))
            tensors = [entry for name, entry in header.items() if name != "__metadata__"]
            end = 8 + length + max((entry["data_offsets"][1] for entry in tensors), default=0)
            if end != os.fstat(stream.fileno()).st_size or not all(map(_fits, tensors)):
                raise damaged
    except (OSError, ValueError, struct.error, KeyError, TypeError, AttributeError, IndexError):
        raise damaged from None
    return header


def _fits(entry: dict) -> bool:
    """Whether a tensor is as large as its shape says; an unusual type of number may have any size."""
    start, end = entry["data_offsets"]
    if not all(type(size) is int and size >= 0 for size in (start, end, *entry["shape"])):
        return False
    size = BYTES.get(entry["dtype"])
    return end >= start if size is None else end - start == _count(entry["shape"]) * size


def _count(shape: list[int]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total
