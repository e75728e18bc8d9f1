"""Integrated gradients on the page: offered with the time that they take, and how nearly complete they are."""

import math

import numpy as np
import streamlit as st

from model import Trace
from pages.attribution.attribution_scores import AttributionScores, estimate_integration_seconds
from pages.shared.texts import caption
from views.text import literal
from views.text.catalogue import say_count
from views.text.numbers import percent
from views.url_state import bound_settings

AGREED = "integrate"  # text in the address: the seconds that the user has agreed to
LONG = 12  # seconds; longer ones are asked for anew


def is_wanted(trace: Trace) -> bool:
    """Whether integrated gradients are shown: the user has asked for them, and for as long as they take."""
    agreed = bound_settings.stored_number(AGREED)
    return agreed > 0 and estimate_integration_seconds(trace) <= max(LONG, agreed)


def render_offer(trace: Trace) -> None:
    """Render a button that computes them, with the seconds that it takes."""
    seconds = math.ceil(estimate_integration_seconds(trace))
    label = say_count(
        "attribution.integrate",
        "Integrate the gradients, too (about {count} second)",
        "Integrate the gradients, too (about {count} seconds)",
        seconds,
    )
    st.button(label, key="integrate_gradients", on_click=lambda: bound_settings.store_text(AGREED, str(seconds)))


def render_completeness(evidence: AttributionScores, place: int) -> None:
    """Render how far the scores of a word, and of the sentence, are from summing to the rise of ln p."""
    integrated = evidence.explained.integrated
    if integrated is None:
        return
    word = evidence.explained.target[place]
    own = slice(word.start, word.end)
    caption(
        "attribution",
        "completeness",
        word=literal.markdown(literal.token(word.text)),
        rise=float(integrated.rises[own].sum()),
        total=float(integrated.scores[own].sum()),
        points=integrated.points,
        missing=percent(integrated.missing),
        worst=percent(float((np.abs(integrated.gaps) / np.abs(integrated.rises)).max())),
    )
