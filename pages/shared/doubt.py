"""Doubtful tokens of translations: underlined in every line, with what the underline means once below the lines."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from model import Step
from model.attribution.intervention_result import token_losses
from model.decoding.doubt import Doubt, DoubtThresholds, find_doubt
from model.decoding.tapped_decoding import GeneratedTokens
from model.runtime.checkpoint import AlteredFileError
from model.tracing.trace import SentenceTrace
from pages.shared.service import Service
from views.html import generated_tokens
from views.text.catalogue import say, say_error
from views.text.numbers import grouped, three_digits


def doubt_of_ids(service: Service, ids: Sequence[int], probabilities: Sequence[float]) -> Doubt:
    """Find the doubtful tokens of a translation with these probabilities of its tokens, `</s>` included."""
    return find_doubt(service.model.tokenizer, ids, probabilities, thresholds_of(service))


def doubt_of_steps(service: Service, text: str, steps: Sequence[Step]) -> Doubt:
    """Find the doubtful tokens of a translation of `text`, from the steps of its decoding."""
    ids = steps[-1].ids
    if tuple(step.id for step in steps) == tuple(ids):
        return doubt_of_ids(service, ids, [step.probability for step in steps])
    return doubt_of_trace(service, service.trace_of_ids(text, ids))  # in beam search another hypothesis took the lead


def doubt_of_generated(service: Service, generated: GeneratedTokens) -> Doubt:
    """Find the doubtful tokens of what a changed network generated; its mean says nothing about the model's own."""
    return replace(doubt_of_ids(service, generated.ids, generated.probabilities), is_low=False)


def doubt_of_trace(service: Service, trace: SentenceTrace) -> Doubt:
    """Find the doubtful tokens of the target of a trace."""
    return doubt_of_ids(service, trace.next_ids, np.exp(-token_losses(trace)).tolist())


def thresholds_of(service: Service) -> DoubtThresholds | None:
    """Return the probabilities that count as low; None if they were not measured, or their file cannot be used."""
    try:
        return getattr(service.model, "doubt_thresholds", None)  # other models than translators have none
    except AlteredFileError:
        return None


def explain_doubt(service: Service, doubts: Sequence[Doubt]) -> str:
    """Return what the underline means, and that the model is unsure of a translation; empty where nothing is marked.

    Args:
        doubts: of all translations on this part of the page.
    """
    try:
        thresholds = getattr(service.model, "doubt_thresholds", None)
    except AlteredFileError as error:
        return say_error(error)
    if thresholds is None:
        return ""
    sentences = []
    if any(doubt.spans for doubt in doubts):
        sentences.append(
            say(
                "doubt.meaning",
                "Wavy underline: tokens with a probability below {threshold}.",
                threshold=f"{thresholds.token:g}",
            )
        )
    low = [doubt for doubt in doubts if doubt.is_low]
    if low:
        measured = thresholds.figures["heldout"]["means"]
        values = {
            "mean": three_digits(min(doubt.mean for doubt in low)),
            "threshold": f"{thresholds.mean:g}",
            "below": f"{measured['below']['bleu']:.1f}",
            "above": f"{measured['above']['bleu']:.1f}",
            "low": grouped(measured["below"]["sentences"]),
            "high": grouped(measured["above"]["sentences"]),
        }
        sentences.append(
            say(
                "doubt.low",
                "The model is unsure: the geometric mean of its tokens\u2019 probabilities is {mean}. On the {low} "
                "held-out sentences with a mean below {threshold} BLEU is {below}, on the other {high} it is {above}.",
                **values,
            )
        )
    return " ".join(sentences)


def note_html(service: Service, doubts: Sequence[Doubt]) -> str:
    """Return `explain_doubt` as HTML, empty where there is nothing to explain."""
    text = explain_doubt(service, doubts)
    return generated_tokens.note(text) if text else ""


def render_note(service: Service, doubts: Sequence[Doubt]) -> None:
    """Render `explain_doubt`, once below several translations."""
    html = note_html(service, doubts)
    if html:
        st.html(html)
