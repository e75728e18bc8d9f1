"""Every check on every page has a bound. `test_every_view.py` checks that each view is within its bounds."""

from __future__ import annotations

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import checks
from tests.pages.conftest import ROOT
from views.text import prose

SOURCES = "\n".join(path.read_text() for path in sorted((ROOT / "pages").rglob("*.py")))
WORDS = ["the", "a", "I", "my", "old", "teacher", "wants", "sold", "rain", "nobody", "could", "if", "dogs,", "12", "?"]
WORDS += ["!", "\uac00", "="]


def test_a_difference_is_formatted_with_its_bound():
    assert checks.format_difference("attention", 1.4e-6) == "1.40e\u22126 (rounding stays below 1e\u22125)"
    assert checks.format_difference("attention", 0.0) == "0 (rounding stays below 1e\u22125)"
    assert checks.format_difference("rollout", 0.0) == "0 (rounding stays below 1e\u221212)"
    assert checks.format_difference("mask leak", 0.0) == "exactly 0"
    assert checks.format_difference("slope of ln p", 0.0012) == "0.00120 (a finite step stays below 0.05)"
    assert checks.format_difference("variances", 2e-5) == "2.00e\u22125 (LayerNorm\u2019s \u03b5 stays below 1e\u22124)"


@pytest.mark.parametrize(("name", "figure"), [("attention", 1.1e-5), ("mask leak", 1e-9), ("attention", float("nan"))])
def test_a_difference_beyond_its_bound_is_reported(name, figure):
    assert "something is wrong" in checks.format_difference(name, figure)


def render_attention_checks():
    from pages.shared import checks
    from pages.shared.texts import Figure, fold_check, render_check

    for difference in (1e-7, 1.0):
        figure = checks.format_difference("attention", difference)
        fold_check("compare", "two-check", difference=figure)
        render_check(Figure(f"Line {figure}", figure.within), "compare")


def test_a_check_is_folded_unless_it_failed():
    app = AppTest.from_function(render_attention_checks).run()
    folds = [fold for fold in app.expander if fold.label == "Checked"]
    assert [len(fold.caption) for fold in folds] == [1, 1]
    assert "independent" not in folds[0].caption[0].value and len(folds[0].markdown) == 0
    assert len(folds[1].markdown) == 1  # what it checks
    assert ["1.00, which is beyond the bound 1e\u22125: something is wrong" in each.value for each in app.warning] == [
        True
    ] * 2


def test_bounds_and_checks_correspond():
    used = re.findall(r'\bformat_(?:stream_)?difference\(\s*"([^"]+)"', SOURCES)
    assert len(re.findall(r"checks\.format_difference\(", SOURCES)) == len(
        re.findall(r'checks\.format_difference\(\s*"', SOURCES)
    )
    assert set(used) == set(checks.BOUNDS)


def test_attention_is_within_its_bound_on_many_sentences(translator):
    rng = np.random.default_rng(0)
    for _ in range(40):  # with random targets: translating would take most of the time
        source, target = (" ".join(rng.choice(WORDS, rng.integers(1, 30))) for _ in range(2))
        trace = translator.trace(source, target=target)
        for check in trace.verification.values():
            assert check.max_difference <= checks.BOUNDS["attention"]
            assert check.row_sum_error <= checks.BOUNDS["row sums"]
            assert check.masked_weight == 0


@pytest.mark.parametrize("page", ["attention_viewer", "vision"])
def test_no_text_promises_more_than_the_bound(page):
    text = prose.block(page, "what-this-checks").replace("\n", " ")
    assert "ten million" not in text and "bound given with the figure" in text
