"""Every head of encoder self-attention, masked decoder self-attention and cross-attention."""

from __future__ import annotations

import streamlit as st

from pages.shared.attention_viewer.explore import explore_text
from pages.shared.opening import opening
from views.html import tokens
from views.text import prose


def main() -> None:
    """Read the inputs, trace, show."""
    request = opening("attention")
    if not request.accepted:
        return
    trace = request.trace()
    st.html(tokens.label("Translation") + tokens.sentence(trace.target_text, "fr"))
    explore_text(request, trace)
    st.subheader("How to read it", anchor=False)
    left, right = st.columns(2, gap="large")
    left.markdown(prose.block("attention", "Rows, columns, kinds"))
    right.markdown(prose.block("attention", "What to look for"))


main()
