"""The script that every page loads before Streamlit's own, which is built from web/src/page, and its path."""

import hashlib
import json
import re

from .. import streamlit_internals, streamlit_words
from ..text import catalogue, literal
from ..text.catalogue import say
from ..viewer import built_files
from .session_state import MOVED, SHARED

CHARTED = (
    "history",
    "tokens",
    "positions",
    "inside",
    "decoding",
    "loss",
    "vision",
)  # pages with a part that has a chart
# Pages on which the results of a sentence wait for Enter; on others they follow what is typed, by
# web/src/page/sentence_typing.ts. The home page has an empty name: its stage follows by itself. A run of *Circuits*
# takes up to two seconds of processor time, and the question of a lesson is about one sentence.
ENTERED = ("", "circuits", "lessons")
SOURCE = built_files.page_script()
PATH = f"/history-{hashlib.sha256(SOURCE.encode()).hexdigest()[:12]}.js"  # the path changes with the content
_ANY_PATH = re.compile(r"/history-\w+\.js")  # during an update another version may have sent the page
_ATTRIBUTES = {
    "shared": " ".join(SHARED),
    "moved": MOVED,
    "charts": streamlit_internals.chart_script(),
    "charted": " ".join(CHARTED),
    "entered": " ".join(ENTERED),
}
_DATA = " ".join(f'data-{name}="{value}"' for name, value in _ATTRIBUTES.items())


def tag() -> str:
    """The element that loads it, with the texts that it shows, in each language that the user may choose."""
    waiting, late = {}, {}
    for code in catalogue.offered_languages():
        with catalogue.using_language(code):
            waiting[code] = say(
                "page.waiting", "The server does not answer: this page goes on by itself as soon as it does."
            )
            late[code] = say("page.late", "Answers take long: press Enter at the end of the sentence.")
    texts = {"waiting": waiting, "late": late, "words": streamlit_words.replaced()}
    data = "".join(f' data-{name}="{_json(value)}"' for name, value in texts.items())
    return f'<script src=".{PATH}" {_DATA}{data}></script>'


def _json(value: object) -> str:
    return literal.html(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def requested_script(path: str) -> tuple[str, str] | None:
    """The script and its current path, if `path` is a path of any version of it; else None."""
    return (SOURCE, PATH) if _ANY_PATH.fullmatch(path) else None
