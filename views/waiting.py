"""What a visitor sees who has to wait for others."""

from __future__ import annotations

from contextlib import AbstractContextManager

import streamlit as st

from views import inputs

# The secondary background and the border of .streamlit/config.toml.
_COLOURS = {"light": ("#F5F6F8", "#D9DCE1"), "dark": ("#1B2027", "#343A44")}


def before_you(count: int) -> AbstractContextManager[None]:
    """Say how many visitors come first, while the context lasts.

    The words stand at the lower edge of the window, so that nothing moves when they come and go, and they are seen
    wherever a reader has scrolled to.
    """
    background, border = _COLOURS[inputs.theme()]
    st.html(
        "<style>.stSpinner {position: fixed; bottom: 1rem; left: 50%; transform: translateX(-50%); z-index: 1000; "
        "width: max-content !important; max-width: calc(100vw - 2rem); padding: .6rem 1rem; border-radius: 6px; "
        f"background: {background}; border: 1px solid {border}}}</style>"
    )
    people = "1 visitor is" if count == 1 else f"{count} visitors are"
    return st.spinner(f"{people} before you; your answer follows by itself.")
