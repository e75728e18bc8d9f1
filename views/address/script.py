"""The scripts that stand in every page before Streamlit's own, as one, and where it is found."""

import hashlib
import re
from pathlib import Path

from views.address.visitor import MOVED, SHARED

_FILES = ("history.js", "presenting.js", "announcing.js")
SOURCE = "\n".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in _FILES)
PATH = f"/history-{hashlib.sha256(SOURCE.encode()).hexdigest()[:12]}.js"  # another text has another address
ANY_PATH = re.compile(r"/history-\w+\.js")  # during an update another server may have made the page
TAG = f'<script src=".{PATH}" data-shared="{" ".join(SHARED)}" data-moved="{MOVED}"></script>'
