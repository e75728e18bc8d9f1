"""Two bars and two numbers a class, and nothing in a name is read as HTML."""

import re

from views.html.moves import moves


def test_every_class_has_both_bars():
    shown = moves(["tench", "church"], [0.25, 0.75], [0.875, 0.125], "patches shuffled")
    assert re.findall(r"width:([\d.]+)%", shown.split("</style>")[1]) == ["25.00", "87.50", "75.00", "12.50"]
    assert "25.0 %<br>87.5 %" in shown and "75.0 %<br>12.5 %" in shown
    assert 'title="0.25 before, 0.875 after"' in shown
    assert "patches shuffled" in shown


def test_names_are_shown_literally():
    assert "<img" not in moves(["<img src=x>"], [1.0], [0.0], "<b>") and "&lt;b&gt;" in moves(["a"], [1], [0], "<b>")
