"""Controls that describe what is done to which heads, the same for sentences and for pictures.

The change that is being set up acts at once; it can be kept, and another one added to it. All of it is in the address.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from model import HeadInterventions, InterventionError
from model.tracing.head_interventions import Forbid, HeadIntervention, Heads, OneHot, Scale, Temperature, Window
from views import maps
from views.address import settings
from views.controls import widgets
from views.html import tokens
from views.text.catalogue import say, say_count

ABLATE, SCALE, SHARPEN, MASK, ONE_HOT = "ablate", "scale", "sharpen", "mask", "one-hot"
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
        st.html(tokens.label(say("changes.heads", "Heads")))
        with st.container(gap="xsmall"):
            for layer in range(self.layers):
                first = [names[head] for place, head in self.first if place == layer]
                pressed = widgets.toggles(
                    say("changes.layer", "Layer {layer}", layer=layer + 1), names, self._key(layer), first
                )
                chosen += [(layer, names.index(name)) for name in pressed]
            with st.container(horizontal=True):
                every, none = say("changes.all", "All heads"), say("changes.none", "No head")
                st.button(every, key=f"{self.name}all", on_click=self._press, args=(names,))
                st.button(none, key=f"{self.name}none", on_click=self._press, args=([],), disabled=not chosen)
        return tuple(chosen)

    def _key(self, layer: int) -> str:
        return f"{self.name}{layer + 1}"

    def _press(self, names: list[str]) -> None:
        for layer in range(self.layers):
            settings.choose(self._key(layer), list(names))


def action(key: str) -> str:
    """What to do to the chosen heads: the id of one of the five."""
    actions = {
        ABLATE: say("changes.ablate", "Ablate"),
        SCALE: say("changes.scale", "Scale"),
        SHARPEN: say("changes.sharpen", "Sharpen"),
        MASK: say("changes.mask", "Mask"),
        ONE_HOT: say("changes.one-hot", "One-hot attention"),
    }
    return widgets.pick(say("changes.action", "What to do"), actions, key)


def strength(chosen: str, kind: str, heads: Heads, name: str) -> HeadIntervention:
    """The change of the first three actions, with its slider where it has one. `name` begins the slider's key."""
    if chosen == SCALE:
        label = say("changes.factor", "Output times")
        return Scale(kind, heads, widgets.decimal(label, f"{name}factor", 0.5, -2.0, 4.0, 0.1))
    if chosen == SHARPEN:
        label = say("changes.heat", "Temperature: below 1 sharpens, above 1 flattens")
        return Temperature(kind, heads, widgets.decimal(label, f"{name}heat", 0.2, 0.1, 10.0, 0.1))
    return Scale(kind, heads, 0.0)


def together(draft: HeadIntervention, name: str) -> HeadInterventions:
    """What was kept, and then the change being set up; buttons to keep it, and to take kept ones away."""
    kept = _kept(name)
    full = len(kept) >= MOST_KEPT or not draft.heads
    keep = say("changes.keep", "Keep this and add another")
    st.button(keep, key=f"{name}keep", on_click=_write, args=(name, (*kept, draft)), disabled=full)
    for place, change in enumerate(kept):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(say("changes.kept", "Kept: {change}", change=words(change)))
            rest = kept[:place] + kept[place + 1 :]
            st.button(say("changes.drop", "Take away"), key=f"{name}drop{place}", on_click=_write, args=(name, rest))
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
    places = (
        say(
            "changes.place",
            "layer {layer} head {heads}",
            layer=layer + 1,
            heads=", ".join(str(head + 1) for head in sorted(change.in_layer(layer))),
        )
        for layer in layers
    )
    kind = maps.VISION if change.kind == maps.VISION.name else maps.KINDS[change.kind]
    return say(
        "changes.line", "{kind}, {places}: {what}", kind=kind.title, places="; ".join(places), what=_what(change)
    )


def _what(change: HeadIntervention) -> str:
    if isinstance(change, Scale):
        times = say("changes.scaled", "output \u00d7 {factor:g}", factor=change.factor)
        return times if change.factor else say("changes.ablated", "ablated")
    if isinstance(change, Temperature):
        return say("changes.temperature", "temperature {temperature:g}", temperature=change.temperature)
    if isinstance(change, Window):
        return say("changes.window", "window of {size}", size=change.size)
    if isinstance(change, Forbid):
        return say_count("changes.forbidden", "{count} key masked", "{count} keys masked", len(change.keys))
    if isinstance(change, OneHot) and change.query is None:
        return say("changes.one-hot.every", "every query attends to key {key} alone", key=change.key + 1)
    if isinstance(change, OneHot):
        places = {"query": change.query + 1, "key": change.key + 1}
        return say("changes.one-hot.query", "query {query} attends to key {key} alone", **places)
    return say("changes.no-mask", "no causal mask")
