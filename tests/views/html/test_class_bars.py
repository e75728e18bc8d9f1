"""Class probabilities as bars."""

import re

import numpy as np
import pytest

from views.html.class_bars import bars, before_and_after, ranked


def test_a_row_per_class_and_the_best_is_highlighted():
    html = bars(("tench", "<b>", "church"), (0.2, 0.0004, 0.7996))
    assert re.findall(r'<th scope="row" data-said="name">(.*?)</th>', html) == ["tench", "&lt;b&gt;", "church"]
    assert re.findall(r"width:([\d.]+)%", html) == ["20.00", "0.04", "79.96"]
    assert re.findall(r'title="([^"]+)"', html) == ["0.2", "0.0004", "0.7996"]
    assert html.count("aa-best") == 1
    assert html.index("aa-best") > html.index("&lt;b&gt;")
    assert "&lt;\u00a00.1\u00a0%" in html


def test_ranked_bars_are_as_long_as_their_probabilities():
    html = ranked([str(number) for number in range(9)], np.linspace(0.2, 0.02, 9))
    lengths = [float(width) for width in re.findall(r"width:([\d.]+)%", html)]
    assert lengths == pytest.approx(np.linspace(20, 2, 9), abs=0.005) and "--rows:5" in html
    assert "--rows:2" in ranked(["a", "b"], [0.7, 0.3], low=True)


def test_every_class_has_both_bars():
    content = before_and_after(["tench", "church"], [0.25, 0.75], [0.875, 0.125], "patches shuffled")
    assert re.findall(r"width:([\d.]+)%", content) == ["25.00", "87.50", "75.00", "12.50"]
    assert "25.0\u00a0%<br>87.5\u00a0%" in content and "75.0\u00a0%<br>12.5\u00a0%" in content
    assert 'title="0.25 before, 0.875 after"' in content
    assert "patches shuffled" in content


def test_names_are_shown_literally():
    assert "<img" not in before_and_after(["<img src=x>"], [1.0], [0.0], "<b>") and "&lt;b&gt;" in before_and_after(
        ["a"], [1], [0], "<b>"
    )
