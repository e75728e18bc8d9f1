"""Matrices of a page as a picture: the page's numbers and colours, in lines that fit, with escaped text."""

import numpy as np
import pytest

from views import palette
from views.components.matrix_row import ALLOWED, RowMatrix
from views.export import drawing
from views.export.matrices import matrices_picture, matrix_panel

VALUES = np.array([[0.5, -0.5, 0], [-np.inf, 0.25, 0.5]], np.float32)


def named(name: str, values=VALUES, **options) -> RowMatrix:
    return RowMatrix(name, values, rows=("x", "<b>"), columns=("a", "b", "c"), **options)


def test_colours_are_those_of_the_page_and_masked_cells_grey():
    panel, scale = matrix_panel(named("scores")), palette.signed_scale("encoder", "light")
    assert panel.ends == ("\u22120.500", "0.500")
    assert tuple(panel.colours[0, 0]) == palette.to_rgb(scale[-1])
    assert tuple(panel.colours[0, 1]) == palette.to_rgb(scale[0])
    assert tuple(panel.colours[0, 2]) == palette.to_rgb(palette.BACKGROUND["light"])
    assert tuple(panel.colours[1, 0]) == palette.to_rgb(palette.MASKED["light"])
    weights = matrix_panel(named("weights", np.abs(VALUES), signed=False, top=1.0, kind="cross"))
    assert weights.ends == ("0", "1.00")
    assert panel.name == "scores, 2 \u00d7 3"
    mask = matrix_panel(named("mask", np.eye(2, 3), signed=False, words=("hidden", "may look")))
    assert tuple(mask.colours[0, 1]) == palette.to_rgb(palette.MASKED["light"])
    assert tuple(mask.colours[1, 1]) == palette.to_rgb(mask.scale[1])
    assert mask.ends == ("hidden", "may look")


def test_an_allowed_cell_has_the_shade_of_the_page_and_its_word_is_next_to_the_bar():
    mask = named("mask", np.ones((2, 3)), signed=False, words=("hidden from all", "may be looked at by everybody"))
    scale = [palette.to_rgb(colour) for colour in palette.scale("encoder", "light")]
    allowed, share = matrix_panel(mask).colours[0, 0], ALLOWED / 255 * (len(scale) - 1)
    below, above = np.array(scale[int(share)]), np.array(scale[int(share) + 1])
    assert ((allowed >= np.minimum(below, above)) & (allowed <= np.maximum(below, above))).all()
    plan = matrices_picture([mask, mask], "two")
    words = [item for item in plan.items if getattr(item, "text", "").startswith("may be")]
    names = [item for item in plan.items if getattr(item, "text", "").startswith("mask")]
    assert len(words) == 2 and names[1].x > words[0].x + drawing.text_width(words[0].text, 11)


def test_operators_are_between_the_matrices_and_text_is_escaped():
    plan = matrices_picture([named("A"), "\u00d7", named("B")], "<i>product</i>")
    svg = drawing.to_svg(plan)
    assert "<b>" not in svg and "&lt;b&gt;" in svg and "<i>" not in svg
    texts = {item.text: item.x for item in plan.items if isinstance(item, drawing.TextLine)}
    assert texts["A, 2 \u00d7 3"] < texts["\u00d7"] < texts["B, 2 \u00d7 3"]
    assert len([item for item in plan.items if isinstance(item, drawing.Box) and item.width > 15]) == 2 * 6
    assert drawing.to_png(plan, 1).startswith(b"\x89PNG")


def test_an_operator_moves_to_the_new_line_with_its_matrix():
    wide = RowMatrix("wide", np.ones((2, 100)))
    plan = matrices_picture([wide, wide, "=", wide], "a product")
    sign = next(item for item in plan.items if getattr(item, "text", "") == "=")
    names = [item for item in plan.items if getattr(item, "text", "").startswith("wide")]
    assert names[0].y == names[1].y < names[2].y < sign.y < plan.height
    assert sign.x < names[2].x


def test_a_matrix_that_does_not_fit_starts_a_new_line():
    plan = matrices_picture([named(str(number)) for number in range(12)], "many")
    names = [item for item in plan.items if isinstance(item, drawing.TextLine) and item.text.endswith("2 \u00d7 3")]
    assert len(names) == 12 and len({item.y for item in names}) > 1
    assert plan.width <= 1250
    assert all(item.x + getattr(item, "width", 0) <= plan.width for item in plan.items)
    assert all(item.y + getattr(item, "height", 0) <= plan.height for item in plan.items)


def test_a_large_matrix_is_one_image_without_labels():
    wide = RowMatrix("d", np.linspace(-1, 1, 128 * 256).reshape(128, 256))
    plan = matrices_picture([wide], "wide")
    (image,) = (item for item in plan.items if isinstance(item, drawing.Pixels))
    assert image.pixels.shape == (128, 256, 3)
    assert [item.text for item in plan.items if isinstance(item, drawing.TextLine)] == [
        "wide",
        "d, 128 \u00d7 256",
        "1.00",
        "\u22121.00",
    ]
    assert len(drawing.to_svg(plan)) < 200_000


@pytest.mark.parametrize("count", [12, 60, 197, 400])
def test_labels_do_not_lie_on_each_other(count):
    names = [f"row {number}" for number in range(count)]
    many = RowMatrix("many", np.ones((count, count)), rows=names, columns=names)
    lines = [item for item in matrices_picture([many], "all").items if isinstance(item, drawing.TextLine)]
    rows = [item for item in lines if item.text in names and item.anchor == "end"]
    gaps = np.diff([item.y for item in rows])
    assert (gaps >= 1.2 * rows[0].size).all() and rows[0].size >= 5
    assert len(rows) == count or count > 80
    assert rows[0].text == "row 0"
