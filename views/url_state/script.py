"""The scripts that stand in every page before Streamlit's own, as one, and where it is found."""

import hashlib
import re
from pathlib import Path

from .. import streamlit_internals
from .session_state import MOVED, SHARED

CHARTED = ("history", "tokens", "positions", "inside", "loss", "vision")  # pages of which a part has a chart
_FILES = (
    "history.js",
    "download_guard.js",
    "presentation_mode.js",
    "live_region.js",
    "nav_scroll.js",
    "chart_preload.js",
    "glossary_tooltip.js",
    "lessons.js",
)
SOURCE = "\n".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in _FILES)
PATH = f"/history-{hashlib.sha256(SOURCE.encode()).hexdigest()[:12]}.js"  # another text has another address
_ANY_PATH = re.compile(r"/history-\w+\.js")  # during an update another server may have made the page
_ATTRIBUTES = {
    "shared": " ".join(SHARED),
    "moved": MOVED,
    "charts": streamlit_internals.chart_script(),
    "charted": " ".join(CHARTED),
}
_DATA = " ".join(f'data-{name}="{told}"' for name, told in _ATTRIBUTES.items())
TAG = f'<script src=".{PATH}" {_DATA}></script>'


def requested_script(asked: str) -> tuple[str, str] | None:
    """The scripts, if an address asks for them, and their own address; None for any other."""
    return (SOURCE, PATH) if _ANY_PATH.fullmatch(asked) else None
