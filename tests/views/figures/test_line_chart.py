"""Curves and paths: their numbers, names and panels."""

import numpy as np

from views.figures.line_chart import BINS, SERIES, ChartLine, category_ticks, histogram, lines


def test_curves_contain_their_numbers():
    x = np.arange(5)
    figure = lines(
        [ChartLine("one", x, x / 3), ChartLine("two", x, -x / 3, 1, "dash", marks=True)], "light", "time", "size"
    )
    one, two = figure.data
    np.testing.assert_allclose(one.y, x / 3, rtol=1e-6)
    assert np.asarray(one.y).dtype == np.float32
    assert (one.mode, two.mode) == ("lines", "lines+markers")
    assert (one.line.color, two.line.color) == SERIES[:2]
    assert two.line.dash == "dash"
    assert figure.layout.showlegend
    assert figure.layout.xaxis.title.text == "time"


def test_names_and_labels_are_literal():
    figure = lines(
        [ChartLine("<b>$x$", np.array([1.0]), np.array([2.0]), marks=True, labels=["<i>"])], "dark", "x", "y"
    )
    assert figure.data[0].name == "&lt;b&gt;&#36;x&#36;"
    assert figure.data[0].text == ("&lt;i&gt;",)
    assert figure.data[0].mode == "markers"


def test_panels_share_one_axis_and_one_legend_entry_per_name():
    x = np.arange(3)
    figure = lines([ChartLine("a", x, x, panel=0), ChartLine("a", x, x, panel=1)], "light", "x", ["first", "second"])
    assert [trace.yaxis for trace in figure.data] == ["y", "y2"]
    assert [trace.showlegend for trace in figure.data] == [True, False]
    assert (figure.layout.yaxis.title.text, figure.layout.yaxis2.title.text) == ("first", "second")


def test_direct_labels_are_at_the_ends_and_apart():
    x = np.arange(3)
    ends = {"long name of two rows": 1.0, "same <end>": 1.0, "above": 100.0}
    series = [ChartLine(name, x, np.array([1.0, 1.0, end]), n) for n, (name, end) in enumerate(ends.items())]
    figure = lines(series, "light", "x", "y", log_y=True, direct=True)
    labels = figure.layout.annotations
    assert not figure.layout.showlegend and figure.layout.xaxis.ticks == "outside"
    assert [label.text.split("</span> ")[1] for label in labels] == [
        "long name of<br>two rows", "same &lt;end&gt;", "above",
    ]  # fmt: skip
    assert [label.y for label in labels] == [0, 0, 2]
    heights = [label.yshift for label in labels]
    assert heights[1] - heights[0] == 24 and heights[2] == 0  # half of two rows and half of one


def test_direct_labels_of_wide_characters_have_room():
    def drawn(name: str):
        return lines([ChartLine(name, [0, 1], [0, 1]), ChartLine("a", [0, 1], [1, 0])], "light", "x", "y", direct=True)

    assert drawn("가나다라마바").layout.margin.r == drawn("abcdefabcdef").layout.margin.r
    assert "가나다 라마바<br>사아자" in drawn("가나다 라마바 사아자").layout.annotations[1].text


def test_stages_are_named():
    figure = category_ticks(lines([ChartLine("a", np.arange(2), np.arange(2))], "light", "x", "y"), ["<s>", "b"])
    assert figure.layout.xaxis.ticktext == ("&lt;s&gt;", "b")


def test_every_number_is_in_a_bin_of_the_histogram():
    values = np.random.default_rng(0).normal(size=1000)
    figure = histogram(values, 0.5, "light", "cosine")
    assert np.asarray(figure.data[0].y).sum() == 1000
    assert len(figure.data[0].x) == BINS
    assert figure.layout.shapes[0].x0 == 0.5
