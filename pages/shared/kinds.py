"""Kinds of attention as pages show them: what the model says of a kind, under the words that the views have for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from model.tracing.kinds import AttentionKind
from views import maps
from views.text.catalogue import Message, Name

QUERY = Message("kind.other.query", "{whose} query token")
KEY = Message("kind.other.key", "{whose} key token")


def shown(kind: AttentionKind) -> maps.Kind:
    """A kind with its words; one that the views have no words for goes by the names that the model has for it."""
    found = maps.ALIGNMENTS.get(kind.score) or maps.known(kind.name)
    if found is None:
        name, sides = Name(kind.name), (partial(QUERY, whose=kind.queries), partial(KEY, whose=kind.keys))
        found = maps.Kind(kind.name, Name(kind.title), *sides, name, name)
    return replace(found, causal=kind.causal)


def by_name(kinds: Iterable[AttentionKind]) -> dict[str, maps.Kind]:
    """The kinds of a model, in its order."""
    return {kind.name: shown(kind) for kind in kinds}
