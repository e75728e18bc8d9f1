"""The scripts that stand in every page before Streamlit's own, as one, and where it is found."""

import hashlib
import re
from pathlib import Path

from views import streamlit_inside
from views.address.visitor import MOVED, SHARED

_FILES = ("history.js", "presenting.js", "announcing.js", "menu.js", "charts.js")
SOURCE = "\n".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in _FILES)
PATH = f"/history-{hashlib.sha256(SOURCE.encode()).hexdigest()[:12]}.js"  # another text has another address
ANY_PATH = re.compile(r"/history-\w+\.js")  # during an update another server may have made the page
CHARTED = ("history", "inside", "vision")  # pages that open without a chart and have parts with charts
_CHARTS = streamlit_inside.charts_script()
_DATA = {
    "shared": " ".join(SHARED),
    "moved": MOVED,
    "charts": _CHARTS and f"./static/js/{_CHARTS}",
    "charted": " ".join(CHARTED),
}
_TOLD = " ".join(f'data-{name}="{value}"' for name, value in _DATA.items())
TAG = f'<script src=".{PATH}" {_TOLD}></script>'
