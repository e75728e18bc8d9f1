"""The drawing of an unrolled network: a circle with its step per vertex, an arrow per edge."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

from views.svg.unrolled import SublayerRow, unrolled

SVG = "{http://www.w3.org/2000/svg}"
ROWS = [
    SublayerRow("encoder.backwards", "reads <b>", "source", "encoder", [3, 2, 1]),
    SublayerRow("decoder", "decoder", "target", "decoder", [4, 4]),
]
TOKENS = {"source": ("\u2009I", "incomprehensible", "</s>"), "target": ("<s>", "\u2009Je")}
EDGES = [(("encoder.backwards", 2), ("encoder.backwards", 1)), (("encoder.backwards", 0), ("decoder", 0))]
PATH = [("source", 0), ("encoder.backwards", 0), ("decoder", 0)]


def draw_unrolled(path=PATH, rows=ROWS):
    return ElementTree.fromstring(unrolled(rows, TOKENS, EDGES, path, 'An "unrolled" <network>'))


def texts_marked(root, what):
    return [text for text in root.iter(f"{SVG}text") if text.get("data-said") == what]


def test_every_vertex_has_a_circle_and_its_step():
    root = draw_unrolled()
    assert len(list(root.iter(f"{SVG}circle"))) == 2 * 5  # paper, then colour
    assert [text.text for text in texts_marked(root, "number")] == [
        "3",
        "2",
        "1",
        "4",
    ]  # one number for a row that is one step
    names = [text.text for text in root.iter(f"{SVG}text") if not text.get("data-said")]
    assert names == ["reads <b>", "decoder"]
    assert root.get("aria-label") == 'An "unrolled" <network>'


def test_names_of_wide_letters_are_on_the_drawing():
    rows = [replace(row, name=name) for row, name in zip(ROWS, ("뒤에서부터 읽음", "디코더"), strict=True)]
    root = draw_unrolled(rows=rows)
    source, target = (text for text in root.iter(f"{SVG}text") if not text.get("data-said"))
    size = float(root.get("font-size"))  # and the width of a syllable of Hangul
    assert float(source.get("x")) >= size * len(source.text)
    assert float(target.get("x")) + size * len(target.text) <= float(root.get("width"))


def test_tokens_are_below_their_columns_and_long_ones_are_shortened():
    tokens = texts_marked(draw_unrolled(), "token")
    assert [text.find(f"{SVG}title").tail for text in tokens] == ["I", "incomprehen\u2026", "</s>", "<s>", "Je"]
    assert tokens[1].find(f"{SVG}title").text == "incomprehensible"
    across = [float(text.get("x")) for text in tokens]
    assert across == sorted(across) and across[1] - across[0] == across[4] - across[3] < across[3] - across[2]


def test_the_path_is_strong_and_every_third_edge_thin():
    lines = [line for line in draw_unrolled().iter(f"{SVG}path") if line.get("marker-end")]
    strong = [line for line in lines if line.get("stroke-width") == "3"]
    assert len(lines) == 3 and len(strong) == 2  # an edge of the path is drawn once
    bold = [text for text in texts_marked(draw_unrolled(), "token") if text.get("font-weight")]
    assert [text.find(f"{SVG}title").text for text in bold] == ["I"]


def test_a_line_along_a_row_curves_over_the_vertices_between():
    lines = [line.get("d") for line in draw_unrolled().iter(f"{SVG}path") if line.get("marker-end")]
    assert sum("Q" in line for line in lines) == 1  # from the last state to the decoder, over two others
    (arc,) = [line for line in lines if "Q" in line]
    start, bend = float(arc.split()[1]), float(arc.split()[3])
    assert 12 < (start + bend) / 2 < start  # the highest point of the curve, on the drawing


def test_without_a_path_nothing_is_strong():
    lines = [line for line in draw_unrolled([]).iter(f"{SVG}path") if line.get("marker-end")]
    assert len(lines) == 2 and not any(line.get("stroke-width") == "3" for line in lines)
