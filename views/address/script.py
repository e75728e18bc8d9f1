"""`history.js`, which stands in every page before Streamlit's own scripts, and where it is found."""

import hashlib
import re
from pathlib import Path

from views.address.visitor import MOVED, SHARED

SOURCE = (Path(__file__).parent / "history.js").read_text(encoding="utf-8")
PATH = f"/history-{hashlib.sha256(SOURCE.encode()).hexdigest()[:12]}.js"  # another text has another address
ANY_PATH = re.compile(r"/history-\w+\.js")  # during an update another server may have made the page
TAG = f'<script src=".{PATH}" data-shared="{" ".join(SHARED)}" data-moved="{MOVED}"></script>'
