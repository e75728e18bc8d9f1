"""Masks: padding, causality and their combination, and a mask that the reader chooses or paints."""

from __future__ import annotations

import streamlit as st

from pages.masks import batch, causal, own
from pages.shared.opening import opening
from views.controls import widgets
from views.html import bars
from views.text.catalogue import Message, say

PARTS = {
    "your-sentence": (Message("masks.part.your-sentence", "Your sentence"), own.show),
    "causality": (Message("masks.part.causality", "Causality"), causal.show),
    "padding": (Message("masks.part.padding", "Padding"), batch.show),
}


def main() -> None:
    """Read the inputs, show the chosen part."""
    request = opening("masks")
    st.html(bars.STYLE)
    names = {part: name() for part, (name, _) in PARTS.items()}
    chosen = widgets.pick(say("masks.part", "Part of this page"), names, "masks", hidden=True)
    if request.accepted:
        _, show = PARTS[chosen]
        show(request)


main()
