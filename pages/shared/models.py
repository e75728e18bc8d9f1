"""The models of this process: each is loaded once, and opened with the sidebar that describes it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from model import CheckpointError, InputError, RecurrentTranslator, Translator, VisionClassifier
from pages.shared.description import describe, describe_vision
from pages.shared.service import Service
from server.process_wide import process_wide
from server.recent import Recent, computing
from views.address import settings
from views.text import literal
from views.text.catalogue import say_error

RECENT_OF_PICTURES = 128  # curves, relevance, changed probabilities: some kilobytes each


@process_wide
def load_service() -> Service:
    """The one translator of this process.

    Raises:
        CheckpointError: its files are missing or damaged.
    """
    return Service(Translator.load(), computing())


@process_wide
def load_vision() -> Service:
    """The one picture classifier of this process; the errors are those of `load_service`.

    What is computed for the project's samples is shared by all visitors; for a person's own picture see `private`.
    """
    return Service(VisionClassifier.load(), computing(), analyses=Recent(RECENT_OF_PICTURES))


@process_wide
def load_recurrent(name: str) -> Service:
    """One of the networks before the Transformer, a key of `VARIANTS`; the errors are those of `load_service`."""
    return Service(RecurrentTranslator.load(name), computing())


@process_wide
def reading() -> threading.Lock:
    """The lock that lets one picture be read at a time."""
    return threading.Lock()


def private(service: Service) -> Service:
    """The same model with results that belong to this visit and end with it."""
    kept = st.session_state.setdefault("own_results", (Recent(1), Recent(RECENT_OF_PICTURES)))
    return replace(service, traces=kept[0], analyses=kept[1])


def open_service() -> Service:
    """The translator, with the sidebar that describes it; on a broken installation one sentence, and the page ends."""
    service = _opened(load_service)
    describe(service.model)
    return service


def open_vision() -> Service:
    """The classifier, likewise."""
    service = _opened(load_vision)
    describe_vision(service.model)
    return service


def open_recurrent(name: str) -> Service:
    """One of the networks before the Transformer, loaded when it is first asked for; the sidebar stays as it is."""
    return _opened(lambda: load_recurrent(name))


def _opened(load: Callable[[], Service]) -> Service:
    try:
        with st.skeleton(height=240):
            return load()
    except CheckpointError as error:
        st.error(literal.with_code(say_error(error)))
        settings.stop()


def accepted(service: Service, text: str) -> bool:
    """True if the model takes `text`; otherwise the reason is on the page."""
    try:
        service.tokens(text)
    except InputError as error:
        st.warning(literal.markdown(say_error(error)))
        return False
    return True
