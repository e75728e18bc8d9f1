"""Identify the calls of attention that a network makes, by running it, not by the names of its modules."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from ..tracing.kinds import KINDS, AttentionKind
from .eager_attention import AttentionCall
from .errors import OpenError


@dataclass(frozen=True)
class CallPlan:
    """Kind and layer of each call of attention in one run.

    Attributes:
        names: one for each call, such as `decoder.0.cross`; None for a call that is not attention between tokens.
        kinds: those that occur, in the order of `model.tracing.kinds`.
    """

    names: tuple[str | None, ...]
    kinds: tuple[AttentionKind, ...]

    def layer_of(self, place: int) -> tuple[AttentionKind, int] | None:
        """Kind and layer of a call; None for one that is not attention between tokens."""
        for kind in self.kinds:
            places = self.places(kind)
            if place in places:
                return kind, places.index(place)
        return None

    def places(self, kind: AttentionKind) -> list[int]:
        """Indices of the calls of a kind, by layer."""
        layer_names = {kind.tap_name(layer) for layer in range(len(self.names))}
        return [place for place, name in enumerate(self.names) if name in layer_names]


def identify_calls(calls: Sequence[AttentionCall], *, vision: bool, source: int | None, target: int | None) -> CallPlan:
    """Identify the kind and layer of each call in a run on a short input.

    Args:
        calls: of the whole run.
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
    counts: Counter[str] = Counter()
    names: list[str | None] = []
    for kind in kinds:
        names.append(None if kind is None else KINDS[kind].tap_name(counts[kind]))
        if kind is not None:
            counts[kind] += 1
    for kind in filter(None, set(kinds)):
        heads = {call.weights.shape[1] for call, name in zip(calls, kinds, strict=True) if name == kind}
        if len(heads) > 1:
            raise OpenError("The layers of this model have different numbers of heads; such models are not opened yet.")
    return CallPlan(tuple(names), tuple(kind for kind in KINDS.values() if kind.name in kinds))


def _kind(call: AttentionCall, vision: bool, source: int, target: int | None) -> str | None:
    """Name of a call's kind, or None where its map is not between all tokens."""
    batch, _, queries, keys = call.weights.shape
    if batch != 1 or not {queries, keys} <= {source, target}:
        if batch != 1 or max(queries, keys) > max(source, target or 0):
            raise OpenError(
                "The heads of this model attend within windows or bands of the input, {queries} queries to {keys} keys "
                "at a time; only maps over the whole input are shown.",
                queries=queries,
                keys=keys,
            )
        return None
    if vision:
        return "vision"
    if target is not None and queries == target:
        return "cross" if keys == source else "decoder"
    later = torch.ones(queries, keys, dtype=torch.bool).triu(1)
    causal = queries > 1 and not bool(call.weights[0][:, later].any())
    return "decoder" if causal else "encoder"
