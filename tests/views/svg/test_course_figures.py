"""Figures of lessons: what is covered is not drawn, and what can be picked has an option."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from views.svg import course_sentences, course_vectors
from views.svg.course_parts import COVER, WIDTH

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
    before = course_sentences.ribbons(KEYS, PLACES, WEIGHTS, 0, "label", covered=True, picks="keys")
    after = course_sentences.ribbons(KEYS, PLACES, WEIGHTS, 0, "label", covered=False, picks="queries")
    assert {node.get("stroke-width") for node in nodes(before, "}path")} == {"1.00"} and "0.700" not in texts(before)
    assert [node.get("stroke-width") for node in nodes(after, "}path")] == ["15.40", "6.38"]  # none below 0.02
    assert options(before) == ["0", "1", "2"] and options(after) == ["0", "1"]
    assert "<b>" in texts(after) and "0.700" in texts(after)
    cut = course_sentences.ribbons(KEYS, PLACES, WEIGHTS, 0, "label", covered=False, hidden=0, becomes="la")
    assert [node.get("stroke-dasharray") for node in nodes(cut, "}path")] == ["6 5", None] and "\u2192 la" in texts(cut)


@pytest.mark.parametrize("covered", [True, False])
def test_bars_have_a_common_scale(covered):
    svg = course_sentences.bar_rows(KEYS, [1.0, 2.0, 0.0], "label", kind="cross", covered=covered, pick=True)
    widths = [float(node.attrib["width"]) for node in nodes(svg, "}rect") if node.get("fill-opacity") == "0.7"]
    assert len(nodes(svg, "}rect", fill=COVER)) == (3 if covered else 0) and options(svg) == ["0", "1", "2"]
    assert widths == ([] if covered else [89.0, 178.0, 0.0])


def test_each_column_has_a_scale_of_its_own():
    svg = course_sentences.two_columns(["a", "b"], {"one": [0.5, 0.25], "two": [0.02, 0.01]}, "label", kind="decoder")
    widths = [node.attrib["width"] for node in nodes(svg, "}rect") if node.get("fill-opacity") == "0.7"]
    assert widths == ["68.0", "34.0"] * 2
    covered = course_sentences.two_columns(["a"], {"one": [1.0], "two": [0.02]}, "label", kind="decoder", covered="two")
    assert "0.0200" not in texts(covered) and len(nodes(covered, "}rect", fill=COVER)) == 1


def test_arcs_stay_within_the_figure():
    links = [(9, 0, 1.0, "#123456"), (1, 0, 0.5, "#654321")]
    tokens = [str(number) for number in range(10)]
    svg = course_sentences.arcs(tokens, links, "label", legend=[("head 1", "#123456")], pick=True)
    drawn = [node.attrib["d"].split() for node in nodes(svg, "}path")]
    assert max(float(part.lstrip("MC,").rstrip(",")) for path in drawn for part in path) <= 260 and options(svg) == [
        "0"
    ]
    changes = course_sentences.arcs(tokens, [], "label", changes=[0.0] * 9 + [2.0], covered=False, marked=3)
    assert texts(changes).split().count("2.00") == 1
    assert "2.00" not in texts(course_sentences.arcs(tokens, [], "label", changes=[2.0] * 10, covered=True))


def test_vectors_of_other_lengths_and_a_long_sentence():
    strip = course_vectors.WordStrip("cat", 7, ("row",), np.linspace(-1, 1, 60)[None])
    svg = course_vectors.strips([strip, strip], ["row", "layer 1"], [1.0, -0.5], "cosine", "label", False)
    assert len([node for node in nodes(svg, "}rect") if node.get("height") == "14.0"]) == 2 * course_vectors.CELLS + 2
    covered = course_vectors.strips([strip, strip], ["row"], [0.25], "cosine", "label", True)
    assert "0.250" not in texts(covered)
    long = course_vectors.sentences([("English", "word " * 30), ("French", None)], "label")
    assert len(nodes(long, "}text")) == 2 + 4 + 1 and f"0 0 {WIDTH} " in long


def test_what_a_layer_adds_is_picked_before_it_is_drawn():
    before = course_vectors.stream_ribbon([1.0, 2.0, 1.0], [None, None], ("attention", "feed-forward"), "label")
    after = course_vectors.stream_ribbon([1.0, 2.0, 1.0], [0.5, 0.25], ("attention", "feed-forward"), "label")
    assert options(before) == ["self", "ffn"] and options(after) == [] and "0.500" in texts(after)


def test_bars_of_a_share_and_patches():
    names, groups = ("one", "all"), ("short", "long")
    before = course_vectors.retained_bars(names, groups, 90.1, None, (90, 75), "label")
    after = course_vectors.retained_bars(names, groups, 90.1, 60.4, (90, 75), "label")
    assert options(before) == ["90", "75"] and options(after) == [] and "60 %" in texts(after)
    assert ElementTree.fromstring(before).get("viewBox") == ElementTree.fromstring(after).get("viewBox")
    url = "data:image/png;base64,AA=="
    patches = course_vectors.picture(url, "label", [str(number) for number in range(4)], np.array([1.0, 0.5, 0.0, 0.0]))
    shades = [node.get("fill-opacity") for node in nodes(patches, "}rect", fill="#000")]
    assert options(patches) == ["0", "1", "2", "3"] and shades == ["0.00", "0.38", "0.75", "0.75"]
    assert len(nodes(course_vectors.two_pictures(url, url, "label"), "}image", href=url)) == 2
