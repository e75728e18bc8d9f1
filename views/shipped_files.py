"""Read the texts and pictures that ship, after comparing them with their hashes.

`model/runtime/checkpoint.py` describes the manifest and does the same for weights and figures: neither layer may import
the other.
"""

import hashlib
import json
from functools import lru_cache
from pathlib import Path

NAME = "manifest.json"
LEVELS = 3  # folders between a manifest and a file


class ShippedFileError(OSError):
    """A file is not the one whose hash was recorded when it was shipped, or the hashes cannot be read."""


def read_shipped(path: Path) -> bytes:
    """Return the content of a file; a file that no manifest lists is read unverified.

    Raises:
        ShippedFileError: it has another hash than the manifest of the nearest folder above it records.
        OSError: it is missing or cannot be read.
    """
    content, path = path.read_bytes(), path.absolute()
    folder = next((folder for folder in path.parents[:LEVELS] if (folder / NAME).is_file()), None)
    if folder is not None:
        recorded = _hashes(folder / NAME, (folder / NAME).stat().st_mtime_ns).get(path.relative_to(folder).as_posix())
        if recorded is not None and recorded != hashlib.sha256(content).hexdigest():
            raise ShippedFileError(f"{path.name} does not match its recorded SHA-256.")
    return content


def is_intact(path: Path) -> bool:
    """Whether `read_shipped` would return the file."""
    try:
        read_shipped(path)
    except OSError:
        return False
    return True


@lru_cache(maxsize=8)
def _hashes(manifest: Path, changed: int) -> dict[str, str]:
    """The hashes in a manifest; `changed`, when it was written last, lets a new one be read."""
    try:
        return dict(json.loads(manifest.read_bytes())["sha256"])
    except (ValueError, TypeError, KeyError) as error:
        raise ShippedFileError(f"{manifest.name} is damaged.") from error
