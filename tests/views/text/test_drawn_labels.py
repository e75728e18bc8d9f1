"""Every drawing writes a token by one function: cut, with the whole as title, visible, and in its own direction."""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from views import palette
from views.components import component
from views.export import drawing, matrix_image
from views.export.downloads import cell
from views.export.stage_image import StagePicture, stage_drawing
from views.figures import heatmap, intervals, line_chart
from views.svg.beam import Node, beam
from views.svg.course_parts import token_at
from views.svg.head_arcs import head_arcs
from views.svg.unrolled import SublayerRow, unrolled
from views.text import literal
from views.text.catalogue import Message, say
from views.text.numbers import millions, percent, with_interval

ROOT = Path(__file__).resolve().parents[3]
HEBREW = "\u05e9\u05dc\u05d5\u05dd"
# invisible characters inside, spaces of three kinds, markup, and far more letters than any drawing has room for
HOSTILE = f"a\u200bb\u00a0c\u3000d\u202fe\u2009f\u202e{HEBREW}<b>$x$</b>" + "y" * 120
VISIBLE = f"aU+200BbU+00A0cU+3000dU+202FeU+2009fU+202E{HEBREW}<b>$x$</b>" + "y" * 120
HIDDEN = re.compile("[\u200b\u00a0\u3000\u202f\u2009\u202e]")
LONGEST = 64  # letters of any text in a drawing
WEIGHTS = np.full((1, 2, 2), 0.5, np.float32)


def svg_texts(svg: str) -> tuple[list[str], list[str]]:
    """Texts that are drawn, and titles."""
    titles = re.findall(r"<title[^>]*>(.*?)</title>", svg)
    drawn = re.findall(r"<text[^>]*>(?:<title[^>]*>.*?</title>)?(.*?)</text>", svg)
    return [html.unescape(text) for text in drawn], [html.unescape(title) for title in titles]


def plotly_texts(figure) -> tuple[list[str], list[str]]:
    """Texts that are drawn, and those of a pointer."""
    sent = json.loads(figure.to_json())
    drawn = [str(trace.get("name", "")) for trace in sent["data"]]
    pointed = [text for trace in sent["data"] for side in "xy" for text in trace.get(side, [])]
    pointed = [text.rstrip("\u200b") for text in pointed if isinstance(text, str)]  # of a heatmap, all different
    for name, axis in sent["layout"].items():
        drawn += axis.get("ticktext", []) if name.startswith(("xaxis", "yaxis")) else []
    drawn += [row for note in sent["layout"].get("annotations", []) for row in note["text"].split("<br>")]
    pointed += [text for trace in sent["data"] for text in [trace.get("hovertemplate", ""), *trace.get("text", [])]]
    pointed += [row[0] for trace in sent["data"] for row in trace.get("customdata", [])]
    plain = [html.unescape(re.sub(r"<[^>]*>", "", text)) for text in drawn]
    return plain, [html.unescape(text) for text in pointed if isinstance(text, str)]


def item_texts(drawn: drawing.Drawing) -> tuple[list[str], list[str]]:
    assert drawing.to_png(drawn)
    return svg_texts(drawing.to_svg(drawn))


