"""Controls for interventions on heads, the same for sentences and for pictures.

The intervention being edited applies at once; it can be stored, and another one added. All of them are in the address.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import streamlit as st

from model import HeadInterventions, InterventionError
from model.tracing.head_interventions import Forbid, HeadIntervention, Heads, OneHot, Pull, Scale, Temperature, Window
from views import kind_labels, map_labels
from views.controls import widgets
from views.html import generated_tokens
from views.text import literal
from views.text.catalogue import Message, say, say_count, say_error
from views.text.numbers import MINUS
from views.url_state import bound_settings

SCALE, SHARPEN, MASK, ONE_HOT, PULL = "scale", "sharpen", "mask", "one-hot", "pull"
ACTIONS = {
    "ablate": Message("changes.ablate", "Ablate"),
    SCALE: Message("changes.scale", "Scale"),
    SHARPEN: Message("changes.sharpen", "Sharpen"),
    MASK: Message("changes.mask", "Mask"),
    ONE_HOT: Message("changes.one-hot", "One-hot attention"),
    PULL: Message("changes.pull", "Pull a weight"),
}
MOST_STORED = 12


def _choose_heads(name: str, heads: int, layers: Sequence[int], opened: Sequence[int] | None) -> Heads:
    """Render a row of toggles for the heads of each layer; return the chosen heads.

    Args:
        opened: numbers of the layers whose heads are chosen until the user changes them, which the address then
            states; None for the middle one.
    """
    names = [map_labels.to_id(head) for head in range(heads)]
    keys = [f"{name}{layer + 1}" for layer in layers]
    chosen = []
    st.html(generated_tokens.label(say("changes.heads", "Heads")))
    with st.container(gap="xsmall"):
        for layer, key in zip(layers, keys, strict=True):
            label = say("changes.layer", "Layer {layer}", layer=layer + 1)
            # by default those of the middle layer: late enough to matter, with layers after it
            first = [layers[len(layers) // 2]] if opened is None else opened
            pressed = widgets.toggles(label, names, key, names if layer in first else (), opened is not None)
            if opened is not None:
                bound_settings.state_choice(key, *pressed)
            chosen += [(layer, names.index(head)) for head in pressed]
        with st.container(horizontal=True):
            every, none = say("changes.all", "All heads"), say("changes.none", "No head")
            st.button(every, key=f"{name}all", on_click=_press, args=(keys, names))
            st.button(none, key=f"{name}none", on_click=_press, args=(keys, []), disabled=not chosen)
    return tuple(chosen)


def _press(keys: list[str], heads: list[str]) -> None:
    for key in keys:
        bound_settings.set_value(key, list(heads))


def choose_interventions(
    kind: str,
    attention: np.ndarray,
    shapes: Mapping[str, tuple[int, ...]],
    names: tuple[str, str],
    own: Mapping[str, Callable[[Heads], HeadIntervention]],
    layers: Mapping[str, Sequence[int]] | None = None,
    opened: Sequence[int] | None = None,
) -> HeadInterventions | None:
    """Render the controls; return the stored interventions followed by the one being edited.

    Args:
        kind, attention: whose heads can be chosen.
        shapes: kind -> of its attention.
        names: prefixes of the keys of the widgets for heads, and for the action.
        own: makes the page's interventions for the actions `MASK`, `ONE_HOT` and `PULL` from the heads.
        layers: kind -> numbers of the layers that have it, from 0; None where all have it.
        opened: numbers of the layers whose heads are ablated until the user changes something; the address then states
            the intervention. None: those of the middle layer, which the address does not state.

    Returns:
        None if they cannot be applied; the reason is on the page.
    """
    name, prefix = names
    actions = {id: label for id, label in ACTIONS.items() if id in own or id not in (MASK, ONE_HOT, PULL)}
    action = widgets.pick(say("changes.action", "What to do"), actions, f"{prefix}do")
    if opened is not None:
        bound_settings.state_choice(f"{prefix}do", action)
    numbers = range(attention.shape[0]) if layers is None else layers[kind]
    heads = _choose_heads(name, attention.shape[1], numbers, opened)
    draft = own[action](heads) if action in own else _strength_change(action, kind, heads, prefix)
    if not heads:
        st.caption(say("shared.no-head", "No head is chosen: press at least one."))
    stored = _stored_changes(name)
    full = len(stored) >= MOST_STORED or not draft.heads
    keep = say("changes.keep", "Keep this and add another")
    st.button(keep, key=f"{name}keep", on_click=_store_changes, args=(name, (*stored, draft)), disabled=full)
    for place, change in enumerate(stored):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(say("changes.kept", "Kept: {change}", change=describe_change(change)))
            rest = stored[:place] + stored[place + 1 :]
            st.button(
                say("changes.drop", "Take away"), key=f"{name}drop{place}", on_click=_store_changes, args=(name, rest)
            )
    plan = HeadInterventions((*stored, draft) if draft.heads else stored)
    try:
        plan.check(shapes, layers)
    except InterventionError as error:
        st.warning(literal.markdown(say_error(error)))
        return None
    return plan


def _strength_change(action: str, kind: str, heads: Heads, name: str) -> HeadIntervention:
    """Return the intervention of one of the first three actions, with its slider. `name` is the prefix of its key."""
    if action == SCALE:
        label = say("changes.factor", "Output times")
        return Scale(kind, heads, widgets.decimal(label, f"{name}factor", 0.5, -2.0, 4.0, 0.1))
    if action == SHARPEN:
        label = say("changes.heat", "Temperature: below 1 sharpens, above 1 flattens")
        return Temperature(kind, heads, widgets.decimal(label, f"{name}heat", 0.2, 0.1, 10.0, 0.1))
    return Scale(kind, heads, 0.0)


def _stored_changes(name: str) -> tuple[HeadIntervention, ...]:
    """Read the stored interventions from the address; none if it is invalid."""
    try:
        return HeadInterventions.from_text(bound_settings.stored_text(f"{name}kept")).changes[:MOST_STORED]
    except InterventionError:
        bound_settings.store_text(f"{name}kept", "")
        return ()


def _store_changes(name: str, changes: tuple[HeadIntervention, ...]) -> None:
    bound_settings.store_stated()
    bound_settings.store_text(f"{name}kept", HeadInterventions(changes).to_text())


def describe_change(change: HeadIntervention) -> str:
    """Describe an intervention in one line; numbers count from 1."""
    layers: dict[str, list[str]] = {}  # by their heads
    for layer in sorted({layer for layer, _ in change.heads}):
        heads = ", ".join(map_labels.to_id(head) for head in sorted(change.in_layer(layer)))
        layers.setdefault(heads, []).append(map_labels.to_id(layer))
    places = [
        say("changes.place", "layer {layer} head {heads}", layer=", ".join(own), heads=heads)
        for heads, own in layers.items()
    ]
    values = {
        "kind": kind_labels.kind_named(change.kind).title,
        "places": "; ".join(places),
        "what": _describe_action(change),
    }
    return say("changes.line", "{kind}, {places}: {what}", **values)


def _describe_action(change: HeadIntervention) -> str:
    if isinstance(change, Scale):
        times = say("changes.scaled", "output \u00d7 {factor}", factor=f"{change.factor:g}".replace("-", MINUS))
        return times if change.factor else say("changes.ablated", "ablated")
    if isinstance(change, Temperature):
        return say("changes.temperature", "temperature {temperature:g}", temperature=change.temperature)
    if isinstance(change, Window):
        return say("changes.window", "window of {size}", size=change.size)
    if isinstance(change, Forbid):
        return say_count("changes.forbidden", "{count} key masked", "{count} keys masked", len(change.keys))
    if isinstance(change, OneHot):
        if change.query is None:
            return say("changes.one-hot.every", "every query attends to key {key} alone", key=change.key + 1)
        places = {"query": change.query + 1, "key": change.key + 1}
        return say("changes.one-hot.query", "query {query} attends to key {key} alone", **places)
    if isinstance(change, Pull):
        places = {"query": change.query + 1, "key": change.key + 1}
        if change.delta == -math.inf:
            return say("changes.rubbed-out", "query {query} does not attend to key {key}", **places)
        delta = f"{change.delta:+.3g}".replace("-", MINUS)
        return say("changes.pulled", "{delta} on the score of key {key} at query {query}", delta=delta, **places)
    return say("changes.no-mask", "no causal mask")
