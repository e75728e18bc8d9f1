"""Integrated gradients on the page: offered with the time that they take, and how nearly complete they are."""

import math

import numpy as np

from model import Trace
from pages.attribution.attribution_scores import AttributionScores, estimate_integration_seconds
from pages.shared.causes import integration_offer
from pages.shared.texts import caption
from views.text import literal
from views.text.catalogue import say_count
from views.text.numbers import percent


def is_wanted(trace: Trace) -> bool:
    """Whether integrated gradients are shown: the user has asked for them, and for as long as they take."""
    return integration_offer.is_wanted(estimate_integration_seconds(trace))


def render_offer(trace: Trace) -> None:
    """Render a button that computes them, with the seconds that it takes."""
    seconds = math.ceil(estimate_integration_seconds(trace))
    label = say_count(
        "attribution.integrate",
        "Integrate the gradients, too (about {count} second)",
        "Integrate the gradients, too (about {count} seconds)",
        seconds,
    )
    integration_offer.render_button(label, seconds)


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
