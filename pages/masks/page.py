"""Masks: padding, causality and their combination, and a mask that the reader chooses or paints."""

from __future__ import annotations

import streamlit as st

from pages.masks import batch, causal, own
from pages.shared.opening import opening
from views.controls import widgets
from views.html import bars

PARTS = {"Your sentence": own.show, "Causality": causal.show, "Padding": batch.show}


def main() -> None:
    """Read the inputs, show the chosen part."""
    request = opening("masks")
    st.html(bars.STYLE)
    chosen = widgets.pick("Part of this page", tuple(PARTS), "masks", hidden=True)
    if request.accepted:
        PARTS[chosen](request)


main()
