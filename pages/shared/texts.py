"""Render a page's teaching text: paragraphs, captions, notices, and how to read the views."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from views.text import prose
from views.text.catalogue import say
from views.text.numbers import three_digits


def block(page: str, id: str, **values: object) -> str:
    """Return `prose.block`, with three digits of each number that is not an integer."""
    written = {
        name: three_digits(float(value)) if isinstance(value, float | np.floating) else value
        for name, value in values.items()
    }
    return prose.block(page, id, **written)


def paragraph(page: str, id: str = "", **values: object) -> None:
    """Render a block as a paragraph; without an `id` the page's lead."""
    st.markdown(block(page, id, **values))


def column_with_text(page: str, id: str, **values: object) -> DeltaGenerator:
    """Render a block in a narrow column; return the wide column to its left."""
    wide, narrow = st.columns([3, 2], gap="large")
    narrow.markdown(block(page, id, **values))
    return wide


def caption(page: str, id: str, **values: object) -> None:
    """Render a block in small print, such as the line of a check."""
    st.caption(block(page, id, **values))


def how_to_read(*texts: str) -> None:
    """Render the blocks that explain a view, side by side below it."""
    with st.container(key="how-to-read"):
        st.header(say("shared.how-to-read", "How to read it"), anchor=False)
        if len(texts) == 1:
            st.markdown(texts[0])
            return
        for column, text in zip(st.columns(len(texts), gap="large"), texts, strict=True):
            column.markdown(text)


def folded_how_to_read(*texts: str) -> None:
    """Render the blocks that explain one view of a page that has its own explanation below."""
    with st.expander(say("shared.how-to-read-view", "How to read this view")):
        for text in texts:
            st.markdown(text)


class Figure(str):
    """A formatted difference, or a text with differences, and whether all are within their bounds."""

    within: bool

    def __new__(cls, text: str, within: bool = True) -> "Figure":
        """Attach `within` to `text`."""
        figure = super().__new__(cls, text)
        figure.within = within
        return figure


def fold_check(page: str, id: str, **values: object) -> None:
    """Render the block of a check in a fold with a tick; openly if a `Figure` among the values is beyond its bound."""
    failed = id.endswith(("-wrong", "-different")) or not all(
        getattr(value, "within", True) for value in values.values()
    )
    render_check(Figure(block(page, id, **values), not failed))


def render_check(text: str, page: str = "", id: str = "what-this-checks") -> None:
    """Render the line of a check in a fold with a tick, with the block that explains it; openly if a check failed."""
    if not getattr(text, "within", True):
        st.warning(text)
        if page:
            paragraph(page, id)
        return
    with st.expander(say("shared.checked", "Checked"), icon=":material/check:", type="compact"):
        st.caption(text)
        if page:
            paragraph(page, id)


def warn_if_cut_off(finished: bool, which: str = "", at: DeltaGenerator | None = None, **values: object) -> None:
    """Render a notice if a translation reached the length limit before it ended.

    Args:
        finished: whether the translation ends with `</s>`.
        which: of several translations, as the ids of the notices name them.
        at: the container to render into; by default the current one.
    """
    if not finished:
        (at or st).info(block("notices", "-".join(filter(None, ("cut-off", which))), **values))
