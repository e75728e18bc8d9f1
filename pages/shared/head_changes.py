"""Controls that describe what is done to which heads, the same for sentences and for pictures.

The change that is being set up acts at once; it can be kept, and another one added to it. All of it is in the address.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from model import HeadInterventions, InterventionError
from model.tracing.head_interventions import Forbid, HeadIntervention, Heads, OneHot, Scale, Temperature, Window
from views.address import settings
from views.controls import widgets
from views.html import tokens

OFF, SCALE, SHARPEN, MASK, ONE_HOT = "Switch off", "Scale", "Sharpen", "Mask", "Force a look"
ACTIONS = (OFF, SCALE, SHARPEN, MASK, ONE_HOT)
MOST_KEPT = 12


@dataclass(frozen=True)
class Board:
    """All heads of one kind of attention, to choose from.

    Attributes:
        name: begins the keys of the widgets, so that pages with other networks do not share them.
        layers, heads: how many.
        first: heads that are chosen until a person chooses others.
    """

    name: str
    layers: int
    heads: int
    first: Heads

    def choose(self) -> Heads:
        """A row of buttons for each layer; a pressed one is a chosen head."""
        names = [str(head + 1) for head in range(self.heads)]
        chosen = []
        st.html(tokens.label("Heads"))
        with st.container(gap="xsmall"):
            for layer in range(self.layers):
                first = [names[head] for place, head in self.first if place == layer]
                pressed = widgets.toggles(f"Layer {layer + 1}", names, self._key(layer), first)
                chosen += [(layer, names.index(name)) for name in pressed]
            with st.container(horizontal=True):
                st.button("All heads", key=f"{self.name}all", on_click=self._press, args=(names,))
                st.button("No head", key=f"{self.name}none", on_click=self._press, args=([],), disabled=not chosen)
        return tuple(chosen)

    def _key(self, layer: int) -> str:
        return f"{self.name}{layer + 1}"

    def _press(self, names: list[str]) -> None:
        for layer in range(self.layers):
            settings.choose(self._key(layer), list(names))


def action(key: str) -> str:
    """What to do to the chosen heads."""
    return widgets.pick("What to do", ACTIONS, key)


def strength(chosen: str, kind: str, heads: Heads, name: str) -> HeadIntervention:
    """The change of the first three of `ACTIONS`, with its slider where it has one. `name` begins the slider's key."""
    if chosen == SCALE:
        return Scale(kind, heads, widgets.decimal("Output times", f"{name}factor", 0.5, -2.0, 4.0, 0.1))
    if chosen == SHARPEN:
        label = "Temperature: below 1 sharpens, above 1 flattens"
        return Temperature(kind, heads, widgets.decimal(label, f"{name}heat", 0.2, 0.1, 10.0, 0.1))
    return Scale(kind, heads, 0.0)


def together(draft: HeadIntervention, name: str) -> HeadInterventions:
    """What was kept, and then the change being set up; buttons to keep it, and to take kept ones away."""
    kept = _kept(name)
    full = len(kept) >= MOST_KEPT or not draft.heads
    st.button(
        "Keep this and add another", key=f"{name}keep", on_click=_write, args=(name, (*kept, draft)), disabled=full
    )
    for place, change in enumerate(kept):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(f"Kept: {words(change)}")
            rest = kept[:place] + kept[place + 1 :]
            st.button("Take away", key=f"{name}drop{place}", on_click=_write, args=(name, rest))
    return HeadInterventions((*kept, draft) if draft.heads else kept)


def _kept(name: str) -> tuple[HeadIntervention, ...]:
    """Nothing where the address holds what no page wrote."""
    try:
        return HeadInterventions.from_text(settings.held(f"{name}kept")).changes[:MOST_KEPT]
    except InterventionError:
        settings.hold(f"{name}kept", "")
        return ()


def _write(name: str, changes: tuple[HeadIntervention, ...]) -> None:
    settings.hold(f"{name}kept", HeadInterventions(changes).to_text())


def words(change: HeadIntervention) -> str:
    """A change in one line; numbers count from 1."""
    layers = sorted({layer for layer, _ in change.heads})
    places = "; ".join(
        f"layer {layer + 1} head {', '.join(str(head + 1) for head in sorted(change.in_layer(layer)))}"
        for layer in layers
    )
    return f"{change.kind}, {places}: {_what(change)}"


def _what(change: HeadIntervention) -> str:
    if isinstance(change, Scale):
        return f"output \u00d7 {change.factor:g}" if change.factor else "switched off"
    if isinstance(change, Temperature):
        return f"temperature {change.temperature:g}"
    if isinstance(change, Window):
        return f"window of {change.size}"
    if isinstance(change, Forbid):
        return f"{len(change.keys)} {'key' if len(change.keys) == 1 else 'keys'} forbidden"
    if isinstance(change, OneHot):
        asking = "every query" if change.query is None else f"query {change.query + 1}"
        return f"{asking} looks at key {change.key + 1}"
    return "no causal mask"
