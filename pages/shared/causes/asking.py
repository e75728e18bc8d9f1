"""Long measurements: the page states what they take and asks first; they can be cancelled."""

import math
from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.causal import patching_estimate
from model.causal.patching_estimate import PatchingEstimate
from pages.shared.texts import block
from views.text.catalogue import say
from views.text.numbers import grouped
from views.url_state import bound_settings

CANCELLED = "no"  # what the address states after a cancellation


def may_begin(
    name: str, amount: float, free: float, *, known: bool, question: str, label: str
) -> DeltaGenerator | None:
    """Return an element that has a button to cancel; None, after rendering the question, if the user has to agree.

    Args:
        name: of the text in the address with the amount that the user has agreed to; different for every measurement.
        amount: what it takes, such as seconds or runs.
        free: an amount up to which nothing is asked.
        known: whether the result is there already.
        question: states what it takes, as Markdown.
        label: of the button that agrees.
    """
    needed = math.ceil(amount)
    agreed = bound_settings.stored_number(name) >= needed
    if not known and (bound_settings.stored_text(name) == CANCELLED or not (agreed or amount <= free)):
        st.info(question)
        st.button(label, key=f"agree_{name}", on_click=store(name, str(needed)))
        return None
    slot = st.empty()
    if not known:
        slot.button(say("circuits.cancel", "Cancel"), key=f"cancel_{name}", on_click=store(name, CANCELLED))
    return slot


def may_run(
    name: str,
    estimate: PatchingEstimate,
    *,
    known: bool,
    label: str,
    text: str = "ask",
    page: str = "models_causes",
) -> DeltaGenerator | None:
    """Return what `may_begin` does; the number of a model's runs decides whether the user has to agree.

    Args:
        text: block of the page that states runs and seconds.
    """
    question = block(page, text, runs=grouped(estimate.runs), seconds=max(1, round(estimate.seconds)))
    return may_begin(name, estimate.runs, patching_estimate.ASKED_FROM, known=known, question=question, label=label)


def store(name: str, text: str) -> Callable[[], None]:
    """A callback that stores a text in the address."""
    return lambda: bound_settings.store_text(name, text)
