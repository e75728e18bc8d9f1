"""The memory of this visit's open page; see `server.screen_memory`."""

import streamlit as st

from server.screen_memory import ScreenMemory
from views import streamlit_internals

_SCREEN = "screen_memory"


def current_screen() -> ScreenMemory:
    """Return what the open page of this visit refers to."""
    if _SCREEN not in st.session_state:
        st.session_state[_SCREEN] = ScreenMemory(streamlit_internals.session_id())
    return st.session_state[_SCREEN]


def charge_screen() -> None:
    """Count what this visit retains, at the end of a run."""
    from views.controls.picture_input import OWN_PICTURE  # imports NumPy: too slow while the server starts

    current_screen().charge(st.session_state.get(OWN_PICTURE))
