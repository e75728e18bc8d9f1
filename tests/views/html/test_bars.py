"""Tables with bars: texts are escaped, numbers have three digits. Vectors as strips."""

import base64
import io
import re

import numpy as np
from PIL import Image

from views import palette
from views.html import bars
from views.html.bars import strip_cell


def test_text_is_literal_and_numbers_have_three_digits():
    html = bars.table(["<i>", "value", "count"], [["<b>x</b>", 0.123456, 7], ["y", -2.0, 8]], "a <table>")
    assert "<i>" not in html
    assert "<b>x" not in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert '<td class="aa-number">0.123</td><td class="aa-number">7</td>' in html
    assert 'aria-label="a &lt;table&gt;"' in html
    assert html.count("<tr>") == 3


def test_a_bar_is_as_wide_as_its_share():
    assert "25.0%" in bars.bar_cell(0.5, 2).html
    assert "100.0%" in bars.bar_cell(3.0, 2).html
    assert "0.0%" in bars.bar_cell(0.0, 0).html
    assert palette.NEGATIVE in bars.bar_cell(-1.0, 2).html
    assert palette.HUES["decoder"] in bars.bar_cell(1.0, 2, "decoder").html
    assert palette.LESS_AND_MORE[0] in bars.bar_cell(-1.0, 2, palette.DIFFERENCE).html
    cells = [
        ["a", bars.bar_cell(0.25, 1, "cross")],
        ["b", bars.bar_cell(-3, 2)],
        ["c", bars.bar_cell(0, 0, text="<none>")],
    ]
    html = bars.table(("k", "v"), cells, "x")
    assert re.findall(r"--share:([\d.]+)%", html) == ["25.0", "100.0", "0.0"]
    assert ">&lt;none&gt;<" in html and ">0.250<" in html


def test_one_row_can_be_highlighted():
    html = bars.table(("k",), [["a"], ["b"]], "x", marked=1)
    assert html.index("aa-marked") > html.index(">a<")
    assert html.count("aa-marked") == 1


def test_a_column_of_numbers_is_right_aligned_with_its_heading():
    html = bars.table(("place", "what"), [[1, "a"], [2, 0.5]], "x")
    assert '<th scope="col" class="aa-number">place</th><th scope="col">what</th>' in html
    assert '<th scope="row" class="aa-number">2</th><td class="aa-number">0.500</td>' in html
    html = bars.table(("k", "rate", "steps"), [["a", "\u2013", "\u2013"], ["b", bars.bar_cell(1, 2), 3]], "x")
    assert '<th scope="col">rate</th><th scope="col" class="aa-number">steps</th>' in html  # bars start at the left


def test_a_strip_has_one_pixel_per_number_in_the_signed_scale():
    drawn = strip_cell(np.array([-2.0, 0.0, 2.0, 9.0]), 2.0, "decoder", "dark", "<query>").html
    address, words = re.fullmatch(r'<img src="data:image/png;base64,(.+)" alt="(.+)">', drawn).groups()
    image = Image.open(io.BytesIO(base64.b64decode(address)))
    scale = palette.signed_scale("decoder", "dark")
    expected = [palette.to_rgb(colour) for colour in (scale[0], scale[len(scale) // 2], scale[-1], scale[-1])]
    assert [image.getpixel((x, 0)) for x in range(4)] == expected
    assert words == "&lt;query&gt;: 4 numbers, length 9.43"
    assert drawn in bars.table(("k", "v"), [["a", bars.Cell(drawn)]], "x")


def test_controls_are_shown_by_number():
    assert "U+0007" in bars.table(["a", "b"], [["x", "\u0007"]], "t")


def test_a_column_of_formatted_numbers_and_dashes_is_right_aligned():
    rows = [
        ["a", "\u2013", "<\u00a00.1\u00a0%", "17 states"],
        ["b", 0.25, "100.0\u00a0%", "3"],
        ["c", "1.20e-4", "\u2014", "x"],
    ]
    content = bars.table(["", "weight", "share", "what"], rows, "any")
    assert content.count('class="aa-number"') == 2 + 3 * 2  # two headings and two cells of each row
    assert '<td class="aa-number">\u2013</td>' in content and "<td>3</td>" in content


def test_cells_of_a_stacked_table_have_the_titles_of_their_columns():
    rows = [["a", 0.5, "x"]]
    assert re.findall(r'data-title="([^"]*)"', bars.table(["row", "share", "A < B"], rows, "t", stacked=True)) == [
        "share",
        "A &lt; B",
    ]
    assert "data-title" not in bars.table(["row", "share", "A < B"], rows, "t")


def test_no_line_ends_inside_the_bars_of_a_length():
    html = bars.table(["", "|x + output|"], [["a", 1.0]], "Lengths", stacked=True)
    assert html.count("|\u2060x + output|") == 2
