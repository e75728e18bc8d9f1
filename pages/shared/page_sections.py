"""Pages that consist of sections, one of which is open at a time."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.shared import code
from pages.shared.code import render_program
from pages.shared.fragments import fragment
from pages.shared.page_header import BOTH, Read, Request, render_inputs, render_title
from pages.shared.texts import block, how_to_read, paragraph
from views.controls import widgets
from views.text import prose
from views.text.catalogue import Message, say


@dataclass(frozen=True)
class PageSection:
    """One section of a page."""

    id: str  # in the address bar
    label: Message  # of the choice
    render: Callable[..., None]  # renders it for a `Request`
    texts: tuple[str, ...] = ()  # ids of the page's blocks that explain it, below it
    # inputs of the page that it depends on, or a function that returns them from the pending settings; the other inputs
    # are hidden while it is open
    reads: frozenset[Read] | Callable[[], frozenset[Read]] = BOTH

    def inputs(self) -> frozenset[Read]:
        """Return the inputs of the page that it depends on now."""
        return self.reads() if callable(self.reads) else self.reads


def render_sections(page: str, sections: Sequence[PageSection], key: str) -> None:
    """Render the title, the choice of a section, the inputs that the chosen section reads, and the section.

    The choice is above the inputs, so that it keeps its place whatever the section reads.

    Args:
        page: names its text, see `render_title`.
        sections: the first is open until the user chooses another.
        key: of the choice in the address bar.
    """
    render_title(page)
    section = choose_section(sections, key)
    request = render_inputs(page, section.inputs())
    if request.accepted:
        _render_section(page, section, request)
        render_notes(page, section)


@fragment
def _render_section(page: str, section: PageSection, request: Request) -> None:
    """A control inside the section reruns this fragment, which includes the program with the chosen values.

    Reruns the whole page when the section depends on other inputs of the page header than before.
    """
    if section.inputs() != request.reads:
        st.rerun()
    inspect.unwrap(section.render)(request)
    values = code.values_of_section(page, section.id, request)
    if values is not None:
        render_program(page, section.id, **values)


def choose_section(sections: Sequence[PageSection], key: str) -> PageSection:
    """Let the user choose a section."""
    by_id = {section.id: section for section in sections}
    return by_id[pick_section({id: section.label for id, section in by_id.items()}, key)]


def pick_section(options: widgets.Options, key: str, varies: bool = False) -> str:
    """Render the choice among a page's sections, which looks the same on every page; return the chosen id."""
    return widgets.pick(say("parts.label", "Part of this page"), options, key, hidden=True, varies=varies)


def render_notes(page: str, section: PageSection, **values: object) -> None:
    """Render below a section how to read it, and common mistakes of tutorials; the texts may contain `values`."""
    if section.texts:
        how_to_read(*(block(page, text, **values) for text in section.texts))
    slips = f"{page}-{section.id}"
    if prose.has("slips", slips):
        with st.expander(prose.title("slips")):
            paragraph("slips", slips)
