"""Pages that are made of parts, of which one at a time is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.shared.opening import Request, opening
from pages.shared.runs import fragment
from views.controls import widgets
from views.text.catalogue import Message, say


@dataclass(frozen=True)
class Part:
    """One part of a page.

    Attributes:
        id: in the address bar.
        called: what the reader chooses it by.
        show: draws it.
    """

    id: str
    called: Message
    show: Callable[[Request], None]


Parts = Sequence[Part] | Mapping[str, Callable[[Request], None]]


def show_parts(page: str, parts: Parts, key: str, style: str) -> None:
    """Show the page's beginning and the chosen part.

    Args:
        page: names its text, see `opening`.
        parts: the first is open until a reader chooses another.
        key: of the choice in the address bar.
        style: HTML with the style that the parts share.
    """
    request = opening(page)
    st.html(style)
    if request.accepted:
        _explore(request, parts, key)


@fragment
def _explore(request: Request, parts: Parts, key: str) -> None:
    """Choosing another part runs only this function again."""
    if isinstance(parts, Mapping):
        called, shows = {name: name for name in parts}, parts
    else:
        called, shows = {part.id: part.called() for part in parts}, {part.id: part.show for part in parts}
    shows[widgets.pick(say("parts.label", "What to show"), called, key)](request)
