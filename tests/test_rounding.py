"""A number is rounded once, where it is written for people: what is measured, stored or sent keeps all its digits."""

from __future__ import annotations

import ast
import json
import re
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

# Files of the pages and views that write decimals otherwise than by `views/text/numbers.py`, with the reason.
FORMATS = {
    "pages/inside/add_norm.py": "the mean of cosines, which is near 1",
    "pages/inside/feed_forward_sums.py": "figures of a paper, with its decimals",
    "pages/shared/doubt.py": "BLEU with one decimal",
    "pages/shared/models.py": "BLEU and chrF with one decimal",
    "views/html/answer_cell.py": "a length of a bar, in CSS",
    "views/html/bars.py": "a length of a bar, in CSS",
    "views/html/class_bars.py": "a length of a bar, in CSS",
    "views/html/decoding_steps.py": "a length of a bar, in CSS",
    "views/html/generated_tokens.py": "a length of a bar, in CSS",
    "views/svg/course_heads.py": "places of a drawing",
    "views/svg/course_parts.py": "places of a drawing",
    "views/svg/course_vectors.py": "an opacity of a drawing",
    "views/svg/head_arcs.py": "places of a drawing",
    "views/svg/unrolled.py": "places of a drawing",
    "views/viewer/shown_maps.py": "megabytes of a page that is too large",
}
# Scripts of the browser that round otherwise than by `web/src/core/numbers.ts`, with the reason.
SCRIPTS = {
    "views/attention_lines/figure.ts": "the per cent of a slider with whole steps",
    "views/attention_lines/picture.ts": "the per cent of a slider with whole steps, and places of a drawing",
    "views/patch_picture/view.ts": "the per cent of a slider with whole steps",
    "views/stage/pulling.ts": "the weight to which a visitor drags, on the grid of the slider",
    "views/step_view/curves.ts": "round numbers without the noise of their sum",
    "core/heatmap.ts": "a title with all digits that single precision has",
}
IN_SCRIPTS = re.compile(r"\.toFixed\(|\.toPrecision\(|\.toExponential\(|Math\.round\(100 ?\*")


def formats(source: str) -> list[int]:
    """Lines that write a number with a fixed number of decimals: `f"{x:.2f}"`, `"%.1f"`, `format(x, ".0%")`."""
    tree = ast.walk(ast.parse(source))
    return sorted(
        {
            node.lineno
            for node in tree
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.search(r"(?:^[^\s{}%]*|[:%][^\s{}%]*)\.\d+[f%]\}?", node.value)
        }
    )


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


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("f'{x:.5f}'", 1),
        ("f'{100 * x:.0f} %'", 1),
        ("f'{x:+.1%}'", 1),
        ("f'{x:,.0f} MB'", 1),
        ("format(x, '.2f')", 1),
        ("'{:.2f}'.format(x)", 1),
        ("'%.1f' % x", 1),
        ("f'{x:.3g}'", 0),
        ("f'{x:>5}'", 0),
        ("'see 3.2 of it'", 0),
    ],
)
def test_formats_with_decimals_are_found(source: str, count: int):
    assert len(formats(source)) == count


def test_numbers_on_screen_are_written_by_one_module():
    written = {
        str(path.relative_to(ROOT))
        for folder in ("views", "pages")
        for path in (ROOT / folder).rglob("*.py")
        if formats(path.read_text(encoding="utf-8"))
    }
    assert written - {"views/text/numbers.py"} == FORMATS.keys()


def test_numbers_in_the_browser_are_written_by_one_module():
    source = ROOT / "web/src"
    found = {
        str(path.relative_to(source)) for path in source.rglob("*.ts") if IN_SCRIPTS.search(path.read_text("utf-8"))
    }
    assert found - {"core/numbers.ts"} == SCRIPTS.keys()


def test_figures_of_studies_keep_their_digits():
    interval = bootstrap_interval(1 / 3, np.array([1 / 7, 1 / 6, 1 / 5]))
    assert (interval.value, interval.low) == (1 / 3, np.percentile([1 / 7, 1 / 6, 1 / 5], 2.5))
    figures = {name: {"loss": {"value": value}, "bleu": None} for name, value in (("a", 1 / 3), ("b", 1 / 7))}
    mean = over_seeds(figures, {"a": {"kind": "x"}, "b": {"kind": "x"}})["x"]["loss"]["value"]
    assert mean == np.mean([1 / 3, 1 / 7])
    scores = score_translations({"a b": "un deux trois quatre cinq"}, {"a b": ["un deux trois quatre six"]})
    assert scores.bleu != round(scores.bleu, 2) and json.loads(json.dumps(scores.bleu)) == scores.bleu
