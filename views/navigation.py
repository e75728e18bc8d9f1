"""The menu, the sidebar and the run of the open page."""

import functools
import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from PIL import Image
from streamlit.delta_generator import DeltaGenerator

from . import lessons, palette, streamlit_internals, streamlit_words
from .controls import sentence_input
from .shipped_files import is_intact
from .text import catalogue, literal, model_card, prose
from .text.catalogue import Message, Untranslated, say
from .text.glossary import plain_text
from .url_state import bound_settings
from .version import VERSION

NAME = "Attention Atlas"
FAVICON = Path(__file__).parent.parent / "assets" / "favicon.png"


@dataclass(frozen=True)
class MenuPage:
    """A page in the menu: its id names its folder, text file and path."""

    id: str

    def title(self) -> str:
        """The heading of the page, in the user's language; that of the home page is the program's name."""
        return prose.title(self.id)

    def label(self) -> str:
        """The page's name in the menu and in links."""
        return say("menu.home", "Translate") if self is PAGES[0] else self.title()

    def lead(self) -> str:
        """What can be done on the page, without Markdown."""
        return plain_text(prose.lead(self.id))


@dataclass(frozen=True)
class MenuSection:
    """A group of pages in the menu, or a single page, without a name."""

    pages: tuple[MenuPage, ...]
    name: Message | None = None

    def label(self) -> str:
        """Its name in the menu."""
        return self.name() if self.name else self.pages[0].label()


_EXPLORE = ("translate", "attention", "heads", "compare", "attribution", "circuits")
_LEARN = ("lessons", "history", "tokens", "positions", "masks", "inside", "decoding", "loss", "glossary")
SECTIONS = (
    MenuSection(tuple(map(MenuPage, _EXPLORE)), Message("menu.explore", "Explore")),
    MenuSection(tuple(map(MenuPage, _LEARN)), Message("menu.learn", "Learn")),
    MenuSection((MenuPage("vision"),)),
    MenuSection((MenuPage("models"),)),
)
PAGES = tuple(page for section in SECTIONS for page in section.pages)  # the first is the home page
MOVED_PAGES = {"relevance": "attribution"}  # former path of a page -> its path now

# Marks the open section of the menu, names the language of the page for web/src/page/language.ts and the button of maps
# for web/src/core/whole_screen.ts.
_OPEN = """<style data-language="{language}" data-whole-screen="{whole_screen}">
.st-key-sections > :nth-child({open}) a {{background: #8883}}
.st-key-sections > :nth-child({open}) a * {{font-weight: 600}}
html {{--languages: {languages}}}
</style>"""

PageWrapper = Callable[[str], AbstractContextManager[None]]  # page id -> the context of its run

# The sidebar's place for the device, the function that names it, and the name that is shown.
_device_line: ContextVar[tuple[DeltaGenerator, Callable[[], str], str | None] | None] = ContextVar(
    "device_line", default=None
)


@dataclass(frozen=True)
class SidebarTable:
    """A small table of the sidebar: headings of its two columns of values; a name and two values a row."""

    heading: str
    columns: tuple[str, str]
    rows: Sequence[tuple[str, str, str]]


def run(around: PageWrapper) -> None:
    """Configure the page, draw the menu and run the open page within `around`."""
    streamlit_internals.keep_uploads_in_memory()
    _device_line.set(None)
    # A file of our own: the default icon, or a Material symbol, would be fetched from another host.
    icon = str(FAVICON) if is_intact(FAVICON) else Image.new("RGB", (32, 32), palette.HUES["encoder"])
    with catalogue.using_language(bound_settings.pending_language()):
        pages = [
            st.Page(f"pages/{page.id}/page.py", title=page.label(), url_path=page.id, default=page is PAGES[0])
            for page in PAGES
        ]
        requested = st.navigation(pages, position="hidden")
        open_page = next(page for page in PAGES if page.id == (requested.url_path or PAGES[0].id))
        name = f"{NAME} {VERSION}"
        about = say("menu.about", "{name}: open a trained Transformer and look inside.", name=name)
        st.set_page_config(
            tab_title(open_page),
            icon,
            "wide",
            "collapsed",
            {"Get help": None, "Report a bug": None, "About": about},
        )
    if (target := bound_settings.history_target(requested.url_path)) is not None:
        st.switch_page(
            next(page for page in pages if page.url_path == target), query_params=bound_settings.view_query()
        )
    # Nothing is drawn before: see `server.run_order`.
    with bound_settings.page_run(requested.url_path, sentence_input.DEFAULT):
        _render_menu(open_page, dict(zip(PAGES, pages, strict=True)))
        with around(open_page.id):
            requested.run()
    _update_device()
    _freeze_loaded_objects(requested.url_path)


