"""Kinds of attention as pages show them: what the model says of a kind, under the words that the views have for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from model.tracing.kinds import AttentionKind
from views import maps
from views.text.catalogue import Message


def shown(kind: AttentionKind) -> maps.Kind:
    """A kind with its words; one that the views have no words for is called what the model calls it."""
    known = maps.ALIGNMENTS.get(kind.score) or maps.KINDS.get(kind.name)
    if known is None:
        sides = (Message(f"kind.{side}", side) for side in (f"{kind.queries} query token", f"{kind.keys} key token"))
        known = maps.Kind(kind.name, Message(f"kind.{kind.name}", kind.title), *sides)
    return replace(known, causal=kind.causal)


def by_name(kinds: Iterable[AttentionKind]) -> dict[str, maps.Kind]:
    """The kinds of a model, in its order."""
    return {kind.name: shown(kind) for kind in kinds}
