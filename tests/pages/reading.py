"""Read HTML tables and programs of a page as text."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.conftest import html_of


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self._rows: list[list[str]] = []
        self._open = False

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self._rows = self.tables.setdefault(dict(attrs).get("aria-label") or "", [])
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")
            self._open = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._open = False

    def handle_data(self, data):
        if self._open:
            self._rows[-1][-1] += data


def table(app: AppTest, name: str) -> list[list[str]]:
    """Return the rows of the table with the description `name`, else of the one that begins so, header first."""
    reader = _Tables()
    reader.feed(html_of(app))
    if name in reader.tables:
        return reader.tables[name]
    (rows,) = [rows for label, rows in reader.tables.items() if label.startswith(name)]
    return rows


def number(text: str) -> float:
    """Return the number that a cell shows, see `views.text.numbers.three_digits`."""
    return float(text.replace("\u2212", "-").replace(",", ""))


def programs(block: Any) -> list[str]:
    """Return the programs and messages of programs in a fold, or on a page."""
    contents = re.findall(
        r"<code[^>]*>(.*?)</code></pre>", "".join(each.value for each in block.get("html")), re.DOTALL
    )
    return [html.unescape(re.sub("<[^>]*>", "", content)) for content in contents]


def marked(app: AppTest, mark: str) -> list[str]:
    """Return the texts of the elements of class `mark`."""
    texts = []

    class Reader(HTMLParser):
        depth = 0  # of the open element of this class and those within it

        def handle_starttag(self, tag, attrs):
            if self.depth:
                self.depth += 1
            elif (dict(attrs).get("class") or "") == mark:
                self.depth = 1
                texts.append("")

        def handle_endtag(self, tag):
            self.depth = max(0, self.depth - 1)

        def handle_data(self, data):
            if self.depth:
                texts[-1] += data

    Reader().feed(html_of(app))
    return texts
