"""Each section's program computes the numbers that the page computes, at two settings."""

from __future__ import annotations

import ast
import copy
import importlib
import shutil
from functools import cache

import numpy as np
import pytest
import torch

from model import DecodingOptions, Translator
from pages.shared import code
from pages.shared.code import VALUES
from tests.every_view import PARTS
from tests.pages.attribution.programs import COOKED
from tests.pages.conftest import SENTENCE, visit
from tests.pages.positions.programs import PAPER
from tests.pages.reading import programs
from tests.pages.shared.programs import OWN, Values
from views.text.prose import marked_programs

MOST_LINES = 25  # that are not blank
MODULES = {"PIL", "json", "math", "model", "numpy", "pathlib", "sentencepiece", "torch", "unicodedata"}
TEACHING = (
    "attention",
    "attribution",
    "circuits",
    "compare",
    "history",
    "tokens",
    "positions",
    "masks",
    "inside",
    "decoding",
    "loss",
    "vision",
)
# additional programs in a fold of their own
FURTHER = {
    ("inside", "encoder-layer"),
    ("inside", "decoder-layer"),
    ("inside", "full-width"),
    ("inside", "dropout"),
    ("inside", "dropout-inside"),
    ("loss", "typed"),
    ("decoding", "rows"),
    ("decoding", "given-tokens"),
    ("positions", "learned-table"),
    ("positions", "fourier"),
    ("vision", "classification"),
    ("vision", "curves"),
    ("vision", "noise"),
    ("vision", "integrated"),
    ("attribution", "rollout"),
    ("attribution", "relevance"),
    ("attribution", "integrated"),
    ("attribution", "agreement"),
    ("history", "path-lengths"),
}
BY_THE_PART = {  # which pass the values to their program themselves
    ("attention", "attention"),
    ("decoding", "step-by-step"),
    ("inside", "memory"),
    ("inside", "scaling"),
    ("loss", "heads-that-form"),
    ("loss", "smoothing-gradient"),
    ("masks", "padding"),
    ("attribution", "attribution"),
    ("compare", "changed"),
    ("compare", "other"),
    ("circuits", "patching"),
    ("circuits", "paths"),
    ("circuits", "noise"),
    ("circuits", "lens"),
    ("circuits", "logit"),
    ("circuits", "states"),
    ("positions", "trained-model"),
    ("tokens", "contexts"),
    ("tokens", "sizes"),
    ("tokens", "spelling"),
    *(("vision", part) for part in importlib.import_module("tests.pages.vision.programs").CASES),
    *FURTHER,
    ("positions", "other-models"),
    ("positions", "vectors"),
    ("tokens", "dimensions"),
}
PROGRAMS = code.programs()
CASES = {
    (page, part): case
    for page in TEACHING
    for part, case in importlib.import_module(f"tests.pages.{page}.programs").CASES.items()
}


@pytest.fixture(scope="module", autouse=True)
def the_translator_is_read_once():
    """Give each program a copy of one translator, which takes an eighth of the time of reading the files."""
    read = cache(Translator.load)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Translator, "load", lambda *arguments, **options: copy.deepcopy(read(*arguments, **options)))
        yield


def run(page: str, part: str, values: Values) -> dict[str, object]:
    """Run a program; return its global names."""
    names: dict[str, object] = {}
    exec(code.fill_program(page, part, **values), names)
    return names


def compare(names: dict[str, object], expected: dict[str, object]) -> None:
    """Compare numbers to 1e-5, and everything else exactly."""
    assert expected
    for name, value in expected.items():
        got = names[name]
        if isinstance(value, dict):
            assert set(got) == set(value), name
            compare(got, value)
            continue
        if isinstance(value, str | bool) or value is None or isinstance(value, tuple):
            assert (tuple(got) if isinstance(value, tuple) else got) == value, name
            continue
        got = torch.stack(got) if isinstance(got, list) and isinstance(got[0], torch.Tensor) else got
        got = got.detach().cpu().numpy() if isinstance(got, torch.Tensor) else np.asarray(got)
        value = np.asarray(value)
        assert got.shape == value.shape, name
        np.testing.assert_allclose(got, value, rtol=1e-5, atol=1e-5, err_msg=name)


