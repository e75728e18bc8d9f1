"""A map over a picture: every patch one square, mixed by the opacity; reordered patches have the same pixels."""

import io

import numpy as np
import pytest
from PIL import Image

from views import palette
from views.figures.overlay import enlarged, overlay, rearranged, shades, signed, to_png

PIXELS = np.random.default_rng(0).random((8, 12, 3))  # 2 x 3 patches of 4 pixels


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_map_alone_covers_the_scale_from_least_to_largest(theme):
    scores = np.array([[3.0, 5.0, 7.0], [3.0, 3.0, 3.0]])
    drawn = overlay(PIXELS, scores, theme, opacity=1)
    scale = [palette.to_rgb(colour) for colour in palette.scale("vision", theme)]
    for (row, column), stop in {(0, 0): 0, (0, 1): 8, (0, 2): 16, (1, 2): 0}.items():
        square = drawn[4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
        assert (square == scale[stop]).all()


def test_no_opacity_is_the_picture_and_half_is_half_of_both():
    scores = np.arange(6.0).reshape(2, 3)
    plain, mapped = overlay(PIXELS, scores, "light", 0), overlay(PIXELS, scores, "light", 1)
    np.testing.assert_array_equal(plain, (255 * PIXELS).round())
    half = overlay(PIXELS, scores, "light", 0.5)
    np.testing.assert_allclose(half, (plain.astype(float) + mapped) / 2, atol=1.01)


def test_a_map_without_differences_is_the_background():
    drawn = overlay(PIXELS, np.full((2, 3), 0.25), "dark", 1)
    assert (drawn == palette.to_rgb(palette.BACKGROUND["dark"])).all()


def test_shades_between_stops_are_between_their_colours():
    first, second = (palette.to_rgb(colour) for colour in palette.scale("vision", "light")[:2])
    np.testing.assert_allclose(shades(np.array([0.5 / 16]), "light")[0], np.mean([first, second], axis=0))


def test_patches_are_reordered_whole():
    order = np.array([5, 0, 1, 2, 3, 4])
    moved = rearranged(PIXELS, order, 4)
    for place, patch in enumerate(order):
        (to_row, to_column), (row, column) = divmod(place, 3), divmod(int(patch), 3)
        np.testing.assert_array_equal(
            moved[4 * to_row : 4 * to_row + 4, 4 * to_column : 4 * to_column + 4],
            PIXELS[4 * row : 4 * row + 4, 4 * column : 4 * column + 4],
        )
    np.testing.assert_array_equal(rearranged(moved, np.argsort(order), 4), PIXELS)


def test_enlarging_repeats_pixels_and_a_png_contains_them():
    small = overlay(PIXELS, np.arange(6.0).reshape(2, 3), "light")
    large = enlarged(small, 100)
    assert large.shape == (72, 108, 3)
    np.testing.assert_array_equal(large[::9, ::9], small)
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(to_png(large)))), large)
    assert enlarged(large, 10) is not None and enlarged(large, 10).shape == large.shape


def test_a_signed_map_is_transparent_at_zero():
    pixels = np.full((4, 6, 3), 90, dtype=np.uint8)
    drawn = signed(pixels, np.array([[0.0, 1.0, -1.0]]), "light")
    assert (drawn[:, :2] == 90).all()
    more, less = drawn[0, 2], drawn[0, 4]
    assert more[2] > more[0] and less[0] > less[2]  # blue, orange
