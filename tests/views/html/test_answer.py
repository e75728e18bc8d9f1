"""Class probabilities as bars."""

import re

from views.html.answer import bars


def test_a_row_a_class_and_the_best_stands_out():
    html = bars(("tench", "<b>", "church"), (0.2, 0.0004, 0.7996))
    assert re.findall(r'<th scope="row" data-said="name">(.*?)</th>', html) == ["tench", "&lt;b&gt;", "church"]
    assert re.findall(r"width:([\d.]+)%", html) == ["20.00", "0.04", "79.96"]
    assert re.findall(r'title="([^"]+)"', html) == ["0.2", "0.0004", "0.7996"]
    assert html.count("aa-best") == 1
    assert html.index("aa-best") > html.index("&lt;b&gt;")
    assert "&lt; 0.1 %" in html
