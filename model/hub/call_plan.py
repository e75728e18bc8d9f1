"""Identify the calls of attention that a network makes, by running it, not by the names of its modules."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from ..tracing.kinds import KINDS, AttentionKind, with_heads
from .eager_attention import AttentionCall, Place, layer_numbers
from .errors import OpenError


@dataclass(frozen=True)
class CallPlan:
    """Kind and layer of each call of attention in one run."""

    # one for each call, such as `decoder.0.cross`; None for a call that is not attention between tokens
    names: tuple[str | None, ...]
    # those that occur, in the order of `model.tracing.kinds`. Where the layers of one differ in their number of heads,
    # those with equally many are a kind of their own; see `model.tracing.kinds.with_heads`.
    kinds: tuple[AttentionKind, ...]
    # name of a kind -> numbers from 0, among all layers of the network, of those that have it
    layers: dict[str, tuple[int, ...]]

    def layer_of(self, place: int) -> tuple[AttentionKind, int] | None:
        """Kind of a call and number of its layer; None for one that is not attention between tokens."""
        for kind in self.kinds:
            for number, own in zip(self.layers[kind.name], self.places(kind), strict=True):
                if own == place:
                    return kind, number
        return None

    def places(self, kind: AttentionKind) -> list[int]:
        """Indices of the calls of a kind, by layer."""
        return [self.names.index(kind.tap_name(layer)) for layer in self.layers[kind.name]]


def identify_calls(
    calls: Sequence[AttentionCall],
    running: Sequence[Place | None],
    *,
    vision: bool,
    source: int | None,
    target: int | None,
) -> CallPlan:
    """Identify the kind and layer of each call in a run on a short input.

    Args:
        calls: of the whole run.
        running: the network's layer that made each call; see `model.hub.eager_attention`.
        vision: whether the input was a picture.
        source: number of tokens that the network, or its encoder, read; None for a picture, whose patches are counted.
        target: number of tokens that the decoder of an encoder-decoder read, not equal to `source`; None without one.

    Raises:
        OpenError: there is no attention between all tokens, or heads attend within windows or bands of the input.
    """
    if source is None:
        source = max(call.weights.shape[-1] for call in calls)
    kinds: list[str | None] = [_kind(call, vision, source, target) for call in calls]
    if not any(kinds):
        raise OpenError(
            "This model has no softmax attention between all of its tokens, so there are no maps to show; open one "
            "whose layers attend to the whole input."
        )
    names: list[str | None] = [None] * len(calls)
    layers: dict[str, tuple[int, ...]] = {}
    parts: list[AttentionKind] = []
    for kind in KINDS.values():
        places = [place for place, name in enumerate(kinds) if name == kind.name]
        numbers = layer_numbers([running[place] for place in places])
        heads = [calls[place].weights.shape[1] for place in places]
        for place, number in zip(places, numbers, strict=True):
            names[place] = kind.tap_name(number)
        for count in dict.fromkeys(heads):
            part = kind if len(set(heads)) == 1 else with_heads(kind, count)
            layers[part.name] = tuple(number for number, own in zip(numbers, heads, strict=True) if own == count)
            parts.append(part)
    return CallPlan(tuple(names), tuple(parts), layers)


def _kind(call: AttentionCall, vision: bool, source: int, target: int | None) -> str | None:
    """Name of a call's kind, or None where its map is not between all tokens."""
    batch, _, queries, keys = call.weights.shape
    if batch != 1 or not {queries, keys} <= {source, target}:
        if batch != 1 or max(queries, keys) > max(source, target or 0):
            raise OpenError(
                "The heads of this model attend within windows or bands of the input, {queries} "
                "{queries:query|queries} to {keys} {keys:key|keys} "
                "at a time; only maps over the whole input are shown.",
                queries=queries,
                keys=keys,
            )
        return None
    if vision:
        return "vision"
    if target is not None and queries == target and keys == source:
        return "cross"
    later = torch.ones(queries, keys, dtype=torch.bool).triu(1)
    causal = queries > 1 and not bool(call.weights[0][:, later].any())
    if not causal and target is not None and queries == target:
        raise OpenError(
            "The decoder of this model attends to later tokens, so it cannot write one token after another; set "
            "is_decoder in the decoder's part of config.json."
        )
    return "decoder" if causal else "encoder"
