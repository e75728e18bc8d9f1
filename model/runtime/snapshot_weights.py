"""Weights of a network at steps of its training, as files of their own: `snapshots/step-000393.safetensors`."""

from pathlib import Path

from torch import Tensor

from .checkpoint import load_tensors

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