LONG = (("circuits", "paths"), ("vision", "integrated"))  # 5 s and more
CASES_AND_SETTINGS = [
    pytest.param(
        where, second, marks=[pytest.mark.nightly] * (second or where in LONG), id="/".join((*where, str(second)))
    )
    for where in sorted(CASES)
    for second in (0, 1)
]


@pytest.mark.parametrize(("where", "second"), CASES_AND_SETTINGS)
def test_a_program_computes_the_pages_numbers(where, second):
    *settings, expected = CASES[where]
    compare(run(*where, settings[second]), expected(settings[second]))


def test_the_positional_encoding_equals_the_networks(translator):
    added = translator.network.positions[: PAPER["length"]].cpu().numpy()
    compare(run("positions", "table", PAPER), {"table": added})


def test_every_section_has_a_program():
    parts = {(page, part) for page in TEACHING for part in PARTS[page][1] or (page,)}
    whole = {page for page, part in PROGRAMS if page == part}  # pages with one program for all their sections
    assert parts == {each for each in parts if each in PROGRAMS or each[0] in whole}
    assert {each for each in PROGRAMS if each[0] not in whole} <= parts | FURTHER
    assert set(PROGRAMS) == set(VALUES) | BY_THE_PART == set(CASES)


@pytest.mark.parametrize("where", PROGRAMS, ids="/".join)
def test_a_program_is_short_and_imports_little(where):
    text = code.fill_program(*where, **CASES[where][0])
    assert 3 <= len([line for line in text.splitlines() if line.strip()]) <= MOST_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            assert {alias.name.split(".")[0] for alias in node.names} <= MODULES - {"model"}
        elif isinstance(node, ast.ImportFrom):
            assert node.module == "model" or node.module.split(".")[0] in MODULES - {"model"}
            if node.module == "model":
                import model

                assert {alias.name for alias in node.names} <= set(model.__all__)
    assert code.value_names(*where), "it uses no value of the user's"


def visible_program(page: str, part: str, **query: str) -> str:
    """Return the program that a section shows."""
    key, parts = PARTS[page]
    app = visit(page, **({key: part} if parts else {}), **query)
    (fold,) = [fold for fold in app.expander if fold.label.startswith("The same in ")]
    (text,) = programs(fold)
    assert (fold.label == "The same in PyTorch") == ("torch" in text)
    return text


@pytest.mark.nightly
@pytest.mark.parametrize("where", sorted(set(PROGRAMS) - FURTHER), ids="/".join)
def test_every_section_renders_its_program(where):
    values = [line for line in visible_program(*where).splitlines() if line.endswith(code.YOURS)]
    assert [line.partition(" = ")[0] for line in values] == code.value_names(*where)


@pytest.mark.parametrize(
    ("page", "settings"),
    [
        ("masks", {"masks": "padding", "lengths": "9" * 50}),
        ("inside", {"inside": "memory", "asked_view": "x"}),
        ("loss", {"scored": "five"}),
    ],
    ids=str,
)
def test_a_section_with_invalid_input_has_no_program(page, settings):
    assert "The same in PyTorch" not in [fold.label for fold in visit(page, **settings).expander]


