"""Prove that the places that were found are the residual stream: by sums, by replacing, and by resuming."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from ...causal.causal_error import CausalError
from ...causal.resumable import stream_name
from ...networks.tap import Chain, Intervention, Recorder, Tap, replace_by
from ...runtime.messages import Template
from .block_places import BlockPlaces

SUMS = 1e-5  # largest difference in single precision, as a share of the largest number
HALF_SUMS = 1000.0  # factor in half precision: the sum of three numbers of 8 bits is rounded twice
BATCHES = 10.0  # factor for runs in batches of another size, which round otherwise

Added = dict[tuple[str, int], Tensor]  # stack and layer -> what is added to the stream before it

NO_SUM = Template(
    "The parts that were found in this model's layers do not sum to its residual stream: they miss it by "
    "{difference:.1e} where {limit:.0e} is allowed; methods on heads alone are possible."
)
NO_SUM_CHANGED = Template(
    "Changed parts of this model's layers do not sum to its residual stream: they miss it by {difference:.1e} where "
    "{limit:.0e} is allowed; methods on heads alone are possible."
)
NOT_REPLACED = Template(
    "This model answers differently when its residual stream is replaced by itself, by {difference:.1e} where "
    "{limit:.0e} is allowed; methods on heads alone are possible."
)
NOT_IN_BATCH = Template(
    "This model answers differently when several inputs run together, by {difference:.1e} where {limit:.0e} is "
    "allowed; methods on heads alone are possible."
)
NOT_RESUMED = Template(
    "This model answers differently when it is resumed at a layer, by {difference:.1e} where {limit:.0e} is "
    "allowed; methods on heads alone are possible."
)


@dataclass(frozen=True)
class StreamProof:
    """Largest differences on a short input, each as a share of the largest number; 0 in exact arithmetic."""

    sums: float
    """Of the streams from the sums of their parts, as the network computes them untouched."""
    disturbed: float
    """The same with random numbers added to every part; what is added between layers must not change."""
    replaced: float
    """Of the last stream, with each stream in turn replaced by itself."""
    resumed: float
    """Of the last stream, from runs resumed at every layer."""
    batched: float
    """Of the last stream, from a run of two equal inputs."""
    skips: bool
    """Whether runs that are resumed leave the layers before out; otherwise these run, too."""


class ProvenRuns:
    """How the proof runs a network; see `prove_streams`."""

    def __init__(
        self,
        run: Callable[[Tap, int], Tensor],
        resume: Callable[[dict[str, Tensor], str, int, Tap, bool], Tensor],
    ) -> None:
        self.run, self.resume = run, resume


@torch.no_grad()
def prove_streams(places: BlockPlaces, runs: ProvenRuns, tolerance: float) -> StreamProof:
    """Prove the places of a network's streams.

    Args:
        runs: `run(tap, rows)` gives the last stream of the output stack for `rows` equal short inputs;
            `resume(tensors, stack, layer, tap, skips)` the same from a layer on.
        tolerance: largest difference that counts as rounding.

    Raises:
        CausalError: a difference is larger; the message states which.
    """
    recorder = Recorder()
    last = runs.run(recorder, 1)
    tensors = recorder.tensors
    sums = _sum_error(places, tensors, added_between(places, tensors))
    _check(NO_SUM, sums, tolerance)
    disturbed = _disturb(places, runs, tensors)
    _check(NO_SUM_CHANGED, disturbed, tolerance)
    replaced = max(
        _apart(runs.run(Intervention({name: replace_by(tensors[name].clone())}), 1), last)
        for stack, blocks in places.stacks.items()
        for name in (stream_name(stack, row) for row in range(len(blocks) + 1))
    )
    _check(NOT_REPLACED, replaced, tolerance)
    batched = _apart(runs.run(Chain(), 2)[1:], last)
    _check(NOT_IN_BATCH, batched, BATCHES * tolerance)
    skips, resumed = True, _resume(places, runs, tensors, last, skips=True)
    if not resumed <= tolerance:  # a layer needs more of the one before than its stream
        skips, resumed = False, _resume(places, runs, tensors, last, skips=False)
    _check(NOT_RESUMED, resumed, tolerance)
    return StreamProof(sums, disturbed, replaced, resumed, batched, skips)


def _check(template: Template, difference: float, tolerance: float) -> None:
    if not difference <= tolerance:
        raise CausalError(template, difference=difference, limit=tolerance)


def _sum_error(places: BlockPlaces, tensors: dict[str, Tensor], added: Added) -> float:
    """Largest difference of a row of the stream from the sum of its parts; of a pre-norm network alone.

    Args:
        added: of `added_between`, in the untouched run.
    """
    if not places.pre_norm:
        return places.error  # sums are read by norms; those were compared when they were found
    worst = places.error if any(places.joined.values()) else 0.0
    for stack, blocks in places.stacks.items():
        for number in range(len(blocks)):
            total = sum_of_parts(places, tensors, stack, number)
            if number + 1 in places.joined.get(stack, ()):
                total = total + added[stack, number + 1]
            worst = max(worst, _apart(total, tensors[stream_name(stack, number + 1)]))
    return worst


def sum_of_parts(places: BlockPlaces, tensors: dict[str, Tensor], stack: str, layer: int) -> Tensor:
    """What a layer of a pre-norm network reads, with the outputs of its sub-layers added."""
    parts = (tensors[f"{stack}.{layer}.{part.name}.sublayer_output"] for part in places.stacks[stack][layer].sub_layers)
    return sum(parts, start=tensors[stream_name(stack, layer)])


def added_between(places: BlockPlaces, tensors: dict[str, Tensor]) -> Added:
    """What a run adds to the stream before those layers that read something else than the layer before returns."""
    return {
        (stack, layer): tensors[stream_name(stack, layer)] - sum_of_parts(places, tensors, stack, layer - 1)
        for stack, layers in places.joined.items()
        for layer in layers
    }


def _disturb(places: BlockPlaces, runs: ProvenRuns, tensors: dict[str, Tensor]) -> float:
    """Add random numbers to all parts of each layer: they must arrive in its stream."""
    generator = torch.Generator().manual_seed(0)
    names = [name for name in tensors if name.endswith(".sublayer_output")]
    moves = {}
    for name in names:
        own = tensors[name]
        noise = torch.randn(own.shape, generator=generator, dtype=torch.float64).to(own)
        moves[name] = noise * max(float(own.abs().mean()), 0.01)
    recorder = Recorder()
    runs.run(Chain(Intervention({name: _Moved(move) for name, move in moves.items()}), recorder), 1)
    for stack, blocks in places.stacks.items():
        row = stream_name(stack, len(blocks))
        if _apart(recorder.tensors[row], tensors[row]) == 0:
            return float("inf")
    if places.pre_norm:
        return _sum_error(places, recorder.tensors, added_between(places, tensors))
    return _normalised_error(places, runs, recorder.tensors, moves)


def _normalised_error(
    places: BlockPlaces, runs: ProvenRuns, tensors: dict[str, Tensor], moves: dict[str, Tensor]
) -> float:
    """Largest difference of what norms read from stream and part, of a post-norm network whose parts have changed."""
    worst = 0.0
    for stack, blocks in places.stacks.items():
        for number, block in enumerate(blocks):
            stream = tensors[stream_name(stack, number)]
            for part in block.sub_layers:
                name = f"{stack}.{number}.{part.name}"
                worst = max(worst, _apart(tensors[f"{name}.summed"], stream + tensors[f"{name}.sublayer_output"]))
                stream = tensors[f"{name}.normalised"]
            worst = max(worst, _apart(stream, tensors[stream_name(stack, number + 1)]))
    return worst


def _resume(places: BlockPlaces, runs: ProvenRuns, tensors: dict[str, Tensor], last: Tensor, *, skips: bool) -> float:
    try:
        return max(
            _apart(runs.resume(tensors, stack, layer, Chain(), skips), last)
            for stack, blocks in places.stacks.items()
            for layer in range(len(blocks) + 1)
        )
    except (TypeError, AttributeError):  # a layer reads what one that is left out returns besides
        return float("inf")


def _apart(first: Tensor, second: Tensor) -> float:
    return float((first - second).abs().max()) / (float(second.abs().max()) or 1.0)


class _Moved:
    def __init__(self, added: Tensor) -> None:
        self.added = added

    def __call__(self, tensor: Tensor) -> Tensor:
        return tensor + self.added
