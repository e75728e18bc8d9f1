"""Ablation of heads by zero, by their mean, or by outputs from other inputs; and of pairs of heads.

- zero: Michel et al. 2019 ("Are Sixteen Heads Really Better than One?", section 3). In training no head
  has the output 0, so part of the effect is that of an unusual input to the later layers.
- mean: Wang et al. 2022 (section 2.2): the mean over many inputs removes what depends on this one alone.
- resample: Chan et al. 2022 ("Causal Scrubbing"): outputs of the same head from other inputs, drawn several times. Each
  position gets the output of the head at one drawn position of one drawn input.

A head that has a backup has no effect here although it does the work: without it another head takes over (Wang et al.
2022, section 3.3; McGrath et al. 2023, "The Hydra Effect"). The interaction of a pair shows this.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor

from ..networks.tap import Recorder
from ..runtime.checkpoint import explain_read_errors, load_tensors, save_tensors
from ..runtime.progress import InSteps, as_one_call
from ..tracing.kinds import AttentionKind
from .causal_error import CausalError
from .metrics import Metric
from .patched_runs import Case, Patch, run_cases_in_steps
from .result_tables import CausalResult, Table, TableAxis
from .resumable import Inputs, ResumableNetwork

# Outputs of heads over other inputs: a pool to draw from, and the mean of every head.
#
# `python -m training head-means` measures the means over validation sentences and writes them next to the weights.

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


Replacement = Literal["zero", "mean", "resample"]
PAIRS_AMONG = 10
SAMPLES = 10


HeadPlace = tuple[str, int, int]  # kind, layer and head, from 0


@dataclass(frozen=True, eq=False, repr=False)
class HeadAblation(CausalResult):
    """A metric without single heads, and without pairs of those with the largest effect."""

    replacement: Replacement
    """By what heads were replaced."""
    metric: Metric
    reference: float
    """`metric`, `reference`: what was measured, and its value with all heads on."""
    effects: dict[str, np.ndarray]
    """Kind -> `(layer, head)` float64, the metric without the head minus `reference`; mean over samples."""
    standard_errors: dict[str, np.ndarray] | None
    """In the form of `effects`, over samples; None without samples."""
    leading: tuple[HeadPlace, ...]
    """The heads with the largest |effect|, largest first."""
    pairs: np.ndarray
    """`(leading, leading)`, the effect of ablating both; on the diagonal that of the one."""
    nothing: float
    """Largest |effect| of replacing every head by its own output; 0."""
    drift: float
    """As in `model.causal.activation_patching.PatchingCheck`."""

    @property
    def interactions(self) -> np.ndarray:
        """`(leading, leading)`: the effect of a pair minus the sum of its single effects; 0 on the diagonal.

        It has the sign of the effects where each head can replace the other: both together matter more.
        """
        single = np.diag(self.pairs)
        apart = self.pairs - single[:, None] - single
        np.fill_diagonal(apart, 0)
        return apart

    @property
    def tables(self) -> dict[str, Table]:
        tables = {}
        for name, values in self.effects.items():
            axes = (TableAxis.counted("layer", len(values)), TableAxis.counted("head", values.shape[1]))
            tables[name] = Table(values, axes, self.metric.unit)
            if self.standard_errors is not None:
                tables[f"{name}_standard_error"] = Table(self.standard_errors[name], axes, self.metric.unit)
        labels = tuple(f"{kind} {layer + 1}.{head + 1}" for kind, layer, head in self.leading)
        both = (TableAxis("first", labels), TableAxis("second", labels))
        tables["pairs"] = Table(self.pairs, both, self.metric.unit)
        tables["interactions"] = Table(self.interactions, both, self.metric.unit)
        return tables


@torch.inference_mode()
def ablate_in_steps(
    resumable: ResumableNetwork,
    inputs: Inputs,
    metric: Metric,
    replacement: Replacement = "zero",
    *,
    means: HeadMeans | None = None,
    pool: HeadPool | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    pairs_among: int = PAIRS_AMONG,
) -> InSteps[HeadAblation]:
    """Ablate every head of one input, then every pair among those with the largest |effect|.

    Args:
        inputs: one input, with a batch of one.
        means: what "mean" replaces by; by default the mean of `pool`.
        pool: what "resample" draws from.
        samples, seed: of "resample"; at least 2 samples.
        pairs_among: how many heads are paired; 0 leaves pairs out.

    Raises:
        CausalError: an argument that the replacement needs is missing or out of range, or the metric reads a position
            or logit that does not exist.
    """
    if replacement not in get_args(Replacement):
        raise CausalError("Heads are replaced by zero, mean or resample, not {how!r}.", how=replacement)
    resumable.check_tensor(f"{resumable.kinds[0].tap_name(0)}.outputs")
    metric.check(resumable, resumable.run(inputs).shape[1])
    if replacement == "mean" and means is None and pool is not None:
        means = pool.means()
    if (replacement == "mean" and means is None) or (replacement == "resample" and pool is None):
        raise CausalError("Replacing by {how} needs the outputs of other inputs; give some.", how=replacement)
    if replacement == "resample" and samples < 2:
        raise CausalError(
            "{samples} {samples:sample has|samples have} no standard error; draw at least 2.", samples=samples
        )
    rows = samples if replacement == "resample" else 1
    run = resumable.record(tuple(part.expand(rows, *part.shape[1:]) for part in inputs))
    heads: list[HeadPlace] = [
        (kind.name, layer, head)
        for kind in resumable.kinds
        for layer in range(resumable.stacks[kind.stack])
        for head in range(resumable.n_heads)
    ]
    values = _Values(replacement, means, pool, samples, seed)
    cases: dict[HeadPlace, Case] = {}
    for place in heads:
        kind = resumable.kind(place[0])
        assert kind is not None
        name = f"{kind.tap_name(place[1])}.outputs"
        own = run.tensors[name][:, place[2]]  # (row, position, d_k)
        cases[place] = (Patch(name, values.of(place, own), (place[2],)),)
    unchanged = [
        (Patch(patch.name, run.tensors[patch.name][:, patch.index[0]], patch.index),) for (patch,) in cases.values()
    ]
    single = yield from run_cases_in_steps(resumable, run, list(cases.values()), metric)
    same = yield from run_cases_in_steps(resumable, run, unchanged, metric)
    effects = single.effects  # (head, sample)
    mean = effects.mean(axis=1)
    order = np.argsort(-np.abs(mean), kind="stable")[:pairs_among]
    leading = tuple(heads[number] for number in order)
    couples = [(first, second) for first in range(len(leading)) for second in range(first)]
    both = [(*cases[leading[first]], *cases[leading[second]]) for first, second in couples]
    paired = yield from run_cases_in_steps(resumable, run, both, metric)
    pairs = np.diag(mean[order])
    for (first, second), effect in zip(couples, paired.effects.mean(axis=1), strict=True):
        pairs[first, second] = pairs[second, first] = effect
    errors = effects.std(axis=1, ddof=1) / math.sqrt(rows) if rows > 1 else None
    return HeadAblation(
        replacement=replacement,
        metric=metric,
        reference=float(single.unchanged.mean()),
        effects=_by_kind(resumable, mean),
        standard_errors=None if errors is None else _by_kind(resumable, errors),
        leading=leading,
        pairs=pairs,
        nothing=float(np.abs(same.effects).max()),
        drift=max(single.drift, same.drift, paired.drift),
    )


ablate = as_one_call(ablate_in_steps)


def _by_kind(resumable: ResumableNetwork, values: np.ndarray) -> dict[str, np.ndarray]:
    """Divide one value for each head, kind by kind, into `(layer, head)`."""
    tables, start = {}, 0
    for kind in resumable.kinds:
        shape = resumable.stacks[kind.stack], resumable.n_heads
        tables[kind.name] = values[start : start + shape[0] * shape[1]].reshape(shape)
        start += shape[0] * shape[1]
    return tables


class _Values:
    """What the output of a head is replaced by."""

    def __init__(
        self, replacement: Replacement, means: HeadMeans | None, pool: HeadPool | None, samples: int, seed: int
    ) -> None:
        self.replacement, self.means, self.pool, self.samples = replacement, means, pool, samples
        self.generator = torch.Generator().manual_seed(seed)
        self.drawn: dict[str, Tensor] = {}  # kind -> `(sample, position)`; the same for all heads of a kind

    def of(self, place: HeadPlace, own: Tensor) -> Tensor:
        """`(1 or sample, position, d_k)` in place of a head's own output `(row, position, d_k)`."""
        kind, layer, head = place
        if self.replacement == "zero":
            return torch.zeros_like(own[:1])
        if self.replacement == "mean":
            assert self.means is not None
            return self.means.means[kind][layer, head].to(own).expand(1, *own.shape[1:])
        assert self.pool is not None
        vectors = self.pool.outputs[kind]
        if kind not in self.drawn:
            self.drawn[kind] = torch.randint(len(vectors), (self.samples, own.shape[1]), generator=self.generator)
        return vectors[self.drawn[kind], layer, head].to(own)
