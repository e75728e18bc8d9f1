"""Find text that is not in the catalogue: in the pseudo-language, every visible text outside the brackets.

`in_pseudo` of `conftest.py` opens a page in the pseudo-language, `unsaid` lists what is not in brackets there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser

from streamlit.testing.v1 import AppTest

from views.text.catalogue import CLOSED, OPENED

# formulas, code, targets of links, which may have a title
DATA = re.compile(r"\$[^$]*\$|`[^`]*`|\]\((?:[^)\"]|\"[^\"]*\")*\)|U\+[0-9A-F]{4,}")
_WORD = re.compile(r"[^\W\d_]{2,}")
_VOID = frozenset({"br", "img", "input", "hr", "meta", "link", "path", "rect", "line", "circle", "use"})


def uncatalogued_texts(app: AppTest) -> list[str]:
    """Return texts with words outside brackets, each with its location."""
    return [
        f"{where}: {' '.join(text.split())}"
        for where, text in texts_of(app)
        if _WORD.search(outside_brackets(DATA.sub("", text)))
    ]


def outside_brackets(text: str) -> str:
    """Return the parts of `text` outside the brackets, which may be nested."""
    depth, left = 0, []
    for char in text:
        if char == OPENED:
            depth += 1
        elif char == CLOSED:
            depth -= 1
        elif not depth:
            left.append(char)
    return "".join(left)


def texts_of(app: AppTest) -> Iterator[tuple[str, str]]:
    """Yield the visible texts of a page, each with its location; in HTML without what is marked as data."""
    for name in ("title", "header", "subheader", "markdown", "caption", "warning", "error", "info", "success"):
        for element in app.get(name):
            yield name, element.value
    for element in app.text:
        yield "text", element.value
    for element in app.metric:
        yield "metric", element.label
    for element in app.expander:
        yield "expander", element.label
    for element in (*app.get("download_button"), *app.get("page_link")):
        yield "button", element.proto.label
    widgets = ("button", "selectbox", "multiselect", "button_group", "slider", "number_input", "text_input", "checkbox")
    for name in widgets:
        for element in app.get(name):
            yield name, getattr(element, "label", "") or ""
            yield f"help of {name}", getattr(element, "help", "") or ""
            yield f"placeholder of {name}", getattr(element, "placeholder", "") or ""
    choices = (*app.selectbox, *app.multiselect, *app.get("button_group"))
    for element in choices:
        for option in element.options:
            yield f"option of {element.key}", getattr(option, "content", option)
    for element in app.html:
        yield from (("html", text) for text in in_html(element.value))
    for element in app.get("plotly_chart"):
        yield "alt of chart", getattr(element.proto, "alt", "") or ""
        texts = _in_chart(json.loads(element.proto.spec))
        yield from (("chart", re.sub("<[^>]*>", " ", text)) for text in texts)


def _in_chart(figure: dict) -> Iterator[str]:
    layout = figure.get("layout", {})
    for name, part in layout.items():
        if name.endswith("title") or re.fullmatch(r"[xy]axis\d*|title|coloraxis", name):
            title = part.get("title", part) if isinstance(part, dict) else part
            yield (title.get("text") or "") if isinstance(title, dict) else str(title or "")
    for note in layout.get("annotations", ()):
        yield note.get("text") or ""
    for trace in figure.get("data", ()):
        yield trace.get("name") or ""


def in_html(content: str) -> list[str]:
    """Return texts, titles and labels in HTML, without those marked as a token, a number or a name."""
    reader = _Visible()
    reader.feed(content)
    return reader.texts


class _Visible(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[bool] = []  # whether the element, or one around it, is not for reading or is data

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        data = any(self._open[-1:]) or "data-said" in attributes or tag in ("style", "script")
        if not data:
            texts = ("title", "aria-label", "alt", "placeholder")
            self.texts += [attributes[name] for name in texts if attributes.get(name)]
        if tag not in _VOID:
            self._open.append(data)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag):
        if tag not in _VOID and self._open:
            self._open.pop()

    def handle_data(self, data):
        if data.strip() and not any(self._open[-1:]):
            self.texts.append(data.strip())
