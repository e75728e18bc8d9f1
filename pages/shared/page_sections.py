"""Pages that are made of parts, of which one at a time is open."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.shared import code_values
from pages.shared.code import render_program
from pages.shared.fragments import fragment
from pages.shared.page_header import BOTH, Read, Request, render_header
from pages.shared.texts import block, how_to_read, paragraph
from views.controls import widgets
from views.html import bars, decoding_steps
from views.text import prose
from views.text.catalogue import Message, say
from views.url_state import bound_settings
from views.url_state.codecs import OneOf


@dataclass(frozen=True)
class PageSection:
    """One part of a page.

    Attributes:
        id: in the address bar.
        label: of the choice.
        render: draws it.
        texts: ids of the page's blocks that say below it how to read it.
        reads: what of the page's beginning it depends on, or what says so from the settings to come; the rest is not
            shown while it is open.
    """

    id: str
    label: Message
    render: Callable[..., None]
    texts: tuple[str, ...] = ()
    reads: frozenset[Read] | Callable[[], frozenset[Read]] = BOTH

    def read(self) -> frozenset[Read]:
        """What of the page's beginning it depends on now."""
        return self.reads() if callable(self.reads) else self.reads


def render_sections(page: str, parts: Sequence[PageSection], key: str) -> None:
    """Show the page's beginning and the chosen part.

    Args:
        page: names its text, see `opening`.
        parts: the first is open until a reader chooses another.
        key: of the choice in the address bar.
    """
    by_id = {part.id: part for part in parts}
    request = render_header(page, by_id[bound_settings.pending_value(key, OneOf(tuple(by_id)), parts[0].id)].read())
    st.html(bars.STYLE + decoding_steps.STYLE)
    if request.accepted:
        _render_chosen(page, parts, key, request)


@fragment
def _render_chosen(page: str, parts: Sequence[PageSection], key: str, request: Request) -> None:
    """Choosing another part runs only this function again."""
    part = choose_section(parts, key)
    _render_section(page, part, request)
    render_notes(page, part)


@fragment
def _render_section(page: str, part: PageSection, request: Request) -> None:
    """Choosing inside the part runs only this again; not less, for the program below it has the chosen values.

    The whole page runs again where the part reads something else of its beginning from now on.
    """
    if part.read() != request.reads:
        st.rerun()
    inspect.unwrap(part.render)(request)
    values = code_values.values_of_section(page, part.id, request)
    if values is not None:
        render_program(page, part.id, **values)


def choose_section(parts: Sequence[PageSection], key: str) -> PageSection:
    """Let the reader choose a part."""
    by_id = {part.id: part for part in parts}
    return by_id[pick_section({id: part.label for id, part in by_id.items()}, key)]


def pick_section(options: widgets.Options, key: str, varies: bool = False) -> str:
    """The part of a page that is open, by its id; on every page the choice has this name and this look."""
    return widgets.pick(say("parts.label", "Part of this page"), options, key, hidden=True, varies=varies)


def render_notes(page: str, part: PageSection, **values: object) -> None:
    """What says below a part how to read it, and where tutorials slip; the texts may hold `values`."""
    if part.texts:
        how_to_read(*(block(page, text, **values) for text in part.texts))
    slips = f"{page}-{part.id}"
    if prose.has("slips", slips):
        with st.expander(prose.title("slips")):
            paragraph("slips", slips)
