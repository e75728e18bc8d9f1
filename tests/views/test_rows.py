"""Tables of numbers with bars, and vectors as strips."""

import base64
import io
import re

import numpy as np
from PIL import Image

from views import palette
from views.figures.rows import Bar, table
from views.figures.strip import strip


def test_text_is_never_markup_and_numbers_have_three_digits():
    html = table(("<i>", "n"), [["<b>x</b>", 0.123456], ["\u202ey", 12]], "A <table>")
    assert "<b>" not in html and "<i>" not in html and "A &lt;table&gt;" in html
    assert ">0.123<" in html and ">12<" in html
    assert "U+202E" in html
    assert html.count("<tr") == 3


def test_bars_are_as_long_as_their_share():
    html = table(("k", "v"), [["a", Bar(0.25, 1, "cross")], ["b", Bar(-3, 2)], ["c", Bar(0, 0, text="none")]], "x")
    assert re.findall(r"transparent\) ([\d.]+)%", html) == ["25.0", "100.0", "0.0"]
    assert palette.HUES["cross"] in html and palette.NEGATIVE in html
    assert ">none<" in html and ">0.250<" in html


def test_one_row_can_stand_out():
    html = table(("k",), [["a"], ["b"]], "x", marked=1)
    assert html.index("aa-marked") > html.index(">a<")
    assert html.count("aa-marked") == 1


def test_a_strip_is_one_pixel_a_number_in_the_signed_scale():
    drawn = strip(np.array([-2.0, 0.0, 2.0, 9.0]), 2.0, "decoder", "dark", "query")
    image = Image.open(io.BytesIO(base64.b64decode(drawn.address.split(",")[1])))
    scale = palette.signed_scale("decoder", "dark")
    wanted = [palette.to_rgb(colour) for colour in (scale[0], scale[len(scale) // 2], scale[-1], scale[-1])]
    assert [image.getpixel((x, 0)) for x in range(4)] == wanted
    assert "4 numbers" in drawn.words and "9.43" in drawn.words
    assert f'alt="{drawn.words}"' in table(("k", "v"), [["a", drawn]], "x")
