"""What a study measured of networks, as it ships beside their weights: read only where it belongs to those in use."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from model.runtime.checkpoint import CheckpointError, read_json

T = TypeVar("T")


def read_measured(
    folder: str | Path,
    file: str,
    weights_sha256: str | Mapping[str, str] | list[str],
    command: str,
    make: Callable[[dict], T],
) -> T:
    """Read a study.

    Args:
        weights_sha256: of the weights in use, as the file holds them.
        command: target of the Makefile that measures anew.
        make: from the file's content.

    Raises:
        CheckpointError: missing or damaged, or measured on other weights; the sentence says what to do.
    """
    folder = Path(folder)
    named = {"file": file, "folder": folder.name, "command": command}
    if not (folder / file).is_file():
        raise CheckpointError("There is no {file} in {folder}; run `make {command}` to measure it.", **named)
    content = read_json(folder / file)
    try:
        if content["weights_sha256"] == weights_sha256:
            return make(content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(
            "{file} in {folder} is damaged; run `make {command}` to measure it again.", **named
        ) from error
    raise CheckpointError(
        "{file} in {folder} belongs to other weights; run `make {command}` to measure it again.", **named
    )
