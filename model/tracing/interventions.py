"""Interventions as plain values: what is done to which heads. They can be saved as text, combined, and become a tap.

Layers, heads, queries and keys count from 0 here; the text form counts from 1, as pages do. The networks know nothing
of any of this: a tap changes their tensors on the way (see `model.networks.tap`).
"""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..networks.tap import Chain, Intervention, Tap
from .head_interventions import (
    HEAD_INTERVENTIONS,
    Forbid,
    HeadIntervention,
    Heads,
    InterventionError,
    NoMask,
    OneHot,
    Scale,
    Shapes,
    Temperature,
    Window,
)
from .kinds import KINDS


@dataclass(frozen=True)
class HeadInterventions:
    """Several changes at once. Those of one step act in the order given; the steps follow one another as ever:
    scores, mask, weights, outputs."""

    changes: tuple[HeadIntervention, ...] = ()

    @property
    def looks_ahead(self) -> bool:
        """True if a decoder query may see a later token."""
        return any(isinstance(change, NoMask) and change.heads for change in self.changes)

    def check(self, shapes: Shapes) -> None:
        """Make sure that all of it can be done with these shapes, see `shapes_of`.

        Raises:
            InterventionError: a kind, head, query or key does not exist, a number is out of range, or a query would
                be left without any key.
        """
        for change in self.changes:
            change.check(shapes)
        hiding = [change for change in self.changes if isinstance(change, Window | Forbid)]
        for kind, layer, head in {(change.kind, *place) for change in hiding for place in change.heads}:
            allowed = self.allowed(kind, layer, head, *shapes[kind][2:])
            if KINDS[kind].causal:  # while a translation grows, a query has no later keys even without the mask
                allowed &= np.tri(*allowed.shape, dtype=bool)
            blind = np.flatnonzero(~allowed.any(axis=1))
            if blind.size:
                raise InterventionError(
                    "Query {query} of {kind} head {head} in layer {layer} has no key left; "
                    "leave every query at least one key.",
                    query=int(blind[0]) + 1,
                    kind=kind,
                    head=head + 1,
                    layer=layer + 1,
                )

    def allowed(self, kind: str, layer: int, head: int, queries: int, keys: int) -> np.ndarray:
        """`(query, key)` bool: which weights of a head need not be 0, before one-hot attention."""
        own = [change for change in self.changes if change.kind == kind and (layer, head) in change.heads]
        causal = KINDS[kind].causal and not any(isinstance(change, NoMask) for change in own)
        allowed = np.tri(queries, keys, dtype=bool) if causal else np.ones((queries, keys), dtype=bool)
        for change in own:
            if isinstance(change, Window | Forbid):
                allowed &= ~change.hidden(queries, keys)
        return allowed

    def tap(self, shapes: Shapes) -> Tap:
        """What the networks call; without changes it lets everything through untouched.

        Raises:
            InterventionError: see `check`.
        """
        self.check(shapes)
        taps = []
        for change in self.changes:
            functions = {
                f"{KINDS[change.kind].tap_name(layer)}.{change.step}": partial(
                    change.change, heads=change.in_layer(layer), n_heads=shapes[change.kind][1]
                )
                for layer, _ in change.heads
            }
            taps.append(Intervention(functions))
        return Chain(*taps)

    def to_text(self) -> str:
        """All of it in a few characters that `from_text` reads, counted from 1: `scale:cross:4.1.2:0.5;...`."""
        return ";".join(
            ":".join((change.word, change.kind, heads_to_text(change.heads), change.values()))
            for change in self.changes
        )

    @classmethod
    def from_text(cls, text: str) -> "HeadInterventions":
        """Read what `to_text` wrote. Whether a network has such heads is for `check` to say.

        Raises:
            InterventionError: the text says something else.
        """
        try:
            return cls(tuple(_read(part) for part in text.split(";") if part))
        except (ValueError, KeyError, IndexError, TypeError):
            raise InterventionError("That text describes no intervention; choose one with the controls.") from None


def heads_to_text(heads: Heads) -> str:
    """`4.1.2_5.8` for heads 1 and 2 of layer 4 and head 8 of layer 5."""
    layers = sorted({layer for layer, _ in heads})
    return "_".join(
        ".".join(str(number + 1) for number in (layer, *sorted({head for place, head in heads if place == layer})))
        for layer in layers
    )


def heads_from_text(text: str) -> Heads:
    """What `heads_to_text` wrote.

    Raises:
        ValueError: the text is anything else.
    """
    found = []
    for part in text.split("_") if text else ():
        layer, *heads = _places(part)
        found += [(layer, head) for head in heads]
    return tuple(found)


def _places(text: str) -> list[int]:
    """Numbers that count from 1, with dots between them, as numbers that count from 0."""
    parts = text.split(".") if text else []
    if not all(part.isascii() and part.isdigit() and len(part) < 5 and part != "0" for part in parts):
        raise ValueError("no such places")
    return [int(part) - 1 for part in parts]


def _read(part: str) -> HeadIntervention:
    word, kind, heads, values = part.split(":")
    if kind not in KINDS:
        raise ValueError("no such kind")
    made = {change.word: change for change in HEAD_INTERVENTIONS}[word]
    place = kind, heads_from_text(heads)
    if made in (Scale, Temperature):
        number = float(values)
        if not math.isfinite(number):
            raise ValueError("no such number")
        return made(*place, number)
    if made is Window:
        return Window(*place, _places(values)[0] + 1)
    if made is Forbid:
        return Forbid(*place, tuple(_places(values)))
    if made is OneHot:
        key, *query = _places(values)
        return OneHot(*place, key, *query)
    return NoMask(*place)
