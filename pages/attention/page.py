"""Every head of encoder self-attention, masked decoder self-attention and cross-attention."""

from __future__ import annotations

import streamlit as st

from pages.shared.attention_viewer.explore import explore_text
from pages.shared.opening import opening
from views.html import tokens
from views.text import prose
from views.text.catalogue import say


def main() -> None:
    """Read the inputs, trace, show."""
    request = opening("attention")
    if not request.accepted:
        return
    trace = request.trace()
    st.html(tokens.label(say("translation", "Translation")) + tokens.sentence(trace.target_text, "fr"))
    explore_text(request, trace)
    st.subheader(say("shared.how-to-read", "How to read it"), anchor=False)
    left, right = st.columns(2, gap="large")
    left.markdown(prose.block("attention", "rows-columns-kinds"))
    right.markdown(prose.block("attention", "what-to-look-for"))


main()