CURVE = line_chart.ChartLine(HOSTILE, [0, 1], [0.0, 1.0], marks=True, labels=[HOSTILE] * 2)
SERIES = intervals.IntervalSeries(HOSTILE, [0.5], [0.4], [0.6])
PANEL = matrix_image.MatrixPanel(
    "map", np.zeros((2, 2, 3), np.uint8), [HOSTILE] * 2, [HOSTILE] * 2, palette.scale("cross", "light"), ("0", "1")
)
STAGE = StagePicture(
    "Map",
    "cross",
    {"encoder": WEIGHTS[0], "cross": WEIGHTS[0], "decoder": WEIGHTS[0]},
    [HOSTILE] * 2,
    [HOSTILE] * 2,
    "<s>",
    None,
    [],
)
DRAWINGS: dict[str, Callable[[], tuple[list[str], list[str]]]] = {
    "lines": lambda: plotly_texts(line_chart.lines([CURVE, CURVE], "light", "x", "y")),
    "lines with names at their ends": lambda: plotly_texts(line_chart.lines([CURVE], "light", "x", "y", direct=True)),
    "categories": lambda: plotly_texts(
        line_chart.category_ticks(line_chart.lines([CURVE], "light", "x", "y"), [HOSTILE] * 2)
    ),
    "intervals": lambda: plotly_texts(intervals.intervals([SERIES], [HOSTILE], [True], "light", "x", "y")),
    "heatmap": lambda: plotly_texts(
        heatmap.matrix(heatmap.ChartMatrix(WEIGHTS[0], "r", "c", "v", [HOSTILE] * 2, [HOSTILE] * 2), "light")
    ),
    "lesson": lambda: svg_texts(token_at(0, 0, HOSTILE, "en")),
    "arcs": lambda: svg_texts(head_arcs([HOSTILE] * 2, [HOSTILE] * 2, WEIGHTS, "light", "arcs", True)),
    "edges": lambda: svg_texts(head_arcs([HOSTILE] * 2, [HOSTILE] * 2, WEIGHTS, "light", "arcs", False)),
    "unrolled": lambda: svg_texts(
        unrolled([SublayerRow("e", "e", "source", "encoder", [1])], {"source": [HOSTILE], "target": []}, [], [], "t")
    ),
    "beam": lambda: svg_texts(beam([[Node(HOSTILE, 1, -1, -1, "kept", True, 0)]], "t")),
    "matrix in a file": lambda: item_texts(matrix_image.side_by_side([PANEL], "t")),
    "stage in a file": lambda: item_texts(stage_drawing(STAGE)),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_hostile_token_is_cut_visible_and_whole_in_a_title(name: str):
    drawn, whole = DRAWINGS[name]()
    cut = [text for text in drawn if "U+200B" in text]
    assert cut
    assert not [text for text in (*drawn, *whole) if HIDDEN.search(text.replace("ln\u00a0p", ""))]
    assert max(literal.columns(text) for text in drawn) <= LONGEST
    assert any(VISIBLE.rstrip("y") in literal.without_isolates(text) and "y" * 120 in text for text in whole), whole


@pytest.mark.parametrize("space", list("\u00a0\u202f\u2009\u2003"))
@pytest.mark.parametrize("name", ["a{}b", "({})", "12{}a", "<{}b"])
def test_a_space_of_a_token_in_the_name_of_a_curve_is_a_code(name: str, space: str):
    assert literal.drawn_name(name.format(space), 40)[0] == name.format(f"U+{ord(space):04X}")


@pytest.mark.parametrize(
    "name",
    [
        say("test.logs", "training, -ln p of the right token"),
        Message("history.lengths", "{lengths} (n\u00a0=\u00a0{count})")(lengths="1 \u2013 4", count=1200),
        *(percent(0.123), percent(0.0002), with_interval(1.2, 1.1, 1.3), millions(86_000_000)),
    ],
)
def test_no_break_spaces_of_the_page_s_own_names_stay(name: str):
    assert re.search("[\u00a0\u202f]", name) and literal.drawn_name(name, 80) == (name, name)


@pytest.mark.parametrize("count", [1, 2, 4, 30])
def test_labels_of_a_saved_map_take_no_more_than_the_map_in_its_direction(count: int):
    def size(label: str) -> tuple[float, float]:
        pixels = np.zeros((count, count, 3), np.uint8)
        panel = matrix_image.MatrixPanel("", pixels, [label] * count, [label] * count, PANEL.scale, ("0", "1"))
        drawn = matrix_image.side_by_side([panel], "")
        return drawn.width, drawn.height

    bare, labelled = size("a"), size("x" * 120)
    side = max(drawing.SHORTEST_CUT, min(420, 26 * count))
    assert labelled[0] - bare[0] <= min(drawing.LABEL_WIDTH, side) + 1
    assert labelled[1] - bare[1] <= min(drawing.LABEL_WIDTH, side) + 1


@pytest.mark.parametrize("label", ["\u200b", "\u2028", "\u00ad", "\ufeff", "\u2800", "\u3164", "\ud800", "\U000e0001"])
def test_an_invisible_character_alone_is_its_code(label: str):
    code = f"U+{ord(label):04X}"
    assert literal.token(label) == literal.drawn_token(label, 20)[0] == component.labels([label])[0] == code


@pytest.mark.parametrize("space", list("\u00a0\u1680\u2000\u2002\u2007\u200a\u202f\u205f\u3000"))
def test_each_kind_of_space_has_its_own_sign(space: str):
    assert literal.token(space) == f"U+{ord(space):04X}"
    assert literal.token(" ") == literal.token("\u2009") == "\u2423"


@pytest.mark.parametrize("text", [HEBREW, "\u0645\u0631\u062d\u0628\u0627 1", f"{HEBREW} b"])
def test_a_value_from_right_to_left_changes_the_order_of_nothing_around_it(text: str):
    isolated = f"\u2068{text}\u2069"
    assert say("test.bidi", "{token} attends to {key}.", token=text, key="a") == f"{isolated} attends to a."
    assert Message("test.bidi", "{token:은/는} {n}")(token=text, n=1234).startswith(isolated)
    assert literal.isolated(f"{isolated}: 0.5") == f"{isolated}: 0.5"  # once
    assert literal.visible(isolated) == isolated
    assert cell(f"{isolated}: 0.5") == f"{text}: 0.5"  # a file has the text alone
    assert literal.plotly(text) == isolated
    assert literal.fit(f"{text}, {'y' * 40}", 12).count("\u2068") == literal.fit(text, 3).count("\u2069")


@pytest.mark.parametrize("text", ["a\u2068b\u2069", "\u2068", f"\u2069{HEBREW}\u2068", f"{HEBREW}\u2069"])
def test_isolates_that_change_nothing_are_shown_as_codes(text: str):
    assert not re.search("[\u2068\u2069]", literal.visible(text))


def calls(tree: ast.AST) -> set[str]:
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name)
    }


