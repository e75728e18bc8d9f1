"""Side B is the same sentence with an intervention: its widgets, and the passes before and after."""

from __future__ import annotations

import streamlit as st

from model import DecodingOptions, HeadInterventions, InterventionError, Trace
from model.attribution.intervened import shapes_of
from model.tracing.head_interventions import Forbid, HeadIntervention, Heads, NoMask, OneHot, Window
from pages.compare.sides import Sides
from pages.shared.head_changes import MASK, ONE_HOT, Board, action, strength, together
from pages.shared.opening import Request
from views import maps
from views.controls import widgets
from views.text import literal

KINDS = {"Encoder": "encoder", "Decoder": "decoder", "Cross": "cross"}
NO_MASK, WINDOW, FORBID = "No causal mask", "Window", "Forbid pieces"
MASKS = {"encoder": (WINDOW, FORBID), "decoder": (NO_MASK, WINDOW, FORBID), "cross": (FORBID,)}
EVERY = "every query"
NAME = "heads"  # begins the names of this page's settings in the address


def controls_of(trace: Trace) -> HeadInterventions | None:
    """What the reader wants done; None where it cannot be done, and the reason is on the page."""
    kind = KINDS[widgets.pick("Heads of", tuple(KINDS), "of", "Decoder")]
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
        st.caption("No head is chosen: press at least one.")
    plan = together(draft, NAME)
    try:
        plan.check(shapes_of(trace))
    except InterventionError as error:
        st.warning(literal.markdown(str(error)))
        return None
    return plan


def _mask(trace: Trace, kind: str, heads: Heads) -> HeadIntervention:
    mask = widgets.pick("New mask", MASKS[kind], f"{kind}mask") if len(MASKS[kind]) > 1 else FORBID
    if mask == NO_MASK:
        return NoMask(kind, heads)
    if mask == WINDOW:
        return Window(kind, heads, int(widgets.number("Keys less than this many places away", "window", 2, 1, 128)))
    tokens = maps.numbered(trace.axes(kind)[1])
    first = tokens[1:2]  # not the first, without which the decoder's first query is blind
    forbidden = widgets.several("Pieces nobody may look at", tokens, f"{kind}forbid", first)
    return Forbid(kind, heads, tuple(tokens.index(token) for token in forbidden))


def _one_hot(trace: Trace, kind: str, heads: Heads) -> HeadIntervention:
    queries, keys = (maps.numbered(side) for side in trace.axes(kind))
    with st.container(horizontal=True, gap="medium"):
        asking = widgets.select("Query", (EVERY, *queries), f"{kind}asks")
        onto = widgets.select("looks only at key", keys, f"{kind}sees")
    return OneHot(kind, heads, keys.index(onto), None if asking == EVERY else queries.index(asking))


def sides_of(request: Request, trace: Trace, plan: HeadInterventions) -> Sides:
    """Before and after, computed once for each plan."""
    found = request.service.intervened(trace, plan)
    before = request.service.steps(request.text, DecodingOptions())[-1]
    generated, ended = (before.text, found.translation), (request.service.ended(before.ids), found.finished)
    return Sides(trace, found.after, ("before", "after"), generated, ended, plan, found.check)
