"""Navigation and sidebar: what surrounds every page."""

import functools
import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from PIL import Image

from . import lessons, palette, streamlit_internals
from .controls import sentence_input
from .text import catalogue, literal, prose
from .text.catalogue import Message, Untranslated, say
from .url_state import bound_settings
from .version import VERSION

NAME = "Attention Atlas"
FAVICON = Path(__file__).parent.parent / "assets" / "favicon.png"


class MenuPage(Message):
    """A page in the menu; its id is the name of its folder, text and address, and it says what is done there."""

    def title(self) -> str:
        """What stands above the page, in the reader's language; above the home page, what the program is called."""
        return prose.title(self.id)

    def called(self) -> str:
        """What the menu and links call the page."""
        return say("menu.home", "Translate") if self is PAGES[0] else self.title()


@dataclass(frozen=True)
class MenuSection:
    """Pages that stand together in the menu. Without a name it is one page, which stands there by itself."""

    pages: tuple[MenuPage, ...]
    name: Message | None = None

    def called(self) -> str:
        """What the menu calls it."""
        return self.name() if self.name else self.pages[0].called()


SECTIONS = (
    MenuSection(
        (
            MenuPage(
                "translate",
                "See what every head of a trained Transformer attends to while it translates your sentence.",
            ),
            MenuPage("attention", "Open every head of the encoder, the decoder and the cross-attention."),
            MenuPage("heads", "Ablate each head in turn: which ones matter for your sentence, and what for."),
            MenuPage("compare", "Change a head or the sentence: compare the translation, the loss and every map."),
            MenuPage("attribution", "Which source words a target word needs: four methods compared with a test."),
        ),
        Message("menu.explore", "Explore"),
    ),
    MenuSection(
        (
            MenuPage("history", "Recurrent networks, LSTM gates and the first attention, on the same sentence."),
            MenuPage("tokens", "Follow a sentence into tokens, ids and vectors; compare words and word orders."),
            MenuPage("positions", "Take sinusoidal positions apart, then take them away from the model."),
            MenuPage("masks", "Hide keys from queries: padding, causality, and a mask that you paint yourself."),
            MenuPage("inside", "Follow one head from X to W_O, then the feed-forward layer and Add & Norm."),
            MenuPage("decoding", "Go through a translation step by step: logits, choice, teacher forcing, beam."),
            MenuPage("loss", "Score a French target token by token; smoothing, gradient and training curves."),
            MenuPage("glossary", "What every term means, in a sentence or two, and which part shows it."),
        ),
        Message("menu.learn", "Learn"),
    ),
    MenuSection((MenuPage("vision", "Give a picture to a Vision Transformer and see what it attends to."),)),
    MenuSection((MenuPage("models", "Open a Hugging Face checkpoint and look at its attention with the same views."),)),
)
PAGES = tuple(place for section in SECTIONS for place in section.pages)  # the first is the home page
MOVED_PAGES = {"relevance": "attribution"}  # what a page's address was -> what it is

# Which section of the menu is open.
_OPEN = """<style>
.st-key-sections > :nth-child({open}) a {{background: #8883}}
.st-key-sections > :nth-child({open}) a * {{font-weight: 600}}
</style>"""
_STYLE = f"<style>{Path(__file__).with_suffix('.css').read_text(encoding='utf-8')}</style>"

PageWrapper = Callable[[str], AbstractContextManager[None]]  # given a page's name, surrounds its run

_running_on: ContextVar[tuple | None] = ContextVar("running_on", default=None)  # slot, what says the device, said


@dataclass(frozen=True)
class SidebarTable:
    """A small table of the sidebar: what its two columns of values are, and a name and two values a row."""

    heading: str
    columns: tuple[str, str]
    rows: Sequence[tuple[str, str, str]]


