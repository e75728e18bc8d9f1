"""Pages that are made of parts, of which one at a time is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from pages.shared.opening import Request, opening
from pages.shared.runs import fragment
from views.controls import widgets

InSteps = Mapping[str, Callable[[Request], None]]


def show_parts(page: str, parts: InSteps, key: str, style: str) -> None:
    """Show the page's beginning and the chosen part.

    Args:
        page: names its text, see `opening`.
        parts: what each is called, and what shows it.
        key: of the choice in the address bar.
        style: HTML with the style that the parts share.
    """
    request = opening(page)
    st.html(style)
    if request.accepted:
        _explore(request, parts, key)


@fragment
def _explore(request: Request, parts: InSteps, key: str) -> None:
    """Choosing another part runs only this function again."""
    parts[widgets.pick("What to look at", tuple(parts), key)](request)