def test_drawings_cut_tokens_by_the_one_function():
    svg = sorted((ROOT / "views/svg").glob("*.py"))
    assert len(svg) > 8
    for path in svg:
        names = calls(ast.parse(path.read_text(encoding="utf-8")))
        assert "fit" not in names, path  # literal.drawn_token cuts
        drawn = re.findall(r"<text[^>]*literal\.TOKEN", path.read_text(encoding="utf-8"))
        assert not drawn or "drawn_token" in names, path


TEXTS = {"name", "text", "ticktext"}  # what Plotly draws of a trace, an axis or an annotation
MESSAGES = {  # of the page, and labels that another function of the file made; nothing else is drawn as it is
    "heatmap": {"title"},
    "intervals": {"x_title", "y_title"},
    "line_chart": {"labels", "title", "x_title"},
    "occlusion": {"AXES[axis]()", "PROBABILITY()"},
    "patch_positions": {"terms.COSINE()"},
    "saturation": {"name", "title"},
}


@pytest.mark.parametrize("path", sorted((ROOT / "views/figures").glob("*.py")), ids=lambda path: path.stem)
def test_figures_of_plotly_escape_and_cut_what_they_draw(path: Path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assigned = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    texts = [
        value
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value in TEXTS
    ]
    called = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    texts += [
        word.value
        for node in called
        for word in node.keywords
        if word.arg in TEXTS and calls(node.func) & {"dict", "update_xaxes"}
    ]
    unchecked = set()
    for value in texts:
        names = calls(value)
        names |= {name for known in names & set(assigned) for name in calls(assigned[known])}
        if names and not names & {"plotly", "_tick", "say", "cut_ticks", "three_digits"}:
            unchecked.add(ast.unparse(value))
    assert unchecked == MESSAGES.get(path.stem, set())
