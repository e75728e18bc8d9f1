"""Every view opened once: its files, its labels, its checks, for a long sentence full of what spreadsheets calculate.

A sentence with signs and rare characters also gives tokens that are nothing but the mark of a word's start.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import files
from tests.every_view import UNFOLDED, VIEWS, View
from tests.pages.conftest import html_of, visit

SENTENCE = "=SUM(A1) @me +1 -2 I said: \uac00, and my uncle, who sells boats, could not have gone."
PATCH = re.compile(r"CLS|row \d+, column \d+")


@pytest.fixture
def offered(monkeypatch):
    """File name -> content of whatever is offered, and the tables below the folds."""
    made, tables = {}, []
    monkeypatch.setattr(files, "download", lambda label, make, file_name: made.update({file_name: make()}))
    monkeypatch.setattr(
        files, "numbers", lambda table, key="", **options: tables.append((files._harmless(table()), options))
    )
    return made, tables


def unpacked(made: dict[str, bytes | str]) -> dict[str, bytes]:
    """All files, with those inside archives."""
    found = {}
    for name, content in made.items():
        found[name] = content.encode() if isinstance(content, str) else content
        if name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                found |= {f"{name}/{inside}": archive.read(inside) for inside in archive.namelist()}
    return found


def is_number(text: str) -> bool:
    with suppress(ValueError):
        float(text)
        return True
    return False


def check_text(text: str, number_allowed: bool = True) -> None:
    """What a spreadsheet makes of a cell."""
    assert not text.lstrip().startswith(("=", "+", "-", "@")) or (number_allowed and is_number(text)), text
    assert "\u2009" not in text, text


def check_bounds(app: AppTest) -> None:
    """Every check keeps its bound, and says it beside what it found: the page says so itself where one is broken."""
    said = "\n".join(element.value for element in (*app.caption, *app.markdown))
    assert "something is wrong" not in said
    for line in re.findall(r"(?:[Dd]ifference|differs? by(?: at most)?):? (\d[^ ]*)(.{12})", said.replace("\n", " ")):
        assert line[1].startswith((" (", " between the")), line


@pytest.mark.parametrize("view", VIEWS + UNFOLDED, ids=lambda view: view.id)
def test_files_labels_and_bounds(offered, view: View):
    app = visit(view.page, **{"text": SENTENCE} | view.settings)
    check_bounds(app)
    made, tables = offered
    assert made, "a view offers its numbers"
    for name, content in unpacked(made).items():
        if name.endswith(".csv"):
            header, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
            assert all(title.strip() for title in header), (name, header)
            assert len(set(header)) == len(header) and {len(row) for row in rows} <= {len(header)}, name
            for title in header:
                check_text(title, number_allowed=False)
            for cell in (cell for row in rows for cell in row):
                check_text(cell)
        elif name.endswith(".npz"):
            with np.load(io.BytesIO(content), allow_pickle=False) as stored:
                for key, array in stored.items():
                    if array.dtype.kind == "U":
                        assert not re.search("[\u2009\u2423\u2581]", "".join(array.ravel())), (name, key)
                        assert all(array.ravel()), (name, key)
                    if view.page == "vision" and key in ("query_tokens", "key_tokens", "patches"):
                        assert all(map(PATCH.fullmatch, array)), (name, key)
    for table, options in tables:
        titles = [*table.columns] + ([] if options.get("hide_index") else [table.index.name])
        assert all(str(title or "").strip() for title in titles), titles
        for cell in [*titles, *table.index, *table.select_dtypes(exclude="number").to_numpy().ravel()]:
            if isinstance(cell, str):
                check_text(cell)
    for element in app.get("bidi_component"):
        content = element.proto.bytes
        if content:
            header = json.loads(content[4 : 4 + int.from_bytes(content[:4], "little")])
            for shown in [header, *header.get("items", [])]:
                for axis in ("queries", "keys", "rows", "columns"):
                    labels = shown.get(axis, [])
                    assert all(label.strip() for label in labels if isinstance(label, str)), (axis, labels)
    assert not re.search(
        r'role="listitem"(?! title)[^>]*>\s*(<span data-said="token">\s*)?<(/span|small)', html_of(app)
    )
    for element in app.get("plotly_chart"):
        for trace in json.loads(element.proto.spec)["data"]:
            for axis in ("x", "y"):
                if isinstance(trace.get(axis), list):
                    assert all(label.strip() for label in trace[axis] if isinstance(label, str)), axis
