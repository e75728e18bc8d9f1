"""Outputs of heads over other inputs: a pool to draw from, and the mean of every head.

`python -m training head-means` measures the means over validation sentences and writes them next to the weights.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from ..networks.tap import Recorder
from ..runtime.checkpoint import explain_read_errors, load_tensors, save_tensors
from ..tracing.kinds import AttentionKind
from .causal_error import CausalError
from .resumable import Inputs, ResumableNetwork

FILE = "head_means.safetensors"  # next to the weights


@dataclass(frozen=True, eq=False)
class HeadPool:
    """Outputs of every head at the positions of some inputs."""

    # kind of attention -> `(vector, layer, head, d_k)`; vector v of all heads is from one position
    outputs: dict[str, Tensor]
    inputs: int  # number of inputs

    def means(self) -> "HeadMeans":
        """The mean of every head."""
        count = len(next(iter(self.outputs.values())))
        return HeadMeans({kind: tensor.mean(dim=0) for kind, tensor in self.outputs.items()}, self.inputs, count)


@dataclass(frozen=True, eq=False)
class HeadMeans:
    """Mean output of every head over the positions of some inputs."""

    means: dict[str, Tensor]
    """Kind of attention -> `(layer, head, d_k)`."""
    inputs: int
    vectors: int
    """`inputs`, `vectors`: number of inputs, and of positions of the first kind."""

    def save(self, folder: Path, weights_sha256: str) -> None:
        """Write to `FILE` in a folder, in single precision, with the hash of the network's weights.

        Raises:
            CheckpointError: the folder cannot be written to.
        """
        tensors = {kind: tensor.float().cpu() for kind, tensor in self.means.items()}
        counts = {"inputs": str(self.inputs), "vectors": str(self.vectors), "weights_sha256": weights_sha256}
        save_tensors(folder / FILE, tensors, counts)

    @classmethod
    def load(cls, folder: Path, weights_sha256: str) -> "HeadMeans | None":
        """Read `FILE` of a folder; None where there is none, or it was measured on other weights.

        Raises:
            CheckpointError: the file is damaged.
        """
        if not (folder / FILE).is_file():
            return None
        tensors, metadata = load_tensors(folder / FILE)
        if metadata.get("weights_sha256") != weights_sha256:
            return None
        with explain_read_errors("head means", folder):
            return cls(tensors, int(metadata["inputs"]), int(metadata["vectors"]))


@torch.inference_mode()
def record_pool(resumable: ResumableNetwork, inputs: Iterable[Inputs]) -> HeadPool:
    """Run inputs, each with a batch of one, and retain the outputs of every head.

    Raises:
        CausalError: there is no input.
    """
    parts: dict[str, list[Tensor]] = {}
    count = 0
    for one in inputs:
        for kind, outputs in _head_outputs(resumable, one).items():
            parts.setdefault(kind, []).append(outputs)
        count += 1
    if not count:
        raise CausalError("Other inputs are needed to take outputs from; give at least one.")
    return HeadPool({kind: torch.cat(tensors) for kind, tensors in parts.items()}, count)


@torch.inference_mode()
def measure_means(resumable: ResumableNetwork, inputs: Iterable[Inputs]) -> HeadMeans:
    """`record_pool(...).means()` without retaining the outputs, for a whole corpus; sums in double precision.

    Raises:
        CausalError: there is no input.
    """
    sums: dict[str, Tensor] = {}
    counts: dict[str, int] = {}
    number = 0
    for one in inputs:
        for kind, outputs in _head_outputs(resumable, one).items():
            own = outputs.double().sum(dim=0)
            sums[kind] = sums[kind] + own if kind in sums else own
            counts[kind] = counts.get(kind, 0) + len(outputs)
        number += 1
    if not number:
        raise CausalError("A mean needs inputs; give at least one.")
    means = {kind: total / counts[kind] for kind, total in sums.items()}
    return HeadMeans(means, number, next(iter(counts.values())))


def _head_outputs(resumable: ResumableNetwork, inputs: Inputs) -> dict[str, Tensor]:
    """Kind -> outputs of all its heads at every position, `(position, layer, head, d_k)`."""
    names = {kind.name: _names(resumable, kind) for kind in resumable.kinds}
    recorder = Recorder({name for own in names.values() for name in own})
    resumable.run(inputs, recorder)
    return {
        kind: torch.stack([recorder.tensors[name][0] for name in own]).permute(2, 0, 1, 3)
        for kind, own in names.items()
    }


def _names(resumable: ResumableNetwork, kind: AttentionKind) -> list[str]:
    return [f"{kind.tap_name(layer)}.outputs" for layer in range(resumable.stacks[kind.stack])]
