"""Every text that a page sends to the browser, with what the browser makes of it."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser

import pyarrow
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from tests.payloads import read_payload

_NOT_SHOWN = frozenset(("id", "js_content", "css_content", "raw_values", "form_id", "user_key", "page_script_hash"))
_READ = frozenset(("title", "aria-label", "alt", "placeholder"))  # attributes that are shown or read aloud
_VOID = frozenset(("br", "img", "input", "hr", "meta", "link", "path", "rect", "line", "circle", "use", "col"))


@dataclass(frozen=True)
class SentText:
    """A text and its place.

    Attributes:
        place: of the element in the page, for messages of a test.
        kind: how it is written: "label" of a payload, "html", "attribute", "svg" (drawn), "plotly" (drawn), "pointed"
            (of a chart, when it is pointed at), "markdown", "table" (of a canvas) or "text".
        text: as a reader sees it.
        markup: as it is sent, where it is Markdown, a text of a chart or a text of HTML.
        said: of HTML the kind of data that it is marked as, of the element or of one around it; "bdi" in such an one.
        lang: the language that it is marked with.
        translate: whether translators of browsers may replace it.
    """

    place: str
    kind: str
    text: str
    markup: str = ""
    said: str = ""
    lang: str = ""
    translate: bool = True


def sent_texts(app: AppTest) -> Iterator[SentText]:
    """All of them, in the order of the page."""
    for element in _elements(app):
        name = element.type
        for field, value in _fields(element.proto):
            yield from _texts(f"{name}.{field}", name, field, value)


def _elements(app: AppTest) -> Iterator:
    blocks = list(app._tree.children.values())
    while blocks:
        block = blocks.pop(0)
        if hasattr(block, "children"):
            blocks = [*block.children.values(), *blocks]
            if proto := getattr(block, "proto", None):
                yield _Block(block.type, proto)
        else:
            yield block


@dataclass
class _Block:
    type: str
    proto: Message


def _fields(message: object) -> Iterator[tuple[str, str | bytes]]:
    if not isinstance(message, Message):
        return
    for field, value in message.ListFields():
        if field.name in _NOT_SHOWN:
            continue
        items = value if field.is_repeated else [value]
        for item in items:
            if isinstance(item, Message):
                yield from _fields(item)
            elif isinstance(item, str | bytes):
                yield field.name, item


def _texts(place: str, element: str, field: str, value: str | bytes) -> Iterator[SentText]:
    if isinstance(value, bytes):
        if element == "bidi_component":
            yield from _in_payload(place, read_payload(value)[0])
        elif element == "arrow_data_frame" or field == "data":
            yield from _in_table(place, value)
    elif element == "plotly_chart" and field == "spec":
        yield from _in_chart(place, json.loads(value))
    elif element == "bidi_component" and field == "json":
        yield from _in_payload(place, json.loads(value))
    elif element == "html" or field == "html_content":
        yield from in_html(place, value)
    elif element in ("text", "code", "text_input", "text_area") or field in ("options", "raw_value", "spec"):
        yield SentText(place, "text", value)
    else:
        yield SentText(place, "markdown", re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", value), value)


def _in_payload(place: str, value: object) -> Iterator[SentText]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name != "arrays":
                yield from _in_payload(f"{place}.{name}", inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _in_payload(place, inner)
    elif isinstance(value, str):
        if value.lstrip().startswith("<") and value.rstrip().endswith(">") and "</" in value:
            yield from in_html(place, value)
        else:
            yield SentText(place, "label", value)


def _in_table(place: str, content: bytes) -> Iterator[SentText]:
    table = pyarrow.ipc.open_stream(content).read_all()
    for name, column in zip(table.column_names, table.columns, strict=True):
        yield SentText(place, "table", name)
        for cell in column.to_pylist():
            if isinstance(cell, str):
                yield SentText(place, "table", cell)


def _in_chart(place: str, figure: object, name: str = "") -> Iterator[SentText]:
    if isinstance(figure, dict):
        for inner, value in figure.items():
            if inner not in ("meta", "template", "config", "bdata", "colorscale", "font"):
                yield from _in_chart(f"{place}.{inner}", value, inner)
    elif isinstance(figure, list):
        for value in figure:
            yield from _in_chart(place, value, name)
    elif isinstance(figure, str):
        drawn = name in ("ticktext", "name") or (name == "text" and re.search(r"title|annotations", place))
        for row in figure.split("<br>") if drawn else [figure]:
            text = html.unescape(re.sub(r"<[^>]*>", "", row))
            text = text.rstrip("\u200b")  # which makes categories different
            yield SentText(place, "plotly" if drawn else "pointed", text, row)


def in_html(place: str, content: str) -> Iterator[SentText]:
    """The texts of HTML, with its attributes that are read."""
    reader = _Reader(place)
    reader.feed(content)
    reader.close()
    yield from reader.texts


class _Reader(HTMLParser):
    def __init__(self, place: str) -> None:
        super().__init__()
        self.texts: list[SentText] = []
        self._place = place
        self._open: list[tuple[str, str, str, bool]] = [("", "", "", True)]  # tag, said, lang, translate

    def handle_starttag(self, tag, attrs):
        attributes = {name: value or "" for name, value in attrs}
        _, said, lang, translate = self._open[-1]
        said = "bdi" if tag == "bdi" else attributes.get("data-said", said)
        own = (
            tag,
            said,
            attributes.get("lang", lang),
            translate and attributes.get("translate") != "no",
        )
        for name in _READ & set(attributes):
            self._add("attribute", attributes[name], own, f"{self._place}@{name}")
        for name in ("data-chosen", "data-answer"):
            if attributes.get(name):
                self.texts += _in_payload(f"{self._place}@{name}", json.loads(attributes[name]))
        if attributes.get("data-changes"):
            header = read_payload(base64.b64decode(attributes["data-changes"]))[0]
            self.texts += _in_payload(f"{self._place}@data-changes", header)
        if tag not in _VOID:
            self._open.append(own)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag):
        for place in range(len(self._open) - 1, 0, -1):
            if self._open[place][0] == tag:
                del self._open[place:]
                return

    def handle_data(self, data):
        tags = [tag for tag, *_ in self._open]
        if data.strip(" \n\t") and not {"style", "script"} & set(tags):
            drawn = "svg" if tags[-1] in ("text", "tspan") else "title" if tags[-1] == "title" else "html"
            self._add(drawn, data.strip("\n"), self._open[-1], f"{self._place} <{tags[-1]}>")

    def _add(self, kind: str, text: str, own: tuple[str, str, str, bool], place: str) -> None:
        _, said, lang, translate = own
        self.texts.append(SentText(place, kind, text, f"<{own[0]}>{text}", said, lang, translate))
