"""Tables with bars: text stays text, numbers have three digits."""

from views import palette
from views.figures import bars


def test_text_is_literal_and_numbers_have_three_digits():
    html = bars.table(["name", "value", "count"], [["<b>x</b>", 0.123456, 7], ["y", -2.0, 8]], "a <table>")
    assert "<b>x" not in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert '<td class="aa-number">0.123</td><td class="aa-number">7</td>' in html
    assert 'aria-label="a &lt;table&gt;"' in html
    assert html.count("<tr>") == 3


def test_a_bar_is_as_wide_as_its_share():
    assert "25.0%" in bars.bar(0.5, 2).html
    assert "100.0%" in bars.bar(3.0, 2).html
    assert "0.0%" in bars.bar(0.0, 0).html
    assert palette.NEGATIVE in bars.bar(-1.0, 2).html
    assert palette.HUES["decoder"] in bars.bar(1.0, 2, "decoder").html


def test_controls_are_shown_by_number():
    assert "U+0007" in bars.table(["a", "b"], [["x", "\u0007"]], "t")
