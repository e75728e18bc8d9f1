"""Navigation and sidebar: what surrounds every page."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from PIL import Image

from views import inputs, literal, palette, uploads
from views.address import settings

NAME = "Attention Atlas"
FAVICON = Path(__file__).parent.parent / "assets" / "favicon.png"

# One line per page: file, title, what a person finds there. The first is the home page.
PAGES = (
    ("pages/translate.py", "Translate", "Type an English sentence and watch a Transformer translate it into French."),
    ("pages/attention.py", "Attention", "Open every head of the encoder, the decoder and the cross-attention."),
    (
        "pages/heads.py",
        "Heads",
        "Switch each head off once: which ones matter for your sentence, and what for.",
    ),
    ("pages/compare.py", "Compare", "Change a head or the sentence and see what moves: translation, loss, every map."),
    ("pages/relevance.py", "What it rests on", "Which source words a target word needs: four readings against a test."),
    ("pages/tokens.py", "Tokens", "Follow a sentence into pieces, ids and vectors; compare words and orders."),
    ("pages/positions.py", "Positions", "Take sinusoidal positions apart, then take them away from the model."),
    ("pages/masks.py", "Masks", "Hide keys from queries: padding, causality, and a mask that you paint yourself."),
    ("pages/inside.py", "Inside a layer", "Follow one head from X to W_O, then the feed-forward layer and Add & Norm."),
    ("pages/decoding.py", "Decoding", "Go through a translation step by step: logits, choice, teacher forcing, beam."),
    ("pages/loss.py", "Loss", "Score a French target piece by piece; smoothing, gradient and training curves."),
    ("pages/vision.py", "Vision", "Give a picture to a Vision Transformer and see how it looks at it."),
)

# Streamlit lets a short row of choices run out of a narrow screen, where nothing says that it scrolls.
_WRAPPED = "<style>[data-testid=stButtonGroup] [role=radiogroup] {flex-wrap: wrap; overflow-x: visible}</style>"

Around = Callable[[str], AbstractContextManager[None]] | None  # given a page's title, surrounds its run

_inside_frame: ContextVar[bool] = ContextVar("inside_frame", default=False)
_running_on: ContextVar[tuple | None] = ContextVar("running_on", default=None)  # slot, what says the device, said


@dataclass(frozen=True)
class Table:
    """A small table of the sidebar: what its two columns of values are, and a name and two values a row."""

    heading: str
    columns: tuple[str, str]
    rows: Sequence[tuple[str, str, str]]


def run(around: Around = None) -> None:
    """Set the page up, offer the pages and run the chosen one."""
    uploads.keep_in_memory()
    _running_on.set(None)
    # An own icon file: the default one, or a Material symbol, would be fetched from another host.
    icon = str(FAVICON) if FAVICON.is_file() else Image.new("RGB", (32, 32), palette.HUES["encoder"])
    st.set_page_config(page_title=NAME, page_icon=icon, layout="wide", menu_items=_menu())
    pages = [
        st.Page(path, title=title, help=help_text, default=place == 0)
        for place, (path, title, help_text) in enumerate(PAGES)
    ]
    page = st.navigation(pages, position="top")
    if (elsewhere := settings.elsewhere(page.url_path)) is not None:
        st.switch_page(next(page for page in pages if page.url_path == elsewhere), query_params=settings.address())
    token = _inside_frame.set(True)
    try:
        with settings.page(page.url_path, inputs.DEFAULT):  # nothing is drawn before: see `server.runs`
            st.html(_WRAPPED)
            with around(page.title) if around else nullcontext():
                page.run()
    finally:
        _inside_frame.reset(token)
    _say_where_it_ran()
    _keep_what_is_loaded(page.title)


@functools.cache
def _keep_what_is_loaded(title: str) -> None:
    """After the first run of a page: what it imported and loaded stays, so the garbage collector may pass it over.

    Looking through the hundreds of thousands of objects of PyTorch and Plotly would take longer than most runs do.
    """
    gc.collect()
    gc.freeze()


def available() -> frozenset[str]:
    """Names of the pages as their addresses have them; the home page is the bare address and has none."""
    return frozenset(Path(path).stem for path, *_ in PAGES[1:])


def framed(around: Around = None) -> None:
    """First line of every page: make sure that the frame is around it.

    Streamlit runs the files of a folder called `pages` on their own until `st.navigation` has been called once in the
    process, so a deep link that is the first visit after a start would show a page without its frame.
    """
    if not _inside_frame.get():
        run(around)
        st.stop()


def sidebar(device: Callable[[], str], tables: Sequence[Table], licence: str, card: str) -> None:
    """Where the model runs, its sizes and scores, and its card.

    Args:
        device: says where it runs, and says it again after the page has run: a GPU may have run out of memory.
        licence: of the data it was trained on; empty if unknown.
        card: Markdown that this project generated.
    """
    with st.sidebar:
        st.markdown("#### Runs on")
        _running_on.set((st.empty(), device, None))
        _say_where_it_ran()
        if not FAVICON.is_file():
            st.warning("`favicon.png` is missing from `assets`: restore it with `git checkout -- assets`.")
        for table in tables:
            if table.rows:
                st.markdown(f"#### {table.heading}")
                st.html(_table(table))
        if licence:
            st.caption(literal.markdown(f"Training data: {licence}."))
        if st.button("Model card"):
            _show_card(card)


def _say_where_it_ran() -> None:
    """Write the device into its place in the sidebar, if this page has one."""
    if (place := _running_on.get()) is not None:
        slot, device, said = place
        if (name := device()) != said:
            slot.text(name)
            _running_on.set((slot, device, name))


@st.dialog("Model card", width="large")
def _show_card(card: str) -> None:
    st.markdown(card.removeprefix("# Model card: "))


def _table(table: Table) -> str:
    cell = 'style="text-align:right;padding:2px 0 2px 12px;font-variant-numeric:tabular-nums;white-space:nowrap"'
    quiet = 'style="opacity:.7"'
    head = "".join(f'<th scope="col" {cell}><span {quiet}>{literal.html(name)}</span></th>' for name in table.columns)
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left;font-weight:400;padding:2px 0">{literal.html(name)}</th>'
        f"<td {cell}>{literal.html(first)}</td><td {cell}>{literal.html(second)}</td></tr>"
        for name, first, second in table.rows
    )
    return (
        f'<table style="width:100%;border-collapse:collapse;font-size:.875rem">'
        f'<tr style="font-size:.8em"><td></td>{head}</tr>{rows}</table>'
    )


def _menu() -> dict[str, str | None]:
    return {"Get help": None, "Report a bug": None, "About": f"{NAME}: open a trained Transformer and look inside."}
