"""Find English on a page in Korean: runs of Latin words among which is one that only a sentence has.

Names, code, formulas but for their sentences, tokens, titles of papers (in italics) and terms in brackets stay in
English. A sentence that is Korean but for one word is not English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Element

from tests.pages.conftest import SENTENCE
from tests.pages.pseudo import DATA, texts_of
from tests.payloads import read_payload
from views.controls.sentence_input import EXAMPLES
from views.text.catalogue import CLOSED, OPENED

# code, formulas, targets of links; titles in italics; terms and names in brackets or quotes
_KEPT = re.compile(
    DATA.pattern + r"|\$\$.*?\$\$|(?<!\*)\*(?!\*)[^*\n]+\*(?!\*)|\([^()]*\)|\u201c[^\u201d]*\u201d|\"[^\"]*\"",
    re.DOTALL,
)
_UNFILLED = re.compile(r"\{\w+:[^{}]*[가-힣]\}")  # a script cannot choose between two particles
_IN_FORMULA = re.compile(r"\\text\{([^{}]*)\}")
_LATIN = r"(?<!\w)[A-Za-z][A-Za-z'\u2019-]*(?!\w)"
_RUN = re.compile(f"{_LATIN}(?:,? {_LATIN})+")
_OF_SENTENCES = frozenset(
    ("the", "an", "of", "is", "are", "was", "and", "or", "to", "in", "on", "at", "by", "with", "for", "from")
    + ("not", "no", "it", "its", "this", "that", "which", "what", "how", "each", "every")
)


def english_texts(app: AppTest) -> list[str]:
    """Return English texts on a page that is open in Korean, and values with two particles, each with its location."""
    texts = [*texts_of(app), *(("component", text) for text in _in_components(app))]
    return [
        f"{where}: {' '.join(text.split())[:160]}"
        for where, text in texts
        if text not in (*EXAMPLES, SENTENCE) and (is_english(text) or _UNFILLED.search(text))
    ]


def texts_in_order(app: AppTest) -> Iterator[str]:
    """Yield the prose of a page from top to bottom: its Markdown, and the strings of its components."""
    for element in app.main:
        if element.type == "bidi_component":
            yield from _component_strings(element)
        elif isinstance(text := getattr(element, "value", None), str):
            yield text


def is_english(text: str) -> bool:
    """Whether a text has an English sentence, or a part of one, or a bracket of the pseudo-language."""
    read = " | ".join([_KEPT.sub(" | ", text), *_IN_FORMULA.findall(text)])
    words = (word for run in _RUN.findall(read) for word in re.split(",? ", run))
    return OPENED in text or CLOSED in text or any(w.lower() in _OF_SENTENCES and not w.isupper() for w in words)


def _in_components(app: AppTest) -> Iterator[str]:
    for element in app.get("bidi_component"):
        yield from _component_strings(element)


def _component_strings(element: Element) -> Iterator[str]:
    if element.proto.bytes:
        yield from _strings(read_payload(element.proto.bytes)[0])


def _strings(value: object) -> Iterator[str]:
    """Yield the strings in a payload, without lists of tokens and names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list) and not all(isinstance(part, str) for part in value):
        for part in value:
            yield from _strings(part)
