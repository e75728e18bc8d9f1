"""A drawing that this project made itself, shown as inline SVG so that it takes the page's colours and font."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_MOUNT = st.components.v2.component(
    "drawing_view",
    html='<div class="drawing-root"></div>\n<!-- filled by drawing_view.js -->',
    css=".drawing-root svg { display: block; width: 100%; height: auto;\n  font-family: var(--st-font); }",
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)


def drawing_view(svg: str, key: str) -> None:
    """Show `svg`, which must come from this project's own code and hold no text that a person typed."""
    _MOUNT(key=key, data={"svg": svg})
