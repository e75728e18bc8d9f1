"""Two sentences side by side, or one sentence before and after an intervention, with the difference of their maps."""

import streamlit as st

from model import HeadInterventions, Trace
from model.attribution.intervention_result import shapes_of
from pages.shared import checks, comparison_result, differences
from pages.shared.comparison import compare_with_another, compare_with_intervention
from pages.shared.fragments import fragment
from pages.shared.head_changes import choose_interventions
from pages.shared.page_header import Request, render_header
from pages.shared.texts import block, caption, how_to_read
from pages.shared.token_changes import token_changes
from views.controls import sentence_input, widgets
from views.html import bars
from views.text.catalogue import say

CHANGED, OTHER = "changed", "other"
NAME = "heads"  # begins the names of this page's settings in the address


def choose_plan(request: Request, trace: Trace) -> HeadInterventions | None:
    """What the reader wants done; None where it cannot be done, and the reason is on the page."""
    kinds = {kind.name: kind for kind in request.service.model.kinds}
    causal = next((name for name, kind in kinds.items() if kind.causal), "")  # where there is most to change
    names = sentence_input.kind_names(request.service.kinds)
    kind = kinds[widgets.pick(say("compare.of", "Heads of"), names, "of", causal)]
    return choose_interventions(
        kind.name, trace.attention(kind.name), shapes_of(trace), (NAME, ""), token_changes(trace, kind)
    )


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
            sides = compare_with_another(request, trace)
        else:
            plan = choose_plan(request, trace)
            sides = None if plan is None else compare_with_intervention(request.service, request.text, trace, plan)
    if sides is None:
        return
    with answer_at:
        comparison_result.render_translations(sides)
        if sides.check is not None:
            checks.render_intervention_check(sides.check)
        else:
            difference = max(trace.verify().max_difference for trace in (sides.first, sides.second))
            caption("compare", "two-check", difference=checks.format_difference("attention", difference))
    st.header(say("compare.one-head", "One head on both sides"), anchor=False)
    comparison_result.render_one_head(sides)
    left, right = st.columns(2, gap="large")
    with left:
        st.header(say("compare.every-token", "Every token of the target"), anchor=False)
        comparison_result.render_token_losses(sides)
    with right:
        st.header(say("shared.every-head", "Every head"), anchor=False)
        differences.render_moved_heads(sides.moved, {kind: len(sides.shared(kind)[1]) for kind in sides.kinds})


request = render_header("compare")
st.html(bars.STYLE)
if request.accepted:
    explore(request)
    how_to_read(block("compare", "interventions"), block("compare", "differences"))
