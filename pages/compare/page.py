"""The page *Compare*: two sentences, or one before and after an intervention, and the difference of their maps."""

import streamlit as st

from model import DecodingOptions, HeadInterventions, Trace
from model.attribution.intervention_result import attention_shapes
from pages.shared import checks, code, comparison_result, differences
from pages.shared.code import render_program
from pages.shared.comparison import TraceComparison, compare_with_another, compare_with_intervention
from pages.shared.fragments import fragment
from pages.shared.head_changes import choose_interventions, describe_change
from pages.shared.page_header import Request, render_header
from pages.shared.texts import block, fold_check, how_to_read
from pages.shared.token_changes import token_changes
from views.controls import sentence_input, widgets
from views.text import literal
from views.text.catalogue import say
from views.url_state import bound_settings

CHANGED, OTHER = "changed", "other"
NAME = "heads"  # begins the names of this page's settings in the address
OPENING = "cross"  # the kind whose last layer is ablated until the user changes something
OTHER_KEYS = {"b", "other", "reads"}  # settings that are of no intervention


def choose_plan(request: Request, trace: Trace) -> HeadInterventions | None:
    """Render the controls, in a fold below what they do until the user changes something.

    Returns:
        The interventions; None, after rendering the reason, if they cannot be applied.
    """
    kinds = {kind.name: kind for kind in request.service.model.kinds}
    opens = OPENING in kinds and not bound_settings.own_names() - OTHER_KEYS
    causal = next((name for name, kind in kinds.items() if kind.causal), "")  # the one with most possible interventions
    names = sentence_input.kind_names(request.service.kinds)
    summary = st.container()
    with st.expander(say("compare.change-it", "Change the intervention"), expanded=not opens):
        kind = kinds[widgets.pick(say("compare.of", "Heads of"), names, "of", OPENING if opens else causal)]
        if opens:
            bound_settings.state_choice("of", kind.name)
        attention = trace.attention(kind.name)
        last = [attention.shape[0] - 1] if opens else None  # without it the decoder has lost the words of the sentence
        own = token_changes(trace, kind)
        plan = choose_interventions(kind.name, attention, attention_shapes(trace), (NAME, ""), own, opened=last)
    for change in plan.changes if plan is not None else ():
        summary.markdown(say("compare.changed", "Changed: {change}", change=literal.markdown(describe_change(change))))
    return plan


def program_values(request: Request, comparison: TraceComparison) -> code.Values:
    """Return the values of the program that computes the same."""
    own = code.sentence(request)
    if comparison.check is not None:
        return own | {"plan": comparison.plan.to_text()}
    greedy = request.service.steps(comparison.texts[1], DecodingOptions())[-1].ids == comparison.second.next_ids
    second = {"second": comparison.texts[1], "second_ids": None if greedy else comparison.second.next_ids}
    return {"first": own["sentence"], "first_ids": own["target_ids"]} | second


@fragment
def explore(request: Request) -> None:
    """Render controls and comparison. Every choice reruns only this fragment."""
    trace = request.trace()
    modes = {
        CHANGED: say("compare.b.changed", "Same sentence, changed"),
        OTHER: say("compare.b.other", "Another sentence"),
    }
    mode = widgets.pick(say("compare.b", "Side A is the sentence as it is; side B is"), modes, "b")
    difference_at = st.container(key="difference")
    if mode == OTHER:
        comparison = compare_with_another(request, trace)
    else:
        plan = choose_plan(request, trace)
        comparison = None if plan is None else compare_with_intervention(request.service, request.text, trace, plan)
    if comparison is None:
        return
    with difference_at:
        comparison_result.render_difference(comparison)
    translations_at, losses_at = st.columns(2, gap="large")
    with translations_at:
        comparison_result.render_translations(request.service, comparison)
    with losses_at:
        comparison_result.render_losses(comparison)
        if comparison.pulls is not None:
            comparison_result.render_pulls(comparison.pulls)
        if comparison.check is not None:
            checks.render_intervention_check(comparison.check)
        else:
            difference = max(trace.verify().max_difference for trace in (comparison.first, comparison.second))
            fold_check("compare", "two-check", difference=checks.format_difference("attention", difference))
    render_program("compare", mode, **program_values(request, comparison))
    st.header(say("compare.one-head", "One head on both sides"), anchor=False)
    comparison_result.render_one_head(comparison)
    left, right = st.columns(2, gap="large")
    with left:
        st.header(say("compare.every-token", "Every token of the target"), anchor=False)
        comparison_result.render_token_losses(comparison)
    with right:
        st.header(say("shared.every-head", "Every head"), anchor=False)
        differences.render_moved_heads(
            comparison.moved, {kind: len(comparison.shared(kind)[1]) for kind in comparison.kinds}
        )


request = render_header("compare")
if request.accepted:
    explore(request)
    how_to_read(block("compare", "interventions"), block("compare", "differences"))
