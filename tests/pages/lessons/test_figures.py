"""The figures of all lessons as they are drawn: bars against their numbers, and before against after the answer."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tests.pages.lessons.conftest import content, inputs
from views.lessons import BY_ID
from views.text.numbers import percent, three_digits

BARS = {"history-one-word", "inside-one-query", "inside-heads", "masks-causality", "inside-add-norm", "decoding-step"}
BARS |= {"loss-tokens", "vision-cls", "tokens-step-by-step"}
RIBBONS = {"attention-ribbons", "attention-limits"}


def bars(svg: str) -> list[tuple[float, float]]:
    """Return the number and the drawn length of each bar of a figure."""
    nodes = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}rect")
    return [
        (float(node.attrib["data-number"]), float(node.attrib["width"]))
        for node in nodes
        if "data-number" in node.attrib
    ]


def ribbons(svg: str) -> list[tuple[float, float]]:
    """Return the number and the drawn width of each ribbon of a figure."""
    nodes = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")
    return [
        (float(node.attrib["data-number"]), float(node.attrib["stroke-width"]))
        for node in nodes
        if "data-number" in node.attrib
    ]


def texts(svg: str) -> set[str]:
    return {"".join(node.itertext()) for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.parametrize("id", BY_ID)
def test_bars_are_as_long_as_their_numbers_say(id):
    for lesson in inputs(id):
        drawn = content(lesson).figures
        assert bool(bars(drawn[1])) == (id in BARS)
        for svg in drawn:
            if not (found := bars(svg)):
                continue
            largest, longest = max(found, key=lambda bar: abs(bar[0]))
            for number, length in found:
                assert length == pytest.approx(abs(number) * longest / abs(largest), abs=0.11)
            written = texts(svg)
            for number, _ in found:
                forms = (three_digits(number), percent(number / 100), f"{number:.0f} %")
                assert any(form in written for form in forms) or id == "inside-one-query", (id, number)


@pytest.mark.parametrize("id", BY_ID)
def test_ribbons_are_as_wide_as_their_numbers_say(id):
    for lesson in inputs(id):
        drawn = content(lesson).figures
        assert any(map(ribbons, drawn)) == (id in RIBBONS)
        for svg in drawn:
            found, written = ribbons(svg), texts(svg)
            largest, widest = max(found, default=(1.0, 1.0))
            for number, width in found:
                assert width == pytest.approx(number * widest / largest, abs=0.011)
                assert three_digits(number) in written


@pytest.mark.parametrize("id", BY_ID)
def test_an_answer_changes_the_figure(id):
    for lesson in inputs(id):
        before, after, *others = content(lesson).figures
        assert len({before, after, *others}) == 2 + len(others)
        shown = [
            len(ElementTree.fromstring(svg).findall(".//{*}rect[@fill='url(#covered)']")) for svg in (before, after)
        ]
        # nothing is covered where a ribbon becomes an outline, and where bars change
        assert shown[0] > shown[1] == 0 or id in ("attention-limits", "inside-one-query")


def test_the_cut_ribbon_is_an_outline_of_its_width():
    lesson = inputs("attention-limits")[0]
    before, after = content(lesson).figures[:2]
    (outline,) = (node for node in ElementTree.fromstring(after).iter() if node.get("stroke-dasharray") == "5 4")
    ribbons = [float(node.attrib["stroke-width"]) for node in ElementTree.fromstring(before).findall(".//{*}path")]
    ((top, bottom),) = re.findall(r" ([\d.]+) V([\d.]+) ", outline.attrib["d"])
    assert outline.get("fill") == "none" and float(bottom) - float(top) == pytest.approx(max(ribbons), abs=0.02)


def test_without_positions_both_pictures_have_the_same_bars():
    after = content(inputs("vision-cls")[0]).figures[1]
    whole, bare, shuffled, both = (length for _, length in bars(after))
    assert bare == both and whole != shuffled and "=" in texts(after)
