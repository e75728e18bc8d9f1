"""Heads replaced by zero, by their mean over a corpus, or by outputs from other sentences; and pairs of heads."""

import streamlit as st

from model import Trace
from model.causal.head_replacement import SAMPLES, HeadAblation, Replacement
from model.runtime.progress import InSteps
from pages.shared import checks
from pages.shared.fragments import fragment
from pages.shared.head_ranking.replacement import NAMES, choose_replacement, render_replaced_heads
from pages.shared.service import Service
from pages.shared.texts import block, fold_check, paragraph
from views.controls import sentence_input
from views.text.catalogue import say


def replace_heads(service: Service, trace: Trace, replacement: Replacement) -> HeadAblation:
    """Replace every head, and pairs of those that matter most; cached."""

    def compute(model) -> InSteps[HeadAblation]:
        texts = [text for text in sentence_input.EXAMPLES if tuple(model.read_ids(text)) != trace.source_ids]
        others = [model.trace(text) for text in texts] if replacement == "resample" else ()
        return (yield from model.replace_heads_in_steps(trace, replacement, others=others))

    return service.analysis_in_steps(("heads replaced", trace.source_ids, trace.next_ids, replacement), compute)


@fragment
def render_replaced(service: Service, trace: Trace) -> None:
    """Render the choice of a replacement, and once there is one the heads that matter most, and their pairs."""
    st.header(say("heads.replaced", "Other replacements, and pairs"), anchor=False)
    paragraph("heads", "replaced")
    offered = dict(NAMES)
    if service.model.head_means is None:
        offered.pop("mean")
    chosen = choose_replacement(offered)
    if chosen is None:
        return
    result = replace_heads(service, trace, chosen)
    inputs = service.model.head_means.inputs if chosen == "mean" else 0
    note = block("heads", f"replaced-{chosen}", inputs=inputs, samples=SAMPLES, loss=result.reference)
    change = say("heads.replaced.change", "change of the loss")
    render_replaced_heads(result, sentence_input.kind_names(service.kinds), change, note)
    fold_check("heads", "replaced-check", nothing=checks.format_difference("head by its own output", result.nothing))
