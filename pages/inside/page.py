"""Inside a layer: attention step by step, heads, the feed-forward layer, and Add & Norm."""

from __future__ import annotations

import streamlit as st

from pages.inside import add_norm, feed_forward, heads, memory, query, scaling, steps
from pages.shared.opening import opening
from views.controls import widgets
from views.html import bars
from views.text import prose

PARTS = {
    "Seven steps": steps.show,
    "One query": query.show,
    "Heads": heads.show,
    "Memory": memory.show,
    "Scaling": scaling.show,
    "Feed-forward": feed_forward.show,
    "Add & Norm": add_norm.show,
}


def main() -> None:
    """Read the inputs, show the chosen part."""
    request = opening("inside")
    st.html(bars.STYLE)
    chosen = widgets.pick("Part of this page", tuple(PARTS), "inside", hidden=True)
    if not request.accepted:
        return
    PARTS[chosen](request)
    st.subheader("How to read it", anchor=False)
    st.markdown(prose.block("inside", chosen))


main()
