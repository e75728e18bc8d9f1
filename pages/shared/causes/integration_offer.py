"""Integrated gradients are computed once a user has asked for them, and for as long as they take."""

import streamlit as st

from views.url_state import bound_settings

AGREED = "integrate"  # text in the address: the seconds that the user has agreed to
LONG = 12  # seconds; longer ones are asked for anew


def is_wanted(seconds: float) -> bool:
    """Whether the user has asked for what takes so long."""
    agreed = bound_settings.stored_number(AGREED)
    return agreed > 0 and seconds <= max(LONG, agreed)


def render_button(label: str, seconds: int) -> None:
    """Render the button that asks for what takes so long."""
    st.button(label, key="integrate_gradients", on_click=lambda: bound_settings.store_text(AGREED, str(seconds)))
