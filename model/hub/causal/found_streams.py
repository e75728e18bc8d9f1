"""Find everything about the residual streams of an opened model that its modules show in one short run."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..eager_attention import is_half
from ..forward_run import ModelInputs
from ..opened_network import OpenedNetwork
from .block_places import BlockPlaces, find_blocks, find_places
from .module_calls import ModuleCall, ObservedRun, observe_run
from .stream_proof import HALF_SUMS, SUMS


@dataclass(frozen=True)
class FoundStreams:
    """The streams of a network, found but not yet proven."""

    places: BlockPlaces  # see `model.hub.causal.block_places`
    # stack and layer -> names of its calls of attention, in their order; None for one that has none
    calls: dict[tuple[str, int], list[str | None]]
    # modules that read the last stream of the output stack as it is, and return as many numbers
    last_norms: tuple[str, ...]
    # module that returns what a feed-forward layer adds -> the matrix inside that computes it
    feed_forward_ends: dict[str, str]
    tolerance: float  # largest difference that counts as rounding, as a share of the largest number


def find_streams(opened: OpenedNetwork, probe: ModelInputs, output_stack: str) -> FoundStreams:
    """Run a network once on a short input and find its streams.

    Raises:
        CausalError: they are not found; the message states where.
    """
    network, plan = opened.network, opened.proof.plan
    observed = observe_run(network, probe, plan.names, opened.proof.by_interface)
    tolerance = SUMS * (HALF_SUMS if is_half(next(network.parameters()).dtype) else 1.0)
    lists = {name: len(modules) for name, modules in network.named_modules() if isinstance(modules, nn.ModuleList)}
    stacks = find_blocks(observed, plan, lists)
    lengths = [probe[name].shape[1] for name in ("input_ids", "decoder_input_ids") if name in probe]
    places = find_places(observed, plan, stacks, _find_embeddings(opened, observed, lengths), tolerance)
    return FoundStreams(
        places,
        _name_calls(opened, observed, places),
        _find_last_norms(observed, places.stacks[output_stack][-1].module),
        _find_matrices(network, observed, places),
        tolerance,
    )


def _find_embeddings(opened: OpenedNetwork, observed: ObservedRun, lengths: list[int]) -> tuple[str, ...]:
    """The modules that embed the tokens of each stack, by its number of tokens; none where they are not found."""
    if opened.vision:
        return ()
    table = getattr(token_embedding(opened), "weight", None)
    modules = {name: one for name, one in opened.network.named_modules() if isinstance(one, nn.Embedding)}
    calls = [call for call in observed.calls if call.name in modules and modules[call.name].weight is table]
    shapes = [None if call.returned is None else tuple(call.returned.shape[:-1]) for call in calls]
    return tuple(call.name for call in calls) if shapes == [(1, length) for length in lengths] else ()


def token_embedding(opened: OpenedNetwork) -> nn.Module:
    """The module that embeds the tokens of the input."""
    network: Any = opened.network
    module: nn.Module = network.get_input_embeddings()
    return module


def _name_calls(
    opened: OpenedNetwork, observed: ObservedRun, places: BlockPlaces
) -> dict[tuple[str, int], list[str | None]]:
    layers = {
        block.module: (stack, number) for stack, blocks in places.stacks.items() for number, block in enumerate(blocks)
    }
    calls: dict[tuple[str, int], list[str | None]] = {place: [] for place in layers.values()}
    for place, name in zip(observed.attention, opened.proof.plan.names, strict=True):
        own = None if place.layer is None else layers.get(f"{place.layer[0]}.{place.layer[1]}")
        if own is not None:
            calls[own].append(name)
    return calls


def _find_last_norms(observed: ObservedRun, last: str) -> tuple[str, ...]:
    (block,) = observed.of(last)
    return tuple(
        call.name
        for call in observed.calls
        if call.start > block.end
        and _same(call.read, block.returned)
        and call.returned is not None
        and call.read is not None
        and call.returned.shape == call.read.shape
    )


def _find_matrices(network: nn.Module, observed: ObservedRun, places: BlockPlaces) -> dict[str, str]:
    """For each feed-forward layer, the module with a matrix that returns the same numbers, if there is one."""
    parts = {part.output for blocks in places.stacks.values() for block in blocks for part in block.sub_layers[-1:]}
    by_name: dict[str, ModuleCall] = {call.name: call for call in observed.calls}
    matrices = [
        by_name[name]
        for name, module in network.named_modules()
        if name in by_name and getattr(getattr(module, "weight", None), "ndim", 0) == 2
    ]
    ends: dict[str, str] = {}
    for name in parts:
        block = name.rsplit(".", 1)[0]
        returned = by_name[name].returned
        inside = (call for call in matrices if call.name == name or call.name.startswith(f"{block}."))
        for call in inside:
            if _same(call.returned, returned):
                ends[name] = call.name
    return ends


def _same(first: Tensor | None, second: Tensor | None) -> bool:
    return first is not None and second is not None and first.shape == second.shape and torch.equal(first, second)
