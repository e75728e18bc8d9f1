"""Weights and state on disk: safetensors only, written atomically, verified when read."""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from .messages import UserError

T = TypeVar("T")

TEMPORARY_SUFFIX = ".part"  # of a file that is being written
PROJECT = Path(__file__).resolve().parent.parent.parent


class CheckpointError(UserError, RuntimeError):
    """A file of a model is missing, damaged or of another shape; the message names it and states what to do."""


class WriteError(CheckpointError):
    """A file cannot be written: the disk is full, or the folder belongs to somebody else."""


class AlteredFileError(CheckpointError):
    """A file is not the one whose hash was recorded when it was written."""


def write_atomically(path: str | Path, content: bytes) -> None:
    """Write to a temporary file in the same folder, flush to disk, then rename: a kill leaves the old file intact.

    If the file is one that ships, its hash in the manifest is written anew.

    Raises:
        CheckpointError: the disk is full, or the folder cannot be written to; the old file is unchanged.
    """
    path = Path(path)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=TEMPORARY_SUFFIX)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        raise write_error(path, error) from error
    finally:
        if temporary:  # still exists if it was not renamed
            Path(temporary).unlink(missing_ok=True)
    with suppress(ValueError, OSError):  # a damaged manifest is reported when it is read
        manifest = find_manifest(path.absolute())
        if manifest and (recorded := record_sha256(path, hashlib.sha256(content).hexdigest())) is not None:
            write_atomically(manifest, recorded)


def write_error(path: Path, error: OSError) -> WriteError:
    """Return the error for a file that could not be written."""
    return WriteError(
        "{file} could not be written to {folder} ({trouble}): what was there before is unchanged; "
        "make room on the disk, or choose another folder, and start again.",
        file=path.name,
        folder=str(path.parent),
        trouble=error.strerror,
    )


def remove_leftovers(folder: str | Path) -> None:
    """Remove the temporary files of writers that were killed. No process may be writing to `folder`."""
    for file in Path(folder).glob(f".*{TEMPORARY_SUFFIX}"):
        file.unlink(missing_ok=True)


