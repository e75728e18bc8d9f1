"""The picture of the stage: the weights that are drawn, ribbons that divide bars, numbers of the pulled row."""

import io

import numpy as np
import pytest
from PIL import Image

from views import palette
from views.export.drawing import Box, Drawing, Stroke, TextLine, paint_stroke, text_width, to_png, to_svg, wrap
from views.export.stage_image import StagePicture, at_rest, stage_drawing

CROSS = np.array([[0.7, 0.2, 0.1], [0.05, 0.05, 0.9]], np.float32)
ENCODER = np.array([[0.9, 0.1, 0.0], [0.3, 0.3, 0.4], [0.1, 0.5, 0.4]], np.float32)
DECODER = np.array([[1.0, 0.0], [0.6, 0.4]], np.float32)


def drawn(pulled=None, kind="cross", count=1) -> Drawing:
    maps = {"encoder": ENCODER, "cross": np.tile(CROSS, (count, 1)), "decoder": DECODER}
    if count > 1:
        maps["decoder"] = np.tril(np.ones((2 * count, 2 * count), np.float32)) / np.arange(1, 2 * count + 1)[:, None]
    french = ["un", "deux"] * count
    return stage_drawing(StagePicture("Map", kind, maps, ["a", "b", "c"], french, "<s>", pulled, ["A caption."]))


def curves(drawing: Drawing, kind: str) -> list[Stroke]:
    colour = palette.scale(kind, "light")[9]
    return [item for item in drawing.items if isinstance(item, Stroke) and item.colour == colour]


@pytest.mark.parametrize(
    ("row", "keys"),
    [
        ([0.7, 0.2, 0.1], [0, 1]),  # up to 0.8
        ([0.25, 0.25, 0.25, 0.25], [0, 1, 2]),  # at most three
        ([0.079, 0.9, 0.021], [1]),
        ([0.05] * 20, []),
    ],
)
def test_at_rest_the_strongest_keys_are_drawn(row, keys):
    assert at_rest(np.array(row)) == keys


def test_ribbons_have_the_width_of_their_part_of_the_bar():
    ribbons = curves(drawn(), "cross")
    bar = ribbons[0].width / CROSS[0, 0]
    np.testing.assert_allclose([each.width for each in ribbons], bar * np.array([0.7, 0.2, 0.9]), rtol=1e-6)
    first, second, _ = ribbons
    assert second.end[0] - first.end[0] == pytest.approx((first.width + second.width) / 2)


def test_the_pulled_row_has_all_its_ribbons_with_numbers():
    drawing = drawn(("cross", 1, 0))
    assert len(curves(drawing, "cross")) == 2 + 3
    numbers = [item.text for item in drawing.items if isinstance(item, TextLine) and item.text.startswith("0.")]
    assert numbers == ["0.050", "0.050", "0.900"]


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_a_pulled_arc_has_its_number(kind):
    drawing = drawn((kind, 1, 0), kind)
    numbers = [item.text for item in drawing.items if isinstance(item, TextLine) and item.text.startswith("0.")]
    assert numbers == {"encoder": ["0.300", "0.400"], "decoder": ["0.600", "0.400"]}[kind]


def test_the_drawing_is_wide_enough_for_any_number_of_tokens():
    for count in (1, 20):
        drawing = drawn(count=count)
        boxes = [item for item in drawing.items if isinstance(item, Box)]
        assert min(box.x for box in boxes) >= 0 and max(box.x + box.width for box in boxes) <= drawing.width
        tokens = sorted((box.y, box.x, box.width) for box in boxes if box.height == 30)
        for (y, x, width), (next_y, next_x, _) in zip(tokens, tokens[1:], strict=False):
            assert y != next_y or x + width <= next_x


def test_a_curve_is_the_same_in_both_files():
    curve = Stroke((10, 10), (10, 50), (90, 50), (90, 90), 8, "#0072B2", 0.5)
    drawing = Drawing(100, 100, "Curve", (curve,))
    assert 'd="M10 10C10 50 90 50 90 90" fill="none" stroke="#0072B2" stroke-width="8"' in to_svg(drawing)
    pixels = np.asarray(Image.open(io.BytesIO(to_png(drawing, scale=1))).convert("RGB"))
    mixed = (np.array([0x00, 0x72, 0xB2]) + 255) / 2
    np.testing.assert_allclose(pixels[50, 50], mixed, atol=2)
    assert pixels[50, 10].tolist() == pixels[10, 90].tolist() == [255, 255, 255]
    assert np.allclose(curve.points()[[0, -1]], [(10, 10), (90, 90)])


def test_lines_are_broken_between_words():
    lines = wrap("one two three four immeasurably", 13, text_width("one two three", 13))
    assert lines == ["one two three", "four", "immeasurably"] and wrap(" ", 13, 50) == []


@pytest.mark.parametrize("length", [0.5, 20.2, 31.5, 32, 63.4, 64])
def test_a_stroke_of_any_height_is_painted(length):
    """Rows are painted in bands: the last one may begin just below the stroke."""
    for scale in (1, 2, 3):
        image = Image.new("RGB", (40, 80 * scale), "#FFFFFF")
        stroke = Stroke((5, 4), (5, 4), (9, 4 + length), (9, 4 + length), 2, "#000000")
        paint_stroke(image, stroke, scale)
        assert image.getbbox() and np.array(image).min() < 128
