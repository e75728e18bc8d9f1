"""Every head of encoder self-attention, masked decoder self-attention and cross-attention."""

from __future__ import annotations

import streamlit as st

from pages.shared.attention_viewer.explore import explore_text
from pages.shared.opening import opening
from views.html import pieces
from views.text import prose


def main() -> None:
    """Read the inputs, trace, show."""
    asked = opening("attention")
    if not asked.accepted:
        return
    trace = asked.trace()
    st.html(pieces.label("Translation") + pieces.sentence(trace.target_text, "fr"))
    explore_text(asked, trace)
    st.subheader("How to read it", anchor=False)
    left, right = st.columns(2, gap="large")
    left.markdown(prose.block("attention", "Rows, columns, kinds"))
    right.markdown(prose.block("attention", "What to look for"))


main()