def write_json(path: str | Path, value: dict) -> None:
    """Write `value` as indented JSON with a final line break, atomically."""
    write_atomically(path, (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode())


def read_json(path: str | Path) -> dict:
    """Read a JSON object.

    Raises:
        CheckpointError: missing, not a JSON object, or altered since it was shipped.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
        check_shipped(path, content)
        value = json.loads(content)
    except FileNotFoundError as error:
        raise _missing(path) from error
    except (OSError, ValueError) as error:
        raise _damaged(path) from error
    if not isinstance(value, dict):
        raise _damaged(path)
    return value


def read_measured(
    folder: str | Path,
    file: str,
    weights_sha256: str | Mapping[str, str] | list[str],
    command: str,
    make: Callable[[dict], T],
    some: bool = False,
) -> T:
    """Read the figures that a study measured of networks, shipped next to their weights, if they belong to these.

    Args:
        weights_sha256: of the weights in use, in the form that the file contains.
        some: whether the file may lack some of the networks in a mapping.
        command: target of the Makefile that measures again.
        make: creates the result from the file's content.

    Raises:
        CheckpointError: missing or damaged, or measured on other weights; the message states what to do.
    """
    folder = Path(folder)
    values = {"file": file, "folder": folder.name, "command": command}
    if not (folder / file).is_file():
        raise CheckpointError("There is no {file} in {folder}; run `make {command}` to measure it.", **values)
    content = read_json(folder / file)
    try:
        measured = content["weights_sha256"]
        if some and isinstance(weights_sha256, Mapping):
            weights_sha256 = {name: weights_sha256.get(name, "") for name in measured}
        if measured == weights_sha256:
            return make(content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(
            "{file} in {folder} is damaged; run `make {command}` to measure it again.", **values
        ) from error
    raise CheckpointError(
        "{file} in {folder} belongs to other weights; run `make {command}` to measure it again.", **values
    )


def read_text(path: str | Path) -> str:
    """Read a text for people; if it cannot be read, return an explanation instead: no program depends on it."""
    path = Path(path)
    try:
        content = path.read_bytes()
        check_shipped(path, content)
        return content.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return str(_missing(path))
    except CheckpointError as error:
        return str(error)


def sha256_of(path: str | Path) -> str:
    """Compute the SHA-256 of a file, hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_sha256(path: str | Path, expected: str) -> None:
    """Compare a file with the hash that was recorded when it was written.

    Raises:
        CheckpointError: it is missing or has another hash.
    """
    path = Path(path)
    if not path.is_file():
        raise _missing(path)
    if sha256_of(path) != expected:
        raise _altered(path)


def check_shipped(path: str | Path, content: bytes | None = None) -> None:
    """Compare a file that ships with its hash in the manifest; any other file is accepted.

    Args:
        content: of the file, if it was read already.

    Raises:
        CheckpointError: it has another hash, or the manifest cannot be read.
    """
    path = Path(path)
    try:
        expected = recorded_sha256(path)
    except (ValueError, OSError) as error:
        manifest = find_manifest(path.absolute())
        raise _damaged(manifest or path) from error
    if expected and expected != (sha256_of(path) if content is None else hashlib.sha256(content).hexdigest()):
        raise _altered(path)


def save_tensors(path: str | Path, tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> None:
    """Write tensors as safetensors, atomically. Metadata values are strings."""
    content = safetensors.torch.save({name: tensor.contiguous() for name, tensor in tensors.items()}, metadata)
    write_atomically(path, content)


def load_tensors(path: str | Path, expected_sha256: str | None = None) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Read what `save_tensors` wrote, after comparing the file's hash if one is expected.

    Returns:
        The tensors by name, on the CPU, and the metadata.

    Raises:
        CheckpointError: missing, truncated or altered file.
    """
    path = Path(path)
    if not path.is_file():
        raise _missing(path)
    if expected_sha256 is None:
        check_shipped(path)
    else:
        check_sha256(path, expected_sha256)
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            return {name: file.get_tensor(name) for name in file.keys()}, metadata  # noqa: SIM118
    except (safetensors.SafetensorError, OSError) as error:
        raise _damaged(path) from error


@contextmanager
def explain_read_errors(what: str, folder: Path) -> Iterator[None]:
    """Convert errors while the files in `folder` are read into one sentence that calls the model `what`.

    Raises:
        CheckpointError: in place of an error of the files' content.
    """
    try:
        yield
    except (OSError, ValueError, TypeError, KeyError) as error:
        trouble = str(error)
        if isinstance(error, OSError) and error.filename:
            trouble = f"{error.strerror}: {Path(error.filename).name}"
        raise CheckpointError(
            "The {what} in {folder} cannot be read ({trouble}); restore it with `git checkout -- assets` or train the "
            "model again.",
            what=what,
            folder=display_path(folder),
            trouble=trouble,
        ) from error


def display_path(path: str | Path) -> str:
    """Return the name of a file or folder for messages: relative to the project, of others without the folders above.

    Visitors of a server see such messages too, and must not see the absolute path of its files.
    """
    path = Path(path)
    if path.is_relative_to(PROJECT):
        return path.relative_to(PROJECT).as_posix()
    return path.name if path.is_absolute() else path.as_posix()


def load_weights(network: torch.nn.Module, tensors: dict[str, Tensor], where: str) -> None:
    """Copy `tensors`, read from the folder `where`, into `network`; the names must be the same.

    Raises:
        CheckpointError: a name or a shape differs.
    """
    try:
        network.load_state_dict(tensors, strict=True)
    except RuntimeError as error:
        raise CheckpointError(
            "The weights in {folder} do not fit the sizes in its config.json; restore it with `git checkout -- assets` "
            "or train the model again.",
            folder=where,
        ) from error


def _missing(path: Path) -> CheckpointError:
    return CheckpointError(
        "{file} is missing from {folder}; restore it with `git checkout -- assets` or train the model again.",
        file=path.name,
        folder=display_path(path.parent),
    )


def _altered(path: Path) -> AlteredFileError:
    return AlteredFileError(
        "{file} in {folder} does not match its recorded SHA-256; restore it with `git checkout -- assets` or train the "
        "model again.",
        file=path.name,
        folder=display_path(path.parent),
    )


def _damaged(path: Path) -> CheckpointError:
    return CheckpointError(
        "{file} in {folder} is damaged; restore it with `git checkout -- assets` or train the model again.",
        file=path.name,
        folder=display_path(path.parent),
    )


# The hashes of the files that ship, `assets/manifest.json`, which `make manifest` writes.
#
# `{"sha256": {"translator/heads.json": "3f..."}}`; names are relative to the manifest's folder. A file of a folder
# without a manifest, such as one's own training, has no recorded hash. `views/shipped_files.py` reads the same for
# texts and pictures.

NAME = "manifest.json"
LEVELS = 4  # folders between a manifest and a file


def find_manifest(path: Path) -> Path | None:
    """Return the manifest of the nearest folder above `path` that has one."""
    return next((folder / NAME for folder in path.parents[:LEVELS] if (folder / NAME).is_file()), None)


def recorded_sha256(path: Path) -> str | None:
    """Return the hash of `path` in its manifest; None if it has none.

    Raises:
        ValueError, OSError: the manifest is damaged.
    """
    path = path.absolute()
    manifest = find_manifest(path)
    if manifest is None:
        return None
    return _hashes(manifest, manifest.stat().st_mtime_ns).get(path.relative_to(manifest.parent).as_posix())


def record_sha256(path: Path, sha256: str) -> bytes | None:
    """Return the content of the manifest with the new hash of `path`; None if it does not list `path`."""
    path = path.absolute()
    if recorded_sha256(path) in (None, sha256) or (manifest := find_manifest(path)) is None:
        return None
    hashes = dict(_hashes(manifest, manifest.stat().st_mtime_ns))
    return manifest_content(hashes | {path.relative_to(manifest.parent).as_posix(): sha256})


def manifest_content(hashes: dict[str, str]) -> bytes:
    """Return the file with these hashes."""
    return (json.dumps({"sha256": dict(sorted(hashes.items()))}, indent=1) + "\n").encode()


@lru_cache(maxsize=8)
def _hashes(manifest: Path, changed: int) -> dict[str, str]:
    """The hashes in a manifest; `changed`, when it was written last, lets a new one be read."""
    content = json.loads(manifest.read_text(encoding="utf-8"))
    hashes = content.get("sha256") if isinstance(content, dict) else None
    if not isinstance(hashes, dict) or not all(isinstance(value, str) for value in hashes.values()):
        raise ValueError(f"{manifest.name} lists no hashes")
    return hashes


# Weights of a network at steps of its training, as files of their own: `snapshots/step-000393.safetensors`.

FOLDER = "snapshots"  # in the folder of a run


def snapshot_file(folder: Path, step: int) -> Path:
    """The file with the weights of one step."""
    return folder / FOLDER / f"step-{step:06d}.safetensors"


def read_snapshot(folder: Path, step: int, expected_sha256: str | None = None) -> dict[str, Tensor]:
    """The weights of one step in single precision; they are stored in half precision.

    Args:
        folder: of the run.
        expected_sha256: of the file; None accepts any.

    Raises:
        CheckpointError: the run did not store this step, or the file is damaged or has another hash.
    """
    tensors, _ = load_tensors(snapshot_file(folder, step), expected_sha256)
    return {name: tensor.float() for name, tensor in tensors.items()}
