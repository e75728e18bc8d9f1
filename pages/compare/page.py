"""Two sentences side by side, or one sentence before and after an intervention, with the difference of their maps."""

from __future__ import annotations

import streamlit as st

from pages.compare import changed
from pages.shared import answer, checks
from pages.shared.opening import Request, opening
from pages.shared.runs import fragment
from pages.shared.sides import Sides, of_another
from pages.shared.texts import block, caption, how_to_read
from views.controls import widgets
from views.html import bars
from views.text.catalogue import say

CHANGED, OTHER = "changed", "other"


def main() -> None:
    """Read the inputs, compare."""
    request = opening("compare")
    st.html(bars.STYLE)
    if not request.accepted:
        return
    explore(request)
    how_to_read(block("compare", "interventions"), block("compare", "differences"))


@fragment
def explore(request: Request) -> None:
    """Every choice runs only this part again."""
    trace = request.trace()
    modes = {
        CHANGED: say("compare.b.changed", "Same sentence, changed"),
        OTHER: say("compare.b.other", "Another sentence"),
    }
    mode = widgets.pick(say("compare.b", "Side A is the sentence as it is; side B is"), modes, "b")
    controls_at, answer_at = st.columns(2, gap="large")
    with controls_at:
        if mode == OTHER:
            sides = of_another(request, trace)
        else:
            plan = changed.controls_of(request, trace)
            sides = None if plan is None else changed.sides_of(request, trace, plan)
    if sides is None:
        return
    with answer_at:
        answer.translations(sides)
        check_line(sides)
    st.subheader(say("compare.one-head", "One head on both sides"), anchor=False)
    answer.one_head(sides)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader(say("compare.every-token", "Every token of the target"), anchor=False)
        answer.token_losses(sides)
    with right:
        st.subheader(say("shared.every-head", "Every head"), anchor=False)
        answer.every_head(sides)


def check_line(sides: Sides) -> None:
    """The check of what was done, or of both passes."""
    if sides.check is not None:
        checks.intervention(sides.check)
        return
    difference = max(trace.verify().max_difference for trace in (sides.first, sides.second))
    caption("compare", "two-check", difference=checks.said("attention", difference))


main()
