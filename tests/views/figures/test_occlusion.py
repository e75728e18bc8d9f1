"""The drawn curves equal the measured ones and are named with their areas; random orders are a band."""

import numpy as np
import pytest

from views.figures.occlusion import STYLES, OcclusionCurve, curves

SHARE = np.array([0, 0.5, 1])
METHODS = [OcclusionCurve(name, np.array([0.9, level, 0.1]), level) for level, name in enumerate("abcde")]
CENTRE = OcclusionCurve("centre first", np.array([0.9, 0.3, 0.1]), 0.4)
CHANCE = OcclusionCurve("random order", np.array([0.9, 0.5, 0.1]), 0.5)
AMONG = np.array([[0.9, 0.4, 0.1], [0.9, 0.6, 0.1], [0.9, 0.5, 0.1]])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_line_and_the_band(theme):
    figure = curves(SHARE, METHODS, CENTRE, CHANCE, AMONG, "covered", theme)
    low, high, *lines = figure.data
    np.testing.assert_allclose(low.y, [90, 40, 10])
    np.testing.assert_allclose(high.y, [90, 60, 10])
    assert high.fill == "tonexty" and not (low.showlegend or high.showlegend)
    for drawn, line in zip(lines, [*METHODS, CENTRE, CHANCE], strict=True):
        np.testing.assert_allclose(drawn.y, 100 * line.probability, rtol=1e-6)
        np.testing.assert_allclose(drawn.x, [0, 50, 100])
        assert drawn.y.dtype == np.float32
        assert drawn.name.startswith(f"{line.name}: area ")
    assert lines[-2].name == "centre first: area 0.400"
    assert lines[-1].name == "random order: area 0.500"
    assert figure.layout.xaxis.title.text == "patches covered, per cent"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_differ_by_more_than_their_hue(theme):
    figure = curves(SHARE, METHODS, CENTRE, CHANCE, AMONG, "covered", theme)
    looks = [(line.line.color, line.line.dash) for line in figure.data[2:]]
    assert len(set(looks)) == len(looks) == len(STYLES[theme]) + 2


def test_fewer_methods():
    assert len(curves(SHARE, METHODS[:1], CENTRE, CHANCE, AMONG, "uncovered", "light").data) == 5
