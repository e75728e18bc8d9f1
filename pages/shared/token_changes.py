"""Controls for interventions on single tokens: another mask, one-hot attention, and a pulled weight."""

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from model import InterventionError, Trace
from model.pulling.deltas import solve_delta
from model.tracing.head_interventions import Forbid, HeadIntervention, Heads, NoMask, OneHot, Pull, Window
from model.tracing.kinds import AttentionKind
from model.tracing.traced_model import AnyTrace
from pages.shared.head_changes import MASK, ONE_HOT, PULL
from views import map_labels
from views.controls import widgets
from views.text.catalogue import Message, Untranslated, say
from views.text.numbers import signed, three_digits

NO_MASK, WINDOW, FORBID = "none", "window", "forbid"
NAMES = {
    NO_MASK: Message("compare.mask.none", "No causal mask"),
    WINDOW: Message("compare.mask.window", "Window"),
    FORBID: Message("compare.mask.forbid", "Forbid tokens"),
}
EVERY = "every"


def token_changes(trace: AnyTrace, kind: AttentionKind) -> Mapping[str, Callable[[Heads], HeadIntervention]]:
    """Return the argument `own` of `choose_interventions` where queries and keys are tokens."""
    own: dict[str, Callable[[Heads], HeadIntervention]] = {
        MASK: partial(_mask, trace, kind),
        ONE_HOT: partial(_one_hot, trace, kind.name),
    }
    if isinstance(trace, Trace):
        own[PULL] = partial(_pull, trace, kind)
    return own


def _mask(trace: AnyTrace, kind: AttentionKind, heads: Heads) -> HeadIntervention:
    possible = {NO_MASK: kind.causal, WINDOW: kind.square, FORBID: True}
    masks = {mask: NAMES[mask] for mask in NAMES if possible[mask]}
    mask = widgets.pick(say("compare.mask", "New mask"), masks, f"{kind.name}mask") if len(masks) > 1 else FORBID
    if mask == NO_MASK:
        return NoMask(kind.name, heads)
    if mask == WINDOW:
        label = say("compare.window", "Keys less than this many places away")
        return Window(kind.name, heads, int(widgets.number(label, "window", 2, 1, 128)))
    keys = map_labels.token_options(trace.axes(kind.name)[1])
    first = tuple(keys)[1:2]  # without the first, the decoder's first query would have no key
    label = say("compare.forbid", "Keys that no query may attend to")
    forbidden = widgets.multiselect(label, keys, f"{kind.name}forbid", first)
    return Forbid(kind.name, heads, tuple(map_labels.index_of(place) for place in forbidden))


def _one_hot(trace: AnyTrace, kind: str, heads: Heads) -> HeadIntervention:
    queries, keys = map(map_labels.token_options, (_query_names(trace, kind), trace.axes(kind)[1]))
    options: dict[str, str | Untranslated] = {EVERY: say("compare.query.every", "every query"), **queries}
    with st.container(horizontal=True, gap="medium"):
        query = widgets.select(say("compare.query", "Query"), options, f"{kind}asks")
        key = widgets.select(say("compare.key", "attends only to key"), keys, f"{kind}sees")
    return OneHot(kind, heads, map_labels.index_of(key), None if query == EVERY else map_labels.index_of(query))


def _query_names(trace: AnyTrace, kind: str) -> tuple[str, ...]:
    chosen = trace.chosen_at(kind) if hasattr(trace, "chosen_at") else ()
    return map_labels.row_names(trace.axes(kind)[0], chosen)


def _pull(trace: Trace, kind: AttentionKind, heads: Heads) -> HeadIntervention:
    """Let the user choose a weight; a place in the decoder is named as the rows of maps are."""
    queries, keys = map(map_labels.token_options, (_query_names(trace, kind.name), trace.axes(kind.name)[1]))
    first = tuple(queries)[len(queries) // 2 if kind.causal else 0]  # the first query of a causal kind has one key only
    with st.container(horizontal=True, gap="medium"):
        label = say("compare.pull.place", "At")
        query = map_labels.index_of(widgets.select(label, queries, f"{kind.name}place", first))
        key = map_labels.index_of(
            widgets.select(say("compare.pull.key", "pull the weight of"), keys, f"{kind.name}pulled")
        )
    label = say("compare.pull.weight", "to this mean weight over the heads; 0 rubs it out")
    wanted = widgets.decimal(label, "pulledweight", 0.75, 0.0, 1.0, 0.01)
    own = [float(trace.attention(kind.name)[layer, head, query, key]) for layer, head in heads]
    try:
        delta = solve_delta(own, wanted) if heads else 0.0
    except InterventionError:  # stated with the result: the key is masked, or the only one
        return Pull(kind.name, heads, key, query, 0.0)
    if heads:
        values = {"before": three_digits(sum(own) / len(own)), "delta": signed(delta)}
        st.caption(
            say(
                "compare.pull.delta",
                "It is {before} without changes; \u03b4 = {delta} is added to its score.",
                **values,
            )
        )
    return Pull(kind.name, heads, key, query, delta)
