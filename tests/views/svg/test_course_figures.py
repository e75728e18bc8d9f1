"""Figures of lessons: what is covered is not drawn, and what can be picked has an option."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from views.svg import course_heads, course_sentences, course_vectors
from views.svg.course_parts import COVER, WIDTH, BarScale, stacked

KEYS, PLACES = ["<b>", "cat", "."], ["le", "chat"]
WEIGHTS = np.array([[0.7, 0.29, 0.01], [0.1, 0.8, 0.1]])


def nodes(svg: str, tag: str = "", **attributes: str) -> list[ElementTree.Element]:
    """Return the elements of a figure with these attributes."""
    every = [node for node in ElementTree.fromstring(svg).iter() if node.tag.endswith(tag)]
    return [node for node in every if all(node.get(name) == value for name, value in attributes.items())]


def options(svg: str) -> list[str]:
    return [node.attrib["data-option"] for node in nodes(svg, "}g")]


def texts(svg: str) -> str:
    return " ".join("".join(node.itertext()) for node in nodes(svg, "}text"))


def test_ribbons_are_covered_until_they_are_predicted():
    before = course_sentences.ribbons(KEYS, PLACES, WEIGHTS, 0, "label", covered=True, picks={"keys": "ask"})
    picks = {"keys": "ask", "queries": "last"}
    after = course_sentences.ribbons(KEYS, PLACES, WEIGHTS, 0, "label", covered=False, picks=picks)
    assert {node.get("stroke-width") for node in nodes(before, "}path")} == {"1.00"} and "0.700" not in texts(before)
    assert [node.get("stroke-width") for node in nodes(after, "}path")] == ["15.40", "6.38"]  # none below 0.02
    assert options(before) == ["0", "1", "2"] and options(after) == ["0", "1", "2", "0", "1"]
    assert [node.get("data-of") for node in nodes(after, "}g")] == ["ask"] * 3 + ["last"] * 2
    assert "<b>" in texts(after) and "0.700" in texts(after)
    cut = course_sentences.ribbons(KEYS, PLACES, WEIGHTS, 0, "label", covered=False, hidden=0, becomes="la")
    assert [node.get("stroke-dasharray") for node in nodes(cut, "}path")] == ["5 4", None] and "\u2192 la" in texts(cut)


@pytest.mark.parametrize("covered", [True, False])
def test_bars_have_a_common_scale(covered):
    svg = course_sentences.bar_rows(
        KEYS, [1.0, 2.0, 0.0], "label", kind="cross", language="en", covered=covered, picks="ask"
    )
    assert len(nodes(svg, "}rect", fill=COVER)) == (3 if covered else 0) and options(svg) == ["0", "1", "2"]
    assert widths(svg) == ([] if covered else [89.0, 178.0, 0.0])


def widths(svg: str) -> list[float]:
    """Return the lengths of the bars of a figure."""
    return [float(node.attrib["width"]) for node in nodes(svg, "}rect") if "data-number" in node.attrib]


def test_a_bar_of_a_negative_number_ends_at_zero():
    scale = BarScale.over([-1.0, 3.0], 80)
    bars = [nodes(scale.bar(10, 0, number, 8, "red"))[0] for number in (-1.0, 3.0, 1.5)]
    assert [(bar.get("x"), bar.get("width")) for bar in bars] == [("10.0", "20.0"), ("30.0", "60.0"), ("30.0", "30.0")]


def test_both_columns_have_one_scale():
    columns = {"one": [0.5, 0.25, 0.25], "two": [0.02, 0.01, 0.97]}
    svg = course_sentences.two_columns(["a", "b"], "8 others", columns, "label", kind="decoder")
    assert widths(svg) == pytest.approx(
        [66 * value / 0.97 for values in columns.values() for value in values], abs=0.06
    )
    assert "8 others" in texts(svg)
    covered = course_sentences.two_columns(["a", "b"], "", columns, "label", kind="decoder", covered="two")
    assert "0.0200" not in texts(covered) and len(nodes(covered, "}rect", fill=COVER)) == 3


def test_arcs_stay_within_the_figure():
    links = [(9, 0, 1.0, "#123456"), (1, 0, 0.5, "#654321")]
    tokens = [str(number) for number in range(10)]
    svg = course_sentences.arcs(tokens, links, "label", changes=[0.0] * 9 + [2.0], covered=False, marked=3)
    drawn = [node.attrib["d"].split() for node in nodes(svg, "}path")]
    assert max(float(part.lstrip("MC,").rstrip(",")) for path in drawn for part in path) <= 260
    assert texts(svg).split().count("2.00") == 1
    covered = course_sentences.arcs(tokens, [], "label", changes=[2.0] * 10, covered=True, marked=0)
    assert "2.00" not in texts(covered)


def test_columns_of_heads_become_that_of_their_mean():
    heads, mean = [[(0, 1, 0.9)], [(2, 1, 0.5)]], [(0, 1, 0.45)]
    arguments = KEYS, heads, mean, ["head 1", "head 2", "mean"], ["#111111", "#222222"], (["own", "mean"], [0.1, 2.0])
    before, after = (course_heads.head_columns(*arguments, "label", covered=covered) for covered in (True, False))
    assert [node.get("stroke") for node in nodes(before, "}path")] == ["#111111", "#222222"]
    assert texts(before).split().count("cat") == 2 and texts(before).split().count("<b>") == 1  # words at arcs alone
    assert "2.00" not in texts(before) and widths(after) == pytest.approx([9.0, 180.0], abs=0.06)
    assert [len(nodes(after, "}g", **{"class": name})) for name in ("merging", "merged")] == [2, 1]
    assert ElementTree.fromstring(before).get("viewBox") == ElementTree.fromstring(after).get("viewBox")


def test_vectors_of_other_lengths_and_a_long_sentence():
    strip = course_vectors.WordStrip("cat", 7, ("row",), np.linspace(-1, 1, 60)[None])
    svg = course_vectors.strips([strip, strip], ["row", "layer 1"], [1.0, -0.5], "cosine", "label", False)
    assert len([node for node in nodes(svg, "}rect") if node.get("height") == "14.0"]) == 2 * course_vectors.CELLS + 2
    covered = course_vectors.strips([strip, strip], ["row"], [0.25], "cosine", "label", True)
    assert "0.250" not in texts(covered)
    long = course_vectors.sentences([("English", "word " * 30), ("French", None)], "label")
    assert len(nodes(long, "}text")) == 2 + 4 + 1 and f"0 0 {WIDTH} " in long


def test_what_a_layer_adds_is_picked_before_it_is_drawn():
    added = [("self", "attention", 0.5), ("ffn", "feed-forward", 0.25)]
    before, after = (course_vectors.stream_bars("stream", added, "label", covered=covered) for covered in (True, False))
    assert options(before) == options(after) == ["self", "ffn"] and "0.500" not in texts(before)
    assert widths(before) == [180.0] and widths(after) == [180.0, 90.0, 45.0]


def test_bars_of_a_share():
    names, groups = ("one", "all"), ("short", "long")
    before = course_vectors.retained_bars(names, groups, 90.1, None, (90, 75), "label")
    after = course_vectors.retained_bars(names, groups, 90.1, 60.4, (90, 75), "label")
    assert options(before) == options(after) == ["90", "75"] and "60.4\u00a0%" in texts(after)
    assert widths(after) == pytest.approx([207.2, 138.9, 207.0, 172.5], abs=0.06)
    assert ElementTree.fromstring(before).get("viewBox") == ElementTree.fromstring(after).get("viewBox")


def test_two_pictures_and_the_patches_of_the_first():
    urls = ("data:image/png;base64,AA==", "data:image/png;base64,BB==")
    arguments = urls, np.array([[1.0, 0.5], [0.25, 0.5]]), ("with", "without"), "label"
    covered = course_vectors.compared_pictures(*arguments, covered=True)
    assert len(nodes(covered, "}image")) == 2 and widths(covered) == [] and options(covered) == []
    names = [str(number) for number in range(4)]
    weights = np.array([1.0, 0.5, 0.0, 0.0])
    after = course_vectors.compared_pictures(
        *arguments, covered=False, are_same=True, patch_names=names, weights=weights
    )
    shades = [node.get("fill-opacity") for node in nodes(after, "}rect", fill="#000")]
    assert options(after) == names and shades == ["0.00", "0.38", "0.75", "0.75"]
    assert widths(after) == [106.0, 53.0, 26.5, 53.0] and "=" in texts(after)
    assert [node.get("href") for node in nodes(after, "}image")] == list(urls)
    assert len(nodes(after, "}use", href="#picture-0")) == 1
    assert "\u2260" in texts(course_vectors.compared_pictures(*arguments, covered=False))


def test_the_parts_of_a_divided_bar_are_as_long_as_their_shares():
    shares = [0.5, 0.3, 0.15, 0.05]
    whole, *lines = nodes(f"<svg>{stacked(10, 0, 200, 12, shares, '#000')}</svg>", "rect")
    assert (float(whole.attrib["x"]), float(whole.attrib["width"])) == (10, 200)
    ends = [10, *(float(line.attrib["x"]) + 0.7 for line in lines)]
    assert np.diff(ends) == pytest.approx([200 * share for share in shares], abs=0.06)