def _render_menu(open_page: MenuPage, pages: Mapping[MenuPage, st.Page]) -> None:
    """Draw the sections, and the pages of the open one."""
    open_section = section_of(open_page)
    data = lessons.script_data(open_page.id) if open_page.id in lessons.PAGES else ""
    whole_screen = literal.html(say("menu.whole-screen", "Whole screen (F)"))
    place = SECTIONS.index(open_section) + 1
    languages = {code: name for code, name in catalogue.offered_languages().items() if code != catalogue.language()}
    opened = _OPEN.format(
        open=place, language=catalogue.language(), whole_screen=whole_screen, languages=len(languages)
    )
    st.html(opened + streamlit_words.style() + data)
    with st.container(key="menu"):
        with st.container(horizontal=True, key="sections"):
            for section in SECTIONS:
                st.page_link(pages[section.pages[0]], label=section.label())
        if open_section.name:
            with st.container(horizontal=True, key="pages"):
                for page in open_section.pages:
                    st.page_link(pages[page], label=page.label(), help=literal.markdown(page.lead()))
        _render_language_switch(languages)


def _render_language_switch(languages: Mapping[str, str]) -> None:
    """Draw a button for each of the other languages, with its name in that language; see web/src/page/language.ts."""
    if languages:
        with st.container(horizontal=True, key="languages"):
            for code, name in languages.items():
                label, choose = Untranslated(name)(), bound_settings.set_language
                st.button(label, f"language-{code}", type="tertiary", on_click=choose, args=(code,))


def section_of(page: MenuPage) -> MenuSection:
    """The section that contains the page."""
    return next(section for section in SECTIONS if page in section.pages)


def tab_title(page: MenuPage) -> str:
    """The title of the browser's tab; that of the home page is the program's name."""
    return NAME if page is PAGES[0] else say("tab", "{page} \u00b7 {name}", page=page.title(), name=NAME)


@functools.cache
def _freeze_loaded_objects(page: str) -> None:
    """Exclude the objects that a page's first run loaded from garbage collection: they are never released."""
    gc.collect()
    gc.freeze()


def page_ids() -> frozenset[str]:
    """The paths of the pages; the home page is at the root and has none."""
    return frozenset(page.id for page in PAGES[1:])


def page_titles() -> dict[str, str]:
    """Id -> title of each page but the home page, in the user's language."""
    return {page.id: page.title() for page in PAGES[1:]}


def sidebar(device: Callable[[], str], tables: Sequence[SidebarTable], licence: str, card: str) -> None:
    """Draw where the model runs, its sizes and scores, and its card.

    Args:
        device: names the device. Called again after the page has run: a GPU may have run out of memory since.
        licence: of the data it was trained on; empty if unknown.
        card: Markdown that this project generated.
    """
    with st.sidebar:
        st.markdown(f"#### {say('sidebar.device', 'Runs on')}")
        _device_line.set((st.empty(), device, None))
        _update_device()
        if not FAVICON.is_file():
            st.warning(prose.MISSING(file="favicon.png", folder="assets"))
        for table in tables:
            if table.rows:
                st.markdown(f"#### {table.heading}")
                st.html(_table(table))
        if licence:
            st.caption(say("sidebar.data", "Training data: {licence}.", licence=literal.markdown(licence)))
        if st.button(say("sidebar.card", "Model card")):
            st.dialog(say("sidebar.card", "Model card"), width="large")(_render_card)(card)


def _update_device() -> None:
    """Write the device's name into the sidebar, if it has a place there and the name has changed."""
    if (line := _device_line.get()) is not None:
        slot, device, shown = line
        if (name := device()) != shown:
            slot.text(Untranslated(name)())
            _device_line.set((slot, device, name))


def _render_card(card: str) -> None:
    st.markdown(model_card.translated_card(card))


def _table(table: SidebarTable) -> str:
    head = "".join(
        f'<th scope="col"><span>{literal.html(name)}</span></th>' if name else "<td></td>" for name in table.columns
    )
    rows = "".join(
        f'<tr><th scope="row">{literal.html(name)}</th>'
        f"<td>{literal.html(first)}</td><td>{literal.html(second)}</td></tr>"
        for name, first, second in table.rows
    )
    return f'<table class="aa-sizes"><tr><td></td>{head}</tr>{rows}</table>'
