"""Show a drawing of this project's own code as inline SVG, so that it has the page's colours and font."""

from pathlib import Path

import streamlit as st

_MOUNT = st.components.v2.component(
    "drawing_view",
    html='<div class="drawing-root"></div>\n<!-- filled by inline_svg.js -->',
    css=(
        ".drawing-root { overflow-x: auto; }\n"
        ".drawing-root svg { display: block; width: var(--drawn); height: auto; font-family: var(--st-font); }\n"
        "@media (min-width: 1000px) { .drawing-root svg { width: clamp(.78 * var(--drawn), 100%, var(--drawn)); } }\n"
        ".drawing-root a { cursor: pointer; }\n"
        ".drawing-root a:hover .mark { stroke-width: 2.5px; }\n"
        ".drawing-root a:focus { outline: none; }\n"
        ".drawing-root a:focus-visible .mark { stroke: var(--st-text-color); stroke-width: 3px; }\n"
    ),
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)


def inline_svg(svg: str, key: str) -> None:
    """Show `svg`, which must come from this project's own code, with every text in it escaped.

    A drawing with a width of its own scrolls sideways where the page is narrower; on a large screen it shrinks a little
    before it does. Links in it stay in the same tab.
    """
    _MOUNT(key=key, data={"svg": svg})
