"""Every check on every page states its bound, and keeps it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pages.shared import checks
from tests.pages.conftest import ROOT, visit
from tests.pages.test_exports import VIEWS
from views.text import prose

SOURCES = "\n".join(path.read_text() for path in sorted((ROOT / "pages").rglob("*.py")))
SENTENCE = "If it had not rained, we could have gone to the sea with my uncle, who sells boats, and with his two dogs."
WORDS = ["the", "a", "I", "my", "old", "teacher", "wants", "sold", "rain", "nobody", "could", "if", "dogs,", "12", "?"]
WORDS += ["!", "\uac00", "="]


def test_a_figure_stands_beside_its_bound():
    assert checks.said("attention", 1.4e-6) == "1.40e-6 (rounding stays below 1e-5)"
    assert checks.said("attention", 0.0) == "0 (rounding stays below 1e-5)"
    assert checks.said("mask leak", 0.0) == "exactly 0"
    assert checks.said("slope of ln p", 0.0012) == "0.00120 (a finite step stays below 0.05)"
    assert checks.said("variances", 2e-5) == "2.00e-5 (LayerNorm\u2019s \u03b5 stays below 1e-4)"


@pytest.mark.parametrize(("name", "figure"), [("attention", 1.1e-5), ("mask leak", 1e-9), ("attention", float("nan"))])
def test_a_figure_beyond_its_bound_is_called_wrong(name, figure):
    assert "something is wrong" in checks.said(name, figure)


def test_every_bound_is_used_and_every_check_has_one():
    used = re.findall(r'checks\.said\(\s*"([^"]+)"', SOURCES)
    assert SOURCES.count("checks.said(") == len(used)
    assert set(used) == set(checks.BOUNDS)


@pytest.mark.parametrize(("page", "query"), VIEWS, ids=str)
def test_every_view_keeps_its_bounds(page, query):
    """The page says so itself where one is broken."""
    app = visit(page, **{"text": SENTENCE} | query)
    said = "\n".join(element.value for element in (*app.caption, *app.markdown))
    assert "something is wrong" not in said
    # what a check found never stands alone
    for line in re.findall(r"(?:[Dd]ifference|differs? by(?: at most)?):? (\d[^ ]*)(.{12})", said.replace("\n", " ")):
        assert line[1].startswith((" (", " between the")), line


def test_attention_keeps_its_bound_on_many_sentences(translator):
    rng = np.random.default_rng(0)
    for _ in range(40):
        trace = translator.trace(" ".join(rng.choice(WORDS, rng.integers(1, 30))))
        for check in trace.verification.values():
            assert check.max_difference <= checks.BOUNDS["attention"]
            assert check.row_sum_error <= checks.BOUNDS["row sums"]
            assert check.masked_weight == 0


@pytest.mark.parametrize("page", ["attention_viewer", "vision"])
def test_no_text_promises_more_than_the_bound(page):
    text = prose.block(page, "what-this-checks" if page == "attention_viewer" else "What this checks").replace(
        "\n", " "
    )
    assert "ten million" not in text and "bound beside the figure" in text