def run(around: PageWrapper) -> None:
    """Set the page up, offer the pages and run the chosen one."""
    streamlit_internals.keep_uploads_in_memory()
    _running_on.set(None)
    # An own icon file: the default one, or a Material symbol, would be fetched from another host.
    icon = str(FAVICON) if FAVICON.is_file() else Image.new("RGB", (32, 32), palette.HUES["encoder"])
    with catalogue.using_language(bound_settings.pending_language()):
        pages = [
            st.Page(
                f"pages/{place.id}/page.py",
                title=place.called(),
                url_path=place.id,
                default=place is PAGES[0],
            )
            for place in PAGES
        ]
        page = st.navigation(pages, position="hidden")
        open_page = next(place for place in PAGES if place.id == (page.url_path or PAGES[0].id))
        st.set_page_config(tab_title(open_page), icon, "wide", "collapsed", _about())
    if (elsewhere := bound_settings.history_target(page.url_path)) is not None:
        st.switch_page(
            next(page for page in pages if page.url_path == elsewhere), query_params=bound_settings.view_query()
        )
    with bound_settings.page_run(
        page.url_path, sentence_input.DEFAULT
    ):  # nothing is drawn before: see `server.run_order`
        st.html(_STYLE)
        _menu(open_page, dict(zip(PAGES, pages, strict=True)))
        sentence_input.language_picker()
        with around(open_page.id):
            page.run()
    _update_device()
    _freeze_loaded_objects(page.url_path)


def _menu(open_page: MenuPage, pages: Mapping[MenuPage, st.Page]) -> None:
    """The sections, and the pages of the open one."""
    way = lessons.script_data() if open_page in SECTIONS[1].pages or open_page.id in lessons.PAGES else ""
    st.html(_OPEN.format(open=SECTIONS.index(section_of(open_page)) + 1) + way)
    with st.container(key="menu"):
        with st.container(horizontal=True, key="sections"):
            for each in SECTIONS:
                st.page_link(pages[each.pages[0]], label=each.called())
        if section_of(open_page).name:
            with st.container(horizontal=True, key="pages"):
                for place in section_of(open_page).pages:
                    st.page_link(pages[place], label=place.called(), help=place())


def section_of(place: MenuPage) -> MenuSection:
    """The one that the page belongs to."""
    return next(section for section in SECTIONS if place in section.pages)


def tab_title(place: MenuPage) -> str:
    """What the browser's tab says of a page; the home page has the program's own name."""
    return NAME if place is PAGES[0] else say("tab", "{page} \u00b7 {name}", page=place.title(), name=NAME)


@functools.cache
def _freeze_loaded_objects(page: str) -> None:
    """After the first run of a page: what it imported and loaded stays, so the garbage collector may pass it over."""
    gc.collect()
    gc.freeze()


def page_ids() -> frozenset[str]:
    """Names of the pages as their addresses have them; the home page is the bare address and has none."""
    return frozenset(place.id for place in PAGES[1:])


def page_titles() -> dict[str, str]:
    """What the pages are called, by their names, in the reader's language; the home page is not among them."""
    return {place.id: place.title() for place in PAGES[1:]}


def sidebar(device: Callable[[], str], tables: Sequence[SidebarTable], licence: str, card: str) -> None:
    """Where the model runs, its sizes and scores, and its card.

    Args:
        device: says where it runs, and says it again after the page has run: a GPU may have run out of memory.
        licence: of the data it was trained on; empty if unknown.
        card: Markdown that this project generated.
    """
    with st.sidebar:
        st.markdown(f"#### {say('sidebar.device', 'Runs on')}")
        _running_on.set((st.empty(), device, None))
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
    """Write the device into its place in the sidebar, if this page has one."""
    if (place := _running_on.get()) is not None:
        slot, device, said = place
        if (name := device()) != said:
            slot.text(Untranslated(name)())
            _running_on.set((slot, device, name))


def _render_card(card: str) -> None:
    st.markdown(Untranslated(card.removeprefix("# Model card: "))())  # comes with the weights, in its own language


def _table(table: SidebarTable) -> str:
    cell = 'style="text-align:right;padding:2px 0 2px 12px;font-variant-numeric:tabular-nums;white-space:nowrap"'
    quiet = 'style="opacity:.75"'
    head = "".join(
        f'<th scope="col" {cell}><span {quiet}>{literal.html(name)}</span></th>' if name else "<td></td>"
        for name in table.columns
    )
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left;font-weight:400;padding:2px 0">{literal.html(name)}</th>'
        f"<td {cell}>{literal.html(first)}</td><td {cell}>{literal.html(second)}</td></tr>"
        for name, first, second in table.rows
    )
    return (
        f'<table style="width:100%;border-collapse:collapse;font-size:.875rem">'
        f'<tr style="font-size:.8em"><td></td>{head}</tr>{rows}</table>'
    )


def _about() -> dict[str, str | None]:
    name = f"{NAME} {VERSION}"
    about = say("menu.about", "{name}: open a trained Transformer and look inside.", name=name)
    return {"Get help": None, "Report a bug": None, "About": about}
