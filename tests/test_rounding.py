"""A number is rounded once, where it is written for people: what is measured, stored or sent keeps all its digits."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import numpy as np
import pytest

from training.evaluate import score_translations
from training.network_comparison_study import bootstrap_interval
from training.positions_study import over_seeds

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(
    path
    for folder in ("model", "views", "pages", "server", "attention_atlas", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
)
# Files that may round to decimals, with the reason.
WRITES = {
    "benchmarks/load_visitor.py": "the weight that a visitor drags to, as the browser sends it",
    "benchmarks/timing.py": "writes a table",
    "views/components/vector_view.py": "coordinates that a user places, on the grid of the view",
}


def roundings(source: str) -> list[int]:
    """Lines that round to a number of decimals: `round(x, n)`, `np.round(x, n)`, `x.round(n)`, `np.around(x, n)`."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        of_module = isinstance(node.func, ast.Name) or ast.unparse(node.func).startswith(("np.", "torch.", "numpy."))
        if name in ("round", "around") and (len(node.args) > of_module or node.keywords):
            lines.append(node.lineno)
    return lines


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("round(x, 5)", 1),
        ("round(x, ndigits=5)", 1),
        ("np.round(x, 5)", 1),
        ("table.round(3)", 1),
        ("table.round(decimals=3)", 1),
        ("round(255 * x)", 0),
        ("np.round(x)", 0),
        ("colours.round()", 0),
        ("f'{x:.5f}'", 0),
    ],
)
def test_rounding_to_decimals_is_found(source: str, count: int):
    assert len(roundings(source)) == count


def test_nothing_is_rounded_before_it_is_written():
    rounded = {
        str(path.relative_to(ROOT)): lines for path in SOURCES if (lines := roundings(path.read_text(encoding="utf-8")))
    }
    assert rounded.keys() == WRITES.keys(), rounded


def test_figures_of_studies_keep_their_digits():
    interval = bootstrap_interval(1 / 3, np.array([1 / 7, 1 / 6, 1 / 5]))
    assert (interval.value, interval.low) == (1 / 3, np.percentile([1 / 7, 1 / 6, 1 / 5], 2.5))
    figures = {name: {"loss": {"value": value}, "bleu": None} for name, value in (("a", 1 / 3), ("b", 1 / 7))}
    mean = over_seeds(figures, {"a": {"kind": "x"}, "b": {"kind": "x"}})["x"]["loss"]["value"]
    assert mean == np.mean([1 / 3, 1 / 7])
    scores = score_translations({"a b": "un deux trois quatre cinq"}, {"a b": ["un deux trois quatre six"]})
    assert scores.bleu != round(scores.bleu, 2) and json.loads(json.dumps(scores.bleu)) == scores.bleu