@pytest.mark.parametrize(
    ("where", "query", "title", "names"),
    [
        (("inside", "encoder-layer"), {"inside": "add-norm"}, "A whole layer as a class, in PyTorch", {}),
        pytest.param(
            ("inside", "decoder-layer"),
            {"inside": "add-norm", "stack": "decoder"},
            "A whole layer as a class, in PyTorch",
            {},
            marks=pytest.mark.nightly,
        ),
        (
            ("history", "path-lengths"),
            {"part": "recurrence", "from": "s2", "to": "s3"},
            "Path lengths in Python",
            {"start": "2", "end": "'s3'"},
        ),
        (
            ("attribution", "relevance"),
            {"text": "Cook it!", "target_word": "2"},
            "Gradient relevance in PyTorch",
            {"word": "(3, 4)"},
        ),
        (
            ("inside", "full-width"),
            {"inside": "heads", "kind": "cross"},
            "One of full width for each head, in PyTorch",
            {},
        ),
        (("inside", "dropout"), {"inside": "add-norm", "draw": "5"}, "Dropout in PyTorch", {"seed": "5"}),
        (("loss", "typed"), {"scored": "five", "log": "2"}, "These losses in PyTorch", {"base": "2"}),
        (
            ("decoding", "rows"),
            {"part": "linear-softmax", "rows": "1 2"},
            "These rows in PyTorch",
            {"rows": "((1.0, 2.0),)"},
        ),
        (
            ("positions", "fourier"),
            {"facet": "basis", "curve": "bump"},
            "The coefficients in PyTorch",
            {"shape": "'bump'"},
        ),
        pytest.param(
            ("vision", "curves"),
            {"view": "layers", "explained": "golf ball"},
            "Deletion and insertion in PyTorch",
            {},
            marks=pytest.mark.nightly,
        ),
    ],
    ids=lambda value: "/".join(value) if isinstance(value, tuple) else "",
)
def test_a_further_program_has_a_fold_of_its_own(where, query, title, names):
    (fold,) = [fold for fold in visit(where[0], **query).expander if fold.label == title]
    values = dict(
        line.removesuffix(code.YOURS).split(" = ", 1)
        for line in programs(fold)[0].splitlines()
        if line.endswith(code.YOURS)
    )
    assert list(values) == code.value_names(*where) and names.items() <= values.items()


def test_the_fold_has_the_sentence_and_the_settings():
    text = visible_program("inside", "one-query", kind="cross", layer="2", head="3", cross_query="4")
    values = {"kind": "cross", "layer": 2, "head": 3, "query": 4}
    assert text == code.fill_program("inside", "one-query", **OWN, **values)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("where", "query", "values"),
    [
        (("inside", "memory"), {"shape": "2 3 4", "asked_view": "-1"}, {"shape": (2, 3, 4), "asked": (-1,)}),
        (("inside", "add-norm"), {"stack": "decoder"}, OWN | {"stack": "decoder"}),
        (
            ("masks", "padding"),
            {"batch": "ids", "ids": "7 8\n9", "layer": "2"},
            {"sequences": ((7, 8), (9,)), "layer": 2, "head": 1},
        ),
        (
            ("masks", "your-sentence"),
            {"mask": "window", "pieces": "2", "where": "3"},
            OWN | {"mask": "window", "size": 2, "painted": (), "layers": (3,), "layer": 1, "head": 1},
        ),
        (("positions", "rotation"), {"width": "20", "shift": "9"}, PAPER | {"d_model": 20, "shift": 9}),
        (("decoding", "linear-softmax"), {"step": "2"}, OWN | {"step": 2}),
        (("tokens", "spelling"), {"word": " a  car ", "other": " "}, {"word": "a car", "other": "a car"}),
        (
            ("tokens", "contexts"),
            {"s1": "We cook.", "s2": "Cook it!", "s3": "I can cook the rice.", "word": "cook"},
            {
                "sentences": ("We cook.", "Cook it!", "I can cook the rice."),
                "places": ((1, 2), (0, 3), (2, 3)),
            },
        ),
        (
            ("attribution", "attribution"),
            {"text": "Cook it!", "erase": "mask", "target_word": "2"},
            {"sentence": "Cook it!", "target_ids": None, "way": "mask", "words": COOKED, "word": (3, 4)},
        ),
        (
            ("vision", "any-patch"),
            {"picture": "golf-ball", "layer": "2", "row": "3", "column": "12"},
            {"picture": "assets/samples/golf-ball.jpg", "layer": "2", "head": "mean", "row": 3, "column": 12},
        ),
        (
            ("vision", "what-if"),
            {"vdo": "sharpen", "vheads4": "2", "vheat": "0.5"},
            {"picture": "assets/samples/church.jpg", "changes": (("queries", ((4, 2),), 2.0),)},
        ),
        (
            ("history", "gates"),
            {"network": "lstm-additive"},
            {"sentence": SENTENCE, "network": "lstm-additive", "direction": "forwards"},
        ),
    ],
    ids=str,
)
def test_every_value_function_reads_the_settings(where, query, values):
    assert visible_program(*where, **query) == code.fill_program(*where, **values)


