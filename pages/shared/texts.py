"""The teaching text of a page where it is read: paragraphs, captions, notices, and how to read what is shown."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from views.text import prose
from views.text.catalogue import say
from views.text.numbers import three_digits


def block(page: str, id: str, **values: object) -> str:
    """`prose.block`, with three digits of each number that is no whole one."""
    written = {
        name: three_digits(float(value)) if isinstance(value, float | np.floating) else value
        for name, value in values.items()
    }
    return prose.block(page, id, **written)


def paragraph(page: str, id: str = "", **values: object) -> None:
    """A block as a paragraph; the page's lead where no `id` is given."""
    st.markdown(block(page, id, **values))


def column_with_text(page: str, id: str, **values: object) -> DeltaGenerator:
    """A wide column to be filled, beside a narrow one with a block."""
    wide, narrow = st.columns([3, 2], gap="large")
    narrow.markdown(block(page, id, **values))
    return wide


def caption(page: str, id: str, **values: object) -> None:
    """A block in small print, such as the line of a check."""
    st.caption(block(page, id, **values))


def how_to_read(*texts: str) -> None:
    """Blocks below a view that say how to read it, side by side."""
    with st.container(key="how-to-read"):
        st.header(say("shared.how-to-read", "How to read it"), anchor=False)
        columns = st.columns(len(texts), gap="large") if len(texts) > 1 else [st]
        for column, text in zip(columns, texts, strict=True):
            column.markdown(text)


def render_check(text: str, page: str, id: str = "what-this-checks") -> None:
    """The line of a check, and what it checks below a fold."""
    st.caption(text)
    with st.expander(say("shared.what-this-checks", "What this checks")):
        paragraph(page, id)


def warn_if_cut_off(finished: bool, which: str = "", at: DeltaGenerator | None = None, **values: object) -> None:
    """One sentence if the model had not ended a translation when it reached the limit of its length.

    Args:
        finished: whether the translation ends with `</s>`.
        which: of several translations, as the ids of the notices name them.
        at: where it stands; by default here.
    """
    if not finished:
        (at or st).info(block("notices", "-".join(filter(None, ("cut-off", which))), **values))
