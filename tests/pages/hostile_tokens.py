"""Give every token a hostile label, and find the texts of a page that do not write it as the one label function does.

Labels are made where tokens become labels, `Tokenizer.display` for the translator and `label_slice` for an opened
model, and where tokens become words. So they reach each view as they are, whatever a tokenizer would have removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from model.hub import token_offsets
from model.text import words
from model.text.tokenizer import THIN_SPACE, Tokenizer
from tests.new_process import clear_all
from tests.pages.sent_texts import SentText, sent_texts
from tests.payloads import read_payload
from views.text import literal

# around what is hostile: letters that no text of the app has
START, END = "\u024b", "\u0291"
HIDDEN = "\u200b\u2060\ufeff\u00ad\u0007\u202e\u2066"  # that no text of the page contains
SPACES = "\u00a0\u202f\u2009\u3000\t\n"  # that some do
HEBREW, ARABIC = "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627"
LONG = f"{START}{'y' * 298}{END}"
MARKUP = f"<b>{START}</b>${START}$_{START}_\"{START}'`{START}`&amp;"
INSIDE = (
    "".join(f"{START}{char}{END}" for char in HIDDEN + SPACES),
    f"{START}{HEBREW}\u202e{ARABIC} 12{END}",
    LONG,
    MARKUP,
)
LONGEST = 64  # letters of any text in a drawing

_BARE = re.compile(f"{START}[{HIDDEN}{SPACES}]+{END}|[{HIDDEN.replace(chr(0x2060), '')}]")
_MARKED_UP = {  # kind of text -> what is interpreted in it
    "markdown": f"<b>{START}|(?<!\\\\)[$_`]{START}",
    "plotly": f"<b>{START}|\\${START}",
    "pointed": f"<b>{START}|\\${START}",
    "html": f"^<b>{START}$",  # an element of its own
}
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
_ISOLATED = re.compile("\u2068[^\u2068\u2069]*\u2069")


class HostileLabels:
    """A label for every token: the first, the second and so on of `INSIDE`, then one that shows nothing, and again."""

    def __init__(self) -> None:
        self._labels: dict[object, str] = {}

    def __call__(self, token: object) -> str:
        """The same label for the same token, another for each other one."""
        if token not in self._labels:
            number = len(self._labels)
            turn, kind = divmod(number, len(INSIDE) + 1)
            alone = (HIDDEN + SPACES)[turn % len(HIDDEN + SPACES)]
            start = THIN_SPACE if number % 2 else ""
            self._labels[token] = f"{start}{INSIDE[kind]}{number}" if kind < len(INSIDE) else alone
        return self._labels[token]

    def written(self) -> set[str]:
        """All of them as a view should write them."""
        return {literal.token(label) for label in list(self._labels.values())}  # a page computes on another thread


def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[HostileLabels]:
    """Give every token but special ones and bytes such a label until the generator goes on, for a fixture."""
    labels, display = HostileLabels(), Tokenizer.display

    def displayed(self: Tokenizer, ids) -> list[str]:
        plain = [token > self.eos_id and not self._model.is_byte(int(token)) for token in ids]
        return [
            labels(int(token)) if own else read for token, read, own in zip(ids, display(self, ids), plain, strict=True)
        ]

    def spell(self: words.Word, text: str, start: int, end: int, special: bool = False) -> None:
        initialise(self, text if special else labels(text), start, end, special)

    initialise = words.Word.__init__
    monkeypatch.setattr(Tokenizer, "display", displayed)
    monkeypatch.setattr(words.Word, "__init__", spell)
    for module in (token_offsets, words):
        monkeypatch.setattr(module, "label_slice", labels)
    clear_all()  # results of other tests have other labels
    yield labels
    monkeypatch.undo()
    clear_all()


def hostile_texts(app: AppTest, labels: HostileLabels) -> list[SentText]:
    """The texts of a page that have something of a hostile label."""
    known = labels.written() | {f"U+{ord(char):04X}" for char in HIDDEN + SPACES}
    return [sent for sent in sent_texts(app) if START in sent.text or sent.text in known]


def faults(app: AppTest, labels: HostileLabels) -> list[str]:
    """The texts of a page that write a label otherwise, each with the reason."""
    written, texts = labels.written(), list(sent_texts(app))
    whole = any("y" * 298 in sent.text for sent in texts if sent.kind in ("title", "pointed", "attribute", "html"))
    found = []
    for sent in texts:
        if fault := _fault(sent, written, whole):
            found.append(f"{sent.place}: {fault}: {sent.text[:2000]!r}")
    return found


def _fault(sent: SentText, written: set[str], whole: bool) -> str:
    text = sent.text
    if _BARE.search(text):
        return "shows nothing"
    if text.strip(" ") and not text.strip(HIDDEN + SPACES + " "):
        return "is empty"
    if (pattern := _MARKED_UP.get(sent.kind)) and re.search(pattern, sent.markup):
        return "is markup"
    if _RIGHT_TO_LEFT.search(_ISOLATED.sub("", text)) and not (
        sent.said in ("token", "bdi") or _is_label(text, written)
    ):
        return "changes the order"
    if sent.kind in ("svg", "plotly"):
        if literal.columns(text) > LONGEST:
            return "is too long"
        if START in text and text.endswith("y\u2026") and not whole:
            return "is nowhere whole"
    return ""


def _is_label(text: str, written: set[str]) -> bool:
    """Whether a text is one label alone, whole or cut; nothing is around it whose order could change."""
    return any(label.startswith(text.strip().rstrip("\u2026")) for label in written)


def translated_tokens(app: AppTest, labels: HostileLabels) -> list[str]:
    """Elements of HTML that show a token alone and can be translated or state no language; titles repeat drawings."""
    written = labels.written()
    found = []
    for sent in sent_texts(app):
        token = re.sub(r"^(\d+|\u2260) ", "", literal.without_isolates(sent.text.strip()))
        alone = sent.kind in ("html", "svg") and token in written and START in token
        if alone and (sent.translate or sent.said != "token" or sent.lang not in ("en", "fr")):
            found.append(f"{sent.place} {sent.said} {sent.lang}: {token[:40]}")
    return found


def unnamed_languages(app: AppTest) -> list[str]:
    """Axes and nodes of components that show tokens and do not state their language."""
    found: list[str] = []
    for element in app.get("bidi_component"):
        if element.proto.bytes:
            found += _without_language(element.proto.component_name, read_payload(element.proto.bytes)[0])
    return found


def _without_language(place: str, fields: object) -> list[str]:
    if isinstance(fields, list):
        return [fault for each in fields for fault in _without_language(place, each)]
    if not isinstance(fields, dict):
        return []
    found = [fault for name, each in fields.items() for fault in _without_language(f"{place}.{name}", each)]
    for side, names in enumerate((("rows", "queries"), ("columns", "keys"))):
        shown = [label for name in names for label in fields.get(name) or () if isinstance(label, str)]
        if "languages" in fields and any(START in label for label in shown) and not fields["languages"][side]:
            found.append(f"{place}: no language of {' or '.join(names)}")
    shown = [*(fields.get("labels") or ()), fields.get("label")]
    marked = "said" in fields and any(START in label for label in shown if isinstance(label, str))
    if marked and not re.fullmatch("token (en|fr)", fields["said"]):
        found.append(f"{place}: no language of {fields['said']}")
    return found
