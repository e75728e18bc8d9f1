"""The memory of this visit's open page; see `server.screen_memory`."""

import streamlit as st

from server.screen_memory import ScreenMemory
from views import streamlit_internals

_SCREEN = "screen_memory"
_SENTENCE = "shown_sentence"


def current_screen() -> ScreenMemory:
    """Return what the open page of this visit refers to."""
    if _SCREEN not in st.session_state:
        st.session_state[_SCREEN] = ScreenMemory(streamlit_internals.session_id())
    return st.session_state[_SCREEN]


def shown_sentence() -> str:
    """Return the sentence that the open page is about; empty where its box is not on the page."""
    return st.session_state.get(_SENTENCE, "")


def store_sentence(text: str) -> None:
    """Store what `shown_sentence` returns until the page runs again."""
    st.session_state[_SENTENCE] = text


def charge_screen() -> None:
    """Count what this visit retains, at the end of a run."""
    from views.controls.picture_input import OWN_PICTURES  # imports NumPy: too slow while the server starts

    current_screen().charge([st.session_state.get(name) for name in OWN_PICTURES])
