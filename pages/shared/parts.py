"""Pages that are made of parts, of which one at a time is open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.shared.opening import opening
from pages.shared.runs import fragment
from pages.shared.texts import block, how_to_read
from views.controls import widgets
from views.text.catalogue import Message, say

LABEL = Message("parts.label", "What to show")


@dataclass(frozen=True)
class Part:
    """One part of a page.

    Attributes:
        id: in the address bar.
        called: what the reader chooses it by.
        show: draws it.
        texts: ids of the page's blocks that say below it how to read it.
    """

    id: str
    called: Message
    show: Callable[..., None]
    texts: tuple[str, ...] = ()


def show_parts(page: str, parts: Sequence[Part], key: str, style: str, hidden: bool = False) -> None:
    """Show the page's beginning and the chosen part.

    Args:
        page: names its text, see `opening`.
        parts: the first is open until a reader chooses another.
        key: of the choice in the address bar.
        style: HTML with the style that the parts share.
        hidden: show no label above the choice.
    """
    request = opening(page)
    st.html(style)
    if request.accepted:
        _explore(page, parts, key, hidden, request)


@fragment
def _explore(page: str, parts: Sequence[Part], key: str, hidden: bool, request: object) -> None:
    """Choosing another part runs only this function again."""
    label = say("parts.hidden", "Part of this page") if hidden else LABEL()
    open_part(page, parts, key, label, (request,), hidden)


def open_part(
    page: str,
    parts: Sequence[Part],
    key: str,
    label: str,
    given: tuple,
    hidden: bool = False,
    values: Callable[[], dict[str, object]] = dict,
) -> None:
    """Let the reader choose a part, and show it with what it is `given` and with its texts, which may hold `values`."""
    by_id = {part.id: part for part in parts}
    part = by_id[widgets.pick(label, {id: part.called for id, part in by_id.items()}, key, hidden=hidden)]
    part.show(*given)
    if part.texts:
        how_to_read(*(block(page, text, **values()) for text in part.texts))
