"""The drawing of a beam search: a box per hypothesis with its numbers, a line to its parent."""

import xml.etree.ElementTree as ElementTree

from views import palette
from views.svg.beam import Node, beam

SVG = "{http://www.w3.org/2000/svg}"
COLUMNS = [
    [Node("\u2009Je", 0.5, -0.69, -0.69, "kept", True, 0), Node("\u2009<b>", 0.25, -1.4, -1.4, "pruned", False, 0)],
    [
        Node("\u2009veux", 0.5, -1.39, -1.27, "kept", True, 0),
        Node("</s>", 0.1, -3.0, -2.74, "displaced", False, 0),
    ],
    [Node("</s>", 0.9, -1.49, -1.26, "finished", True, 0)],
]


def draw_beam():
    return ElementTree.fromstring(beam(COLUMNS, 'A "beam" & its <tree>'))


def boxes(root):
    return [group for group in root.iter(f"{SVG}g") if group.get("data-fate")]


def test_every_hypothesis_has_a_box_with_its_token_and_both_scores():
    texts = [[text.text for text in group.iter(f"{SVG}text")] for group in boxes(draw_beam())]
    assert texts == [
        ["Je", "\u22120.690 | \u22120.690"],
        ["<b>", "\u22121.40 | \u22121.40"],
        ["veux", "\u22121.39 | \u22121.27"],
        ["</s>", "\u22123.00 | \u22122.74"],
        ["</s>", "\u22121.49 | \u22121.26"],
    ]
    assert [group.get("data-fate") for group in boxes(draw_beam())] == [n.fate for column in COLUMNS for n in column]


def test_the_tooltip_of_a_box_contains_all_numbers():
    title = boxes(draw_beam())[0].find(f"{SVG}title").text
    assert title == "Je: kept; probability 0.500, sum of ln\u00a0p \u22120.690, score \u22120.690"


def test_there_is_a_line_to_every_box_and_the_winning_path_is_orange():
    lines = list(draw_beam().iter(f"{SVG}path"))
    assert len(lines) == 5
    assert [line.get("stroke") for line in lines].count(palette.HUES["decoder"]) == 3


def test_lines_start_at_the_parents_box():
    columns = [[Node(str(n), 0.1, -1, -1, "kept", False, 0) for n in range(3)], [Node("x", 1, -1, -1, "kept", True, 2)]]
    root = ElementTree.fromstring(beam(columns, "t"))
    parent = boxes(root)[2].find(f"{SVG}rect")
    middle = float(parent.get("y")) + float(parent.get("height")) / 2
    start = list(root.iter(f"{SVG}path"))[-1].get("d").split(" C")[0]
    assert start == f"M{float(parent.get('x')) + float(parent.get('width')):g} {middle:g}"


def test_long_tokens_are_shortened_and_complete_in_the_tooltip():
    root = ElementTree.fromstring(beam([[Node("incomprehensible", 1, -1, -1, "kept", True, 0)]], "t"))
    (group,) = boxes(root)
    assert group.find(f"{SVG}text").text == "incomprehens\u2026"
    assert group.find(f"{SVG}title").text.startswith("incomprehensible: kept")


def test_the_drawing_is_described():
    root = draw_beam()
    assert root.get("aria-label") == 'A "beam" & its <tree>'
    assert [t.text for t in root.iter(f"{SVG}text") if (t.text or "").startswith("step")] == [
        "step 1",
        "step 2",
        "step 3",
    ]