@pytest.mark.nightly
def test_a_program_contains_the_ids_of_a_translation_that_is_not_greedy(translator):
    ids = [*translator.stream(SENTENCE, DecodingOptions("beam", beam=4))][-1].ids
    text = visible_program("inside", "heads", method="beam", kind="cross")
    assert text == code.fill_program("inside", "heads", sentence=SENTENCE, target_ids=tuple(ids), kind="cross")


def test_a_damaged_program_gets_one_sentence(tmp_path, monkeypatch):
    shutil.copytree(code.FOLDER, tmp_path / "code")
    (tmp_path / "code" / "inside" / "memory.py").write_bytes(b"\xff\xfe")
    monkeypatch.setattr(code, "FOLDER", tmp_path / "code")
    code._lines.cache_clear()
    app = visit("inside", inside="memory")
    code._lines.cache_clear()
    assert not app.exception and app.dataframe is not None
    (message,) = (caption.value for caption in app.caption if "memory.py" in caption.value)
    assert "git checkout -- assets" in message


MODULE = """\"\"\"A lesson.\"\"\"

import math
import re
from dataclasses import dataclass

import numpy as np
import torch.nn.functional as F
from torch import Tensor, nn

from .other import relative


# program: double
def double(number: Tensor) -> Tensor:
    return 2 * number


# end of program
def computed(given: Tensor, width: int) -> Tensor:
    # program: own
    total = sum(math.sqrt(double(each * width)) for each in given)  # the sum
    layer = nn.Linear(1, len(np.zeros(3)))
    # end of program
    return total
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "lesson.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "headers.py").write_text(
        "from PIL import Image\n\n# program: load\ngiven = Image.open(path)\n# end of program\n", encoding="utf-8"
    )
    monkeypatch.setattr(code, "ROOT", tmp_path)
    monkeypatch.setattr(code, "HEADERS", "headers.py")
    monkeypatch.setitem(code.SHARED, ("page", "own"), ("load", "lesson.py: double", "lesson.py: own"))


def test_a_program_has_its_imports_then_its_values_then_headers_then_the_marked_lines(own):
    assert code.shared_program("page", "own", "  # yours") == (
        "import math\n\nimport numpy as np\nfrom PIL import Image\nfrom torch import Tensor, nn\n\n"
        "path = None  # yours\nwidth = None  # yours\n\n"
        "given = Image.open(path)\n\n\n"
        "def double(number: Tensor) -> Tensor:\n    return 2 * number\n\n\n"
        "total = sum(math.sqrt(double(each * width)) for each in given)  # the sum\n"
        "layer = nn.Linear(1, len(np.zeros(3)))"
    )


def test_a_mark_that_is_missing_is_an_error(own, monkeypatch):
    monkeypatch.setitem(code.SHARED, ("page", "own"), ("lesson.py: other",))
    with pytest.raises(KeyError, match="other"):
        code.shared_program("page", "own", "")


def test_every_mark_is_in_a_program():
    model = code.ROOT / "model"
    marks = {
        f"{path.relative_to(model).as_posix()}: {name}"
        for path in model.rglob("*.py")
        for name in marked_programs(path.read_text(encoding="utf-8"))
    }
    headers = marked_programs((code.ROOT / code.HEADERS).read_text(encoding="utf-8"))
    assert marks | set(headers) == {part for parts in code.SHARED.values() for part in parts}
