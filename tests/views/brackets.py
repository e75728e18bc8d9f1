"""Find texts outside the brackets of the pseudo-language: they are not translated."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from views.text.catalogue import CLOSED, OPENED

_TEXT_ATTRIBUTES = ("title", "alt", "aria-label", "aria-description", "aria-valuetext", "placeholder")
_EMPTY = ("br", "img", "input", "link", "meta", "hr")


def outside(text: str) -> str:
    """The part of `text` outside brackets if it has letters; else an empty text."""
    left, depth = "", 0
    for char in text:
        depth += (char == OPENED) - (char == CLOSED)
        if not depth and char != CLOSED:
            left += char
    return left.strip() if re.search(r"[^\W\d_]", left) else ""


class _Words(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[tuple[str, bool]] = []  # tag, and whether it shows data
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.texts += [attributes[name] for name in _TEXT_ATTRIBUTES if attributes.get(name)]
        if tag not in _EMPTY:
            self._open.append((tag, "data-said" in attributes or tag in ("style", "script")))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.texts += [attributes[name] for name in _TEXT_ATTRIBUTES if attributes.get(name)]

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not any(shows for _, shows in self._open):
            self.texts.append(data)


def untranslated_in_html(html: str) -> list[str]:
    """Texts and attributes of HTML or SVG outside the brackets, but for elements that are marked as data."""
    return [left for text in _Words(html).texts if (left := outside(text))]


def untranslated_in_figure(figure: object, key: str = "") -> list[str]:
    """Titles, names and hover texts of a Plotly figure outside the brackets."""
    item = figure.to_plotly_json() if hasattr(figure, "to_plotly_json") else figure
    if isinstance(item, dict):
        return [
            left for name, value in item.items() if name != "template" for left in untranslated_in_figure(value, name)
        ]
    if isinstance(item, list | tuple) and key not in ("x", "y", "text", "ticktext"):  # labels of tokens
        return [left for value in item for left in untranslated_in_figure(value, key)]
    if isinstance(item, str) and (key in ("text", "name") or key == "hovertemplate"):
        left = outside(re.sub(r"%\{[^}]*\}|<[^>]*>", " ", item))
        return [left] if left else []
    return []
