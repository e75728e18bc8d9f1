"""Vision, what if: ablate heads, sharpen them or hide patches, and see the answer and the CLS map move."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import HeadInterventions, InterventionError, VisionTrace
from model.tracing.head_interventions import Forbid, HeadIntervention, Heads, OneHot
from pages.shared import files, intervention_check, moved_heads
from pages.shared.head_changes import MASK, ONE_HOT, Board, action, strength, together
from pages.shared.runs import fragment
from pages.shared.service import Service
from pages.vision import cls_difference
from pages.vision.changed import Changed, compute
from pages.vision.hidden_patches import hidden_patches
from views.controls import inputs, widgets
from views.export import downloads
from views.html import bars, tokens
from views.text import literal, prose
from views.text.catalogue import say, say_error

PAGE = "what_if"
NAME = "vheads"  # begins the names of this view's settings in the address
ASKING = {"all": None, "cls": 0}  # the queries; CLS is at position 0


@fragment
def what_if(service: Service, key: str, trace: VisionTrace) -> None:
    """The view. Every choice runs only this part again."""
    st.html(bars.STYLE)
    st.markdown(prose.lead(PAGE))
    left, right = st.columns(2, gap="large")
    with left:
        plan = _plan(trace)
    if plan is None:
        return
    found = service.analysis(("what if", key, plan.to_text()), compute, trace, plan)
    with right:
        _answer(trace, found)
    st.subheader(say("vision.cls.map", "What CLS attends to"), anchor=False)
    pair = cls_difference.show(trace, found)
    over, heads = st.columns(2, gap="large")
    with over:
        st.subheader(say("vision.difference", "The difference over the picture"), anchor=False)
        cls_difference.over_picture(trace, pair)
    with heads:
        st.subheader(say("shared.every-head", "Every head"), anchor=False)
        moved_heads.show({"vision": found.moved}, {"vision": trace.attention.shape[3]})


def _plan(trace: VisionTrace) -> HeadInterventions | None:
    """What the reader wants done; None where it cannot be done, and the reason is on the page."""
    todo = action("vdo")
    layers, heads = trace.attention.shape[:2]
    behind = tuple((layers // 2, head) for head in range(heads))
    chosen = Board(NAME, layers, heads, behind).choose()
    if todo == MASK:
        places = np.flatnonzero(hidden_patches(trace)) + 1  # position 0 is CLS
        draft: HeadIntervention = Forbid("vision", chosen, tuple(map(int, places)))
    elif todo == ONE_HOT:
        draft = _one_hot(trace, chosen)
    else:
        draft = strength(todo, "vision", chosen, "v")
    if not chosen:
        st.caption(say("shared.no-head", "No head is chosen: press at least one."))
    plan = together(draft, NAME)
    try:
        plan.check({"vision": trace.attention.shape})
    except InterventionError as error:
        st.warning(literal.markdown(say_error(error)))
        return None
    return plan


def _one_hot(trace: VisionTrace, heads: Heads) -> HeadIntervention:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        queries = {"all": say("vision.query.all", "Every position"), "cls": say("vision.query.cls", "CLS")}
        asking = widgets.pick(say("vision.query", "Query"), queries, "vasks")
        row, column = inputs.patch(trace.grid)
    return OneHot("vision", heads, 1 + row * trace.grid[1] + column, ASKING[asking])


def _answer(trace: VisionTrace, found: Changed) -> None:
    """Class probabilities before and after, and the check."""
    before, after = (side.astype(float) for side in (trace.probabilities, found.probabilities))
    header = [
        say("column.class", "class"),
        say("column.before", "before"),
        say("column.after", "after"),
        say("column.change", "change"),
    ]
    values = list(zip(trace.classes, before.tolist(), after.tolist(), (after - before).tolist(), strict=True))
    shown = [
        [
            bars.data(name, "name"),
            bars.bar(old, 1, "vision"),
            bars.bar(new, 1, "vision"),
            bars.bar(change, 1, "difference"),
        ]
        for name, old, new, change in values
    ]
    label = tokens.label(say("answer.caption", "Probability of each class"))
    st.html(tokens.STYLE + label + bars.table(header, shown, say("vision.probabilities", "Probabilities")))
    intervention_check.show(found.check)
    files.download(
        say("vision.probabilities.csv", "Probabilities as CSV"),
        lambda: downloads.table_csv(header, values),
        "what-if.csv",
    )
