"""Values with error bars, by group."""

import pytest

from views import palette
from views.figures.intervals import IntervalSeries, intervals
from views.figures.line_chart import SERIES as SERIES_COLOURS

SERIES = (
    IntervalSeries("one vector", (44.4, 32.3, 9.0), (41.8, 30.5, 2.3), (47.2, 34.3, 14.8)),
    IntervalSeries("$attention$", (49.2, 42.0, 15.9), (46.6, 40.1, 6.1), (51.9, 44.2, 25.6)),
)
GROUPS = ("1 to 5", "6 to 10", "16 and more")


@pytest.fixture(params=["light", "dark"])
def theme(request):
    return request.param


def test_points_are_side_by_side_with_their_error_bars(theme):
    figure = intervals(SERIES, GROUPS, (True, True, False), theme, "words", "BLEU")
    points = [trace for trace in figure.data if trace.mode == "markers"]
    assert [list(trace.y) for trace in points] == [list(one.values) for one in SERIES]
    assert [list(trace.x) for trace in points] == [[-0.25, 0.75, 1.75], [0.25, 1.25, 2.25]]
    for trace, one in zip(points, SERIES, strict=True):
        ups, downs = trace.error_y.array, trace.error_y.arrayminus
        assert [value + up for value, up in zip(one.values, ups, strict=True)] == pytest.approx(one.highs)
        assert [value - down for value, down in zip(one.values, downs, strict=True)] == pytest.approx(one.lows)
        assert "customdata[1]" in trace.hovertemplate
    assert {trace.marker.color for trace in points} == set(SERIES_COLOURS[:2])


def test_groups_with_too_little_data_are_hollow_and_not_connected(theme):
    figure = intervals(SERIES, GROUPS, (True, True, False), theme, "words", "BLEU")
    first, line = figure.data[:2]
    assert list(first.marker.symbol) == ["circle", "circle", "circle-open"]
    assert line.mode == "lines" and list(line.y) == [44.4, 32.3] and line.hoverinfo == "skip"


def test_axes_are_labelled_and_labels_are_escaped(theme):
    figure = intervals(SERIES, GROUPS, (True, True, False), theme, "words", "BLEU")
    assert list(figure.layout.xaxis.ticktext) == list(GROUPS)
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("words", "BLEU")
    assert figure.data[2].name == "&#36;attention&#36;"
    assert figure.layout.font.color is None and figure.layout.xaxis.tickfont.color == palette.INK[theme]


def test_groups_without_a_value_are_left_out_and_a_line_separates_groups(theme):
    partial = IntervalSeries("table", (40.0, None, None), (39.0, None, None), (42.0, None, None))
    figure = intervals((SERIES[0], partial), GROUPS, (True, True, False), theme, "words", "BLEU", (2, "$beyond$"))
    points, line = figure.data[2:]
    assert (list(points.x), list(points.y), list(points.error_y.array)) == ([0.25], [40.0], [2.0])
    assert list(points.marker.symbol) == ["square"] and list(line.y) == [40.0]
    assert points.customdata[0][0] == "1 to 5"
    (across,), (label,) = figure.layout.shapes, figure.layout.annotations
    assert across.x0 == across.x1 == label.x == 1.5 and label.text == "&#36;beyond&#36;"
    assert not intervals(SERIES, GROUPS, (True,) * 3, theme, "words", "BLEU").layout.shapes
