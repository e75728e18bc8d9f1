"""Heads of an opened model replaced by zero, by their mean over other inputs, or by outputs from these; and pairs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from model import HubTrace, OpenError
from model.causal.causal_error import CausalError
from model.causal.head_replacement import PAIRS_AMONG, SAMPLES, HeadAblation, Replacement
from model.causal.patching_estimate import PatchingEstimate, time_runs
from model.hub.opened_model import OpenedModel, TraceInput
from model.runtime.progress import InSteps
from pages.models.attention_labels import labelled_kinds
from pages.shared import checks
from pages.shared.causes.asking import may_run
from pages.shared.causes.precision import runs_in_half
from pages.shared.head_ranking.replacement import NAMES, choose_replacement, render_replaced_heads
from pages.shared.service import Service
from pages.shared.texts import block, fold_check, paragraph
from views.controls import samples, sentence_input, widgets
from views.controls.picture_input import chosen_sample
from views.text import literal
from views.text.catalogue import Message, say, say_error

PAGE = "models_heads"
MOST_TEXTS = 32
REPLACEMENTS: dict[Replacement, Message] = NAMES | {
    "mean": Message("models.replaced.mean", "Mean of other inputs"),
    "resample": Message("models.replaced.resample", "Other inputs"),
}
CHANGES = {
    "nats": Message("heads.replaced.change", "change of the loss"),
    "probability": Message("vision.change.probability", "change of the probability"),
    "logits": Message("vision.change.logit", "change of the logit"),
}


@dataclass(frozen=True)
class OtherInputs:
    """Inputs whose heads' outputs are used."""

    names: tuple[str, ...] = ()  # texts, or names of sample pictures
    of_pictures: bool = False
    language: str | None = None  # that the model writes, where it has several

    def trace(self, model: OpenedModel) -> list[HubTrace]:
        """Trace all.

        Raises:
            OpenError: one cannot be used.
        """
        if self.of_pictures:
            return [model.trace(samples.picture(name).image) for name in self.names]
        return [model.trace(text, target_language=self.language) for text in self.names]


def render_replaced(
    service: Service[OpenedModel], trace: HubTrace, trace_input: TraceInput, options: Mapping[str, Any], key: tuple
) -> None:
    """Render the choice of a replacement, and once there is one its result, or a sentence that states why not.

    Args:
        trace_input, options: the input and keyword arguments of the trace.
        key: identifies the trace.
    """
    st.header(say("heads.replaced", "Other replacements, and pairs"), anchor=False)
    paragraph(PAGE, "replaced")
    chosen = choose_replacement(REPLACEMENTS)
    if chosen is None:
        return
    others = OtherInputs()
    if chosen != "zero":
        others = choose_others(service.model, trace_input, options)
        if not 0 < len(others.names) <= MOST_TEXTS:
            st.info(say("models.replaced.count", "Type 1 to {most} other texts, one a line.", most=MOST_TEXTS))
            return
    try:
        result = replace_heads(service, trace, chosen, others, key)
    except (CausalError, OpenError) as error:
        st.info(literal.markdown(say_error(error)))
        return
    if result is None:
        return
    inputs = block(PAGE, "pictures" if others.of_pictures else "texts", count=len(others.names))
    note = block(PAGE, f"replaced-{chosen}", inputs=inputs, samples=SAMPLES, reference=result.reference)
    names = sentence_input.kind_names(labelled_kinds(trace))
    render_replaced_heads(result, names, CHANGES[result.metric.unit](), note)
    nothing = checks.format_stream_difference("head by its own output", result.nothing, runs_in_half(service))
    fold_check(PAGE, "replaced-check", nothing=nothing)


def choose_others(model: OpenedModel, trace_input: TraceInput, options: Mapping[str, Any]) -> OtherInputs:
    """Render the box for other texts; pictures are compared with the other samples."""
    if model.vision:
        own = chosen_sample()
        return OtherInputs(tuple(name for name in samples.usable()[0] if name != own), True)
    proposed = [text for text in sentence_input.EXAMPLES if text != trace_input]
    typed = widgets.paragraphs(
        say("models.replaced.others", "Other texts, one a line"), "othertexts", "\n".join(proposed), height=150
    )
    texts = dict.fromkeys(line.strip() for line in typed.splitlines() if line.strip())
    return OtherInputs(tuple(texts), language=options.get("target_language"))


def replace_heads(
    service: Service[OpenedModel], trace: HubTrace, replacement: Replacement, others: OtherInputs, key: tuple
) -> HeadAblation | None:
    """Replace every head, and pairs of those that matter most; None, after asking, if the user has to agree.

    Raises:
        CausalError: this model's heads cannot be replaced.
        OpenError: another input cannot be used.
    """
    wanted = ("heads replaced", *key, replacement, others)
    known = service.analyses.get(wanted) is not None
    heads = sum(layers * count for layers, count, *_ in service.model.shapes_of(trace).values())
    pairs = math.comb(min(PAIRS_AMONG, heads), 2)
    runs = (2 * heads + pairs) * (SAMPLES if replacement == "resample" else 1)
    estimate = PatchingEstimate(runs, 0.0)
    if not known and estimate.asks_first:
        estimate = service.analysis(("estimate replaced", *key, runs), _estimate, trace, runs)
    slot = may_run(
        "replace", estimate, known=known, label=say("models.replaced.measure", "Replace the heads"), page=PAGE
    )
    if slot is None:
        return None

    def compute(model: OpenedModel) -> InSteps[HeadAblation]:
        return (yield from model.replace_heads_in_steps(trace, replacement, others=others.trace(model)))

    result = service.analysis_in_steps(wanted, compute)
    slot.empty()
    return result


def _estimate(model: OpenedModel, trace: HubTrace, runs: int) -> PatchingEstimate:
    return time_runs(model.resumable, model.read_trace(trace).experiment(), runs)
