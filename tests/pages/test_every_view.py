"""Open every view once: its files, labels, checks and texts; and open every page with defaults and with other text.

The sentence is full of spreadsheet formulas, signs and rare characters, which also gives tokens that consist of the
mark of a word's start alone. Views are opened in the pseudo-language: text that is not in the catalogue is outside
brackets, and without the brackets a text is the English one.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import code, files
from tests.every_view import UNFOLDED, VIEWS, View
from tests.pages import conftest
from tests.pages.conftest import html_of, visit
from tests.pages.pseudo import uncatalogued_texts
from tests.pages.reading import programs
from tests.payloads import read_payload
from tests.tiers import nightly
from views import navigation
from views.controls import sentence_input
from views.text import prose
from views.text.catalogue import CLOSED, OPENED

SENTENCE = "=SUM(A1) @me +1 -2 I said: \uac00, and my uncle, who sells boats, could not have gone."
# the time of two views grows with the square of the length; a network with one vector translates no long sentence
SHORT = dict.fromkeys(
    ("circuits/paths", "circuits/noise", "circuits/states/lstm-vector", "loss/heads-that-form"), "-My cat is old."
)
LONG = ("heads/resample", "circuits/patching/each", "vision/layers/600")  # 7 to 30 s; `make nightly` opens them
PATCH = re.compile(r"CLS|row \d+, column \d+")
PAGES = [place.id for place in navigation.PAGES]
OWN_INPUT = ("vision", "models", "glossary", "lessons")  # pages without the shared sentence
WITH_SENTENCE = {"positions": {"facet": "why-sinusoids"}}  # a section that reads it, where the first does not
KOREAN = "\uc800\ub294 \ud559\uc0dd\uc785\ub2c8\ub2e4."
FACETS = ("table", "wavelengths", "similarity", "rotation", "orthogonality", "basis")
STEPS = ("products", "scores", "masked", "weights", "output", "sublayer-output")
MORE = [  # further texts of a view with other settings
    ("attention", {"kind": "cross", "units": "words", "marks": "hidden", "scale": "log"}),
    ("attention", {"look": "one-weight", "kind": "decoder", "decoder_query_piece": "1", "decoder_key_piece": "3"}),
    ("attribution", {"text": "Go."}),
    ("compare", {"do": "mask", "headskept": "scale:decoder:4.2.5:0"}),
    ("compare", {"do": "one-hot", "of": "cross"}),
    ("compare", {"do": "one-hot", "decoderasks": "2", "decodersees": "4"}),
    ("compare", {"b": "other", "other": " "}),
    ("decoding", {"method": "sampling"}),
    ("decoding", {"part": "beam-search", "method": "beam"}),
    ("decoding", {"part": "teacher-forcing", "target": "Je veux vendre un v\u00e9lo."}),
    ("decoding", {"part": "linear-softmax", "rows": "a b"}),
    *(("inside", {"step": step}) for step in STEPS),
    ("inside", {"inside": "one-query", "kind": "decoder"}),
    ("inside", {"inside": "one-query", "kind": "cross"}),
    ("inside", {"inside": "heads", "shape_heads": "7", "kind": "cross"}),
    ("inside", {"inside": "feed-forward", "stack": "decoder"}),
    ("inside", {"inside": "add-norm", "stack": "decoder", "norm_place": "1"}),
    ("loss", {"scored": "five"}),
    ("masks", {"painted": "7-x", "mask": "window"}),
    ("masks", {"masks": "padding", "lengths": "x"}),
    *(("positions", {"facet": facet, "form": "column"}) for facet in FACETS),
    ("tokens", {"part": "spelling", "word": " "}),
    ("tokens", {"part": "contexts", "word": " "}),
    ("tokens", {"part": "word-order", "o2": "A cat."}),
    ("translate", {"method": "beam"}),
    ("translate", {"method": "sampling"}),
]


def english(text: str) -> str:
    """Return `text` without the brackets of the pseudo-language."""
    return text.replace(OPENED, "").replace(CLOSED, "")


@pytest.fixture
def offered(monkeypatch):
    """File name -> content of every download, and the tables in folds."""
    contents, tables = {}, []
    monkeypatch.setattr(files, "download", lambda label, make, file_name: contents.update({file_name: make()}))
    monkeypatch.setattr(
        files,
        "folded_table",
        lambda table, key="", **options: tables.append((files._without_formulas(table()), options)),
    )
    return contents, tables


def unpack(contents: dict[str, bytes | str]) -> dict[str, bytes]:
    """Return all files, with those inside archives."""
    entries = {}
    for name, content in contents.items():
        entries[name] = content.encode() if isinstance(content, str) else content
        if name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                entries |= {f"{name}/{inside}": archive.read(inside) for inside in archive.namelist()}
    return entries


def is_number(text: str) -> bool:
    with suppress(ValueError):
        float(text)
        return True
    return False


def check_text(text: str, number_allowed: bool = True) -> None:
    """Check that a spreadsheet takes a cell as text."""
    text = english(text)
    assert not text.lstrip().startswith(("=", "+", "-", "@")) or (number_allowed and is_number(text)), text
    assert "\u2009" not in text, text


def check_bounds(app: AppTest) -> None:
    """Check that every difference has its bound and none is reported beyond it."""
    prose = english("\n".join(element.value for element in (*app.caption, *app.markdown, *app.warning))).replace(
        "\n", " "
    )
    assert "something is wrong" not in prose
    for line in re.findall(r"(?:[Dd]ifference|differs? by(?: at most)?):? (\d[^ ]*)(.{12})", prose):
        assert line[1].startswith((" (", " between the")), line


def check_code(app: AppTest, view: View) -> None:
    """Check that a section or page with a program renders it, with values that Python can read."""
    folds = [fold for fold in app.expander if english(fold.label) in ("The same in PyTorch", "The same in Python")]
    assert len(folds) == any((view.page, name) in code.programs() for name in (view.part, view.page))
    for fold in folds:
        (text,) = programs(fold)
        ast.parse(text)


@pytest.mark.parametrize(
    "view",
    [nightly(view, id=view.id) if view.id in LONG else pytest.param(view, id=view.id) for view in VIEWS + UNFOLDED],
)
def test_files_labels_bounds_and_words(in_pseudo, offered, view: View):
    app = in_pseudo(view.page, **{"text": SHORT.get(view.id, SENTENCE)} | view.settings)
    assert uncatalogued_texts(app) == []
    check_bounds(app)
    check_code(app, view)
    contents, tables = offered
    words = ("models", "glossary", "lessons")  # no model is open with an empty allowlist
    assert contents or view.page in words, "a view offers its numbers"
    for name, content in unpack(contents).items():
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
                        assert all(PATCH.fullmatch(english(label)) for label in array), (name, key)
    for table, options in tables:
        titles = [*table.columns] + ([] if options.get("hide_index") else [table.index.name])
        assert all(str(title or "").strip() for title in titles), titles
        for cell in [*titles, *table.index, *table.select_dtypes(exclude="number").to_numpy().ravel()]:
            if isinstance(cell, str):
                check_text(cell)
    for element in app.get("bidi_component"):
        content = element.proto.bytes
        if content:
            header, _ = read_payload(content)
            for fields in [header, *header.get("items", [])]:
                for axis in ("queries", "keys", "rows", "columns"):
                    labels = fields.get(axis, [])
                    assert all(label.strip() for label in labels if isinstance(label, str)), (axis, labels)
    assert not re.search(
        r'role="listitem"(?! title)[^>]*>\s*(<span data-said="token"[^>]*>\s*)?<(/span|small)', html_of(app)
    )
    for element in app.get("plotly_chart"):
        for trace in json.loads(element.proto.spec)["data"]:
            for axis in ("x", "y"):
                if isinstance(trace.get(axis), list):
                    assert all(label.strip() for label in trace[axis] if isinstance(label, str)), axis


@pytest.mark.nightly
@pytest.mark.parametrize(("page", "settings"), MORE, ids=str)
def test_all_text_is_in_the_catalogue(in_pseudo, page, settings):
    assert uncatalogued_texts(in_pseudo(page, **settings)) == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_with_defaults_and_accepts_other_text(page, monkeypatch):
    """The default sentence is in the address and gets no warning; text that is not English gets one."""
    monkeypatch.setattr(sentence_input, "DEFAULT", conftest.SENTENCE)  # other tests have computed it
    part = WITH_SENTENCE.get(page, {})
    app = visit(page, text=None, **part)
    assert app.query_params["text"] == conftest.SENTENCE
    assert not app.warning and (page in OWN_INPUT or not app.info)
    assert len(examples(app)) == (page == "translate")
    if page in OWN_INPUT:
        return
    korean = visit(page, text=KOREAN, **part)
    assert [warning.value for warning in korean.warning] == [prose.block("notices", "not-english")]
    (choice,) = examples(korean)
    assert choice.options == list(sentence_input.EXAMPLES)
    assert [heading.value for heading in korean.header] == [heading.value for heading in app.header]
    assert korean.text_input(key="text").value == KOREAN
    choice.set_value(sentence_input.EXAMPLES[0]).run()
    assert not korean.exception and not korean.warning
    assert korean.text_input(key="text").value == sentence_input.EXAMPLES[0]
    assert len(examples(korean)) == (page == "translate")


def examples(app: AppTest) -> list:
    """Return the example sentences, where they are offered."""
    return [group for group in app.get("pills") if group.key == "example"]
