"""Side B is the same sentence with an intervention: its widgets, and the passes before and after."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from model import DecodingOptions, HeadInterventions, InterventionError, Trace
from model.attribution.intervened import shapes_of
from model.tracing.head_interventions import Forbid, HeadIntervention, Heads, NoMask, OneHot, Window
from pages.shared.head_changes import MASK, ONE_HOT, Board, action, strength, together
from pages.shared.opening import Request
from pages.shared.sides import Sides
from views import maps
from views.controls import inputs, widgets
from views.text import literal
from views.text.catalogue import Message, say, say_error

NO_MASK, WINDOW, FORBID = "none", "window", "forbid"
MASKS = {"encoder": (WINDOW, FORBID), "decoder": (NO_MASK, WINDOW, FORBID), "cross": (FORBID,)}
NAMES = {
    NO_MASK: Message("compare.mask.none", "No causal mask"),
    WINDOW: Message("compare.mask.window", "Window"),
    FORBID: Message("compare.mask.forbid", "Forbid tokens"),
}
EVERY = "every"
NAME = "heads"  # begins the names of this page's settings in the address


def controls_of(trace: Trace) -> HeadInterventions | None:
    """What the reader wants done; None where it cannot be done, and the reason is on the page."""
    kind = widgets.pick(say("compare.of", "Heads of"), inputs.kind_names(), "of", "decoder")
    todo = action("do")
    layers, heads = trace.attention(kind).shape[:2]
    behind = tuple((layers // 2, head) for head in range(heads))  # late enough to matter, with layers behind it
    chosen = Board(NAME, layers, heads, behind).choose()
    if todo == MASK:
        draft = _mask(trace, kind, chosen)
    elif todo == ONE_HOT:
        draft = _one_hot(trace, kind, chosen)
    else:
        draft = strength(todo, kind, chosen, "")
    if not chosen:
        st.caption(say("compare.no-head", "No head is chosen: press at least one."))
    plan = together(draft, NAME)
    try:
        plan.check(shapes_of(trace))
    except InterventionError as error:
        st.warning(literal.markdown(say_error(error)))
        return None
    return plan


def _mask(trace: Trace, kind: str, heads: Heads) -> HeadIntervention:
    masks = {mask: NAMES[mask]() for mask in MASKS[kind]}
    mask = widgets.pick(say("compare.mask", "New mask"), masks, f"{kind}mask") if len(masks) > 1 else FORBID
    if mask == NO_MASK:
        return NoMask(kind, heads)
    if mask == WINDOW:
        label = say("compare.window", "Keys less than this many places away")
        return Window(kind, heads, int(widgets.number(label, "window", 2, 1, 128)))
    keys = _places(trace.axes(kind)[1])
    first = tuple(keys)[1:2]  # not the first, without which the decoder's first query is blind
    forbidden = widgets.several(say("compare.forbid", "Keys that no query may attend to"), keys, f"{kind}forbid", first)
    return Forbid(kind, heads, tuple(int(place) - 1 for place in forbidden))


def _one_hot(trace: Trace, kind: str, heads: Heads) -> HeadIntervention:
    queries, keys = (_places(side) for side in trace.axes(kind))
    queries = {EVERY: say("compare.query.every", "every query")} | queries
    with st.container(horizontal=True, gap="medium"):
        asking = widgets.select(say("compare.query", "Query"), queries, f"{kind}asks")
        onto = widgets.select(say("compare.key", "attends only to key"), keys, f"{kind}sees")
    return OneHot(kind, heads, int(onto) - 1, None if asking == EVERY else int(asking) - 1)


def _places(labels: Sequence[str]) -> dict[str, str]:
    """Places of tokens, from 1, with the tokens that stand there."""
    return {str(place): label for place, label in enumerate(maps.numbered(labels), 1)}


def sides_of(request: Request, trace: Trace, plan: HeadInterventions) -> Sides:
    """Before and after, computed once for each plan."""
    found = request.service.intervened(trace, plan)
    before = request.service.steps(request.text, DecodingOptions())[-1]
    generated, ended = (before.text, found.translation), (request.service.ended(before.ids), found.finished)
    names = say("compare.before", "before"), say("compare.after", "after")
    titles = say("compare.before.title", "Before"), say("compare.after.title", "After")
    return Sides(trace, found.after, names, titles, generated, ended, plan, found.check)
