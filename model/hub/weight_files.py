"""Which files of a folder or repository have the weights that the library reads, and which are only in their place."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..runtime.messages import Template
from .bounded_json import LARGEST_INDEX, read_bounded
from .errors import OpenError
from .folder_files import TEXTS, open_regular

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
