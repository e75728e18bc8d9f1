"""Inside a layer: attention step by step, heads, the feed-forward layer, and Add & Norm."""

from __future__ import annotations

import streamlit as st

from pages.inside import add_norm, feed_forward, heads, memory, query, scaling, steps
from pages.shared.opening import opening
from views.controls import widgets
from views.html import bars
from views.text import prose
from views.text.catalogue import Message, say

PARTS = {
    "seven-steps": (Message("inside.part.steps", "Seven steps"), steps.show),
    "one-query": (Message("inside.part.query", "One query"), query.show),
    "heads": (Message("inside.part.heads", "Heads"), heads.show),
    "memory": (Message("inside.part.memory", "Memory"), memory.show),
    "scaling": (Message("inside.part.scaling", "Scaling"), scaling.show),
    "feed-forward": (Message("inside.part.feed-forward", "Feed-forward"), feed_forward.show),
    "add-norm": (Message("inside.part.add-norm", "Add & Norm"), add_norm.show),
}


def main() -> None:
    """Read the inputs, show the chosen part."""
    request = opening("inside")
    st.html(bars.STYLE)
    parts = {id: called() for id, (called, _) in PARTS.items()}
    chosen = widgets.pick(say("inside.part", "Part of this page"), parts, "inside", hidden=True)
    if not request.accepted:
        return
    PARTS[chosen][1](request)
    st.subheader(say("shared.how-to-read", "How to read it"), anchor=False)
    st.markdown(prose.block("inside", chosen))


main()
