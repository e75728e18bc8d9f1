"""HTML of one decoding step: every token is escaped, every number belongs to its token."""

import re

from views import palette
from views.html import bars, decoding_steps

HOSTILE = "<script>alert(1)</script>"


def texts(html: str) -> list[str]:
    return [text for text in re.sub(r"<[^>]+>", "\n", html).split("\n") if text]


def test_read_generated_and_later_tokens():
    html = decoding_steps.token_strip(["<s>", "\u2009Je"], "\u2009veux", ["\u2009une", "</s>"])
    assert texts(html) == ["&lt;s&gt;", "Je", "veux", "une", "&lt;/s&gt;"]
    assert re.findall(r'class="aa-now" aria-current="step" data-announced>([^<]+)', html) == ["veux"]
    assert re.findall(r'class="aa-later">([^<]+)', html) == ["une", "&lt;/s&gt;"]


def test_weights_are_below_their_tokens_and_the_largest_is_deepest():
    html = decoding_steps.weighted_tokens(["a", HOSTILE], [0.25, 0.5])
    assert texts(html) == ["a", "0.250", "&lt;script&gt;alert(1)&lt;/script&gt;", "0.500"]
    assert f"{palette.HUES['cross']} 35.0%" in html
    assert f"{palette.HUES['cross']} 70.0%" in html
    assert "0.0%" in decoding_steps.weighted_tokens(["a"], [0.0])


def test_rows_are_aligned_by_position():
    html = decoding_steps.aligned_tokens(
        (("reads", ("<s>", "Je")), ("writes", ("Je", "veux", "</s>"))), "shifted", "fr"
    )
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</th>(.*?)</tr>", html)
    assert [name for name, _ in rows] == ["reads", "writes"]
    assert [re.findall(r"<td[^>]*>(.*?)</td>", cells) for _, cells in rows] == [
        ["&lt;s&gt;", "Je", ""],
        ["Je", "veux", "&lt;/s&gt;"],
    ]


def test_a_differing_token_is_marked_by_a_sign_and_not_by_colour_alone():
    assert texts(decoding_steps.differing_cell("la").html) == ["\u2260 la"]
    assert texts(decoding_steps.token_cell("la").html) == ["la"]


def test_cells_of_a_table_are_literal():
    row = [HOSTILE, decoding_steps.token_cell(HOSTILE), decoding_steps.differing_cell(HOSTILE)]
    html = bars.table(["a", "b", HOSTILE], [row], HOSTILE)
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 6


def test_a_meter_shows_sign_and_size():
    assert "50.0%" in decoding_steps.meter_cell(1.0, 2.0).html
    assert texts(decoding_steps.meter_cell(-0.5, 0.0).html) == ["\u22120.500"]
