"""A map over its picture, as files."""

import io
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image

from views import kind_labels, palette, patch_grid
from views.export import drawing
from views.export.downloads import HeadMap
from views.export.over_picture import over_picture
from views.figures.overlay import shades
from views.viewer.attention_maps import KindMaps

PIXELS = np.random.default_rng(0).integers(0, 256, (8, 12, 3)).astype(np.uint8)
WEIGHTS = np.random.default_rng(1).random((2, 3)).astype(np.float32)
MAPS = KindMaps.of_one_map(kind_labels.VISION, WEIGHTS, (("row",) * 2, ("column",) * 3))
SHOWN = HeadMap(MAPS, (0, 0), caption="layer 1, head 2")


def picture_in(plan: drawing.Drawing) -> drawing.Pixels:
    (picture,) = [item for item in plan.items if isinstance(item, drawing.Pixels)]
    return picture


@pytest.mark.parametrize("opacity", [0.0, 0.35, 1.0])
def test_every_pixel_is_picture_and_shade_mixed(opacity):
    mixed = picture_in(over_picture(SHOWN, PIXELS, opacity, 0)).pixels
    for y, x in np.ndindex(8, 12):
        shade = shades(WEIGHTS[y // 4, x // 4] / WEIGHTS.max(), "light")
        np.testing.assert_allclose(mixed[y, x], PIXELS[y, x] * (1 - opacity) + shade * opacity, atol=0.51)


def test_the_strongest_patch_has_the_deepest_shade():
    mixed = picture_in(over_picture(SHOWN, PIXELS, 1, 0)).pixels
    row, column = np.unravel_index(WEIGHTS.argmax(), WEIGHTS.shape)
    assert tuple(mixed[4 * row, 4 * column]) == palette.to_rgb(palette.scale("vision", "light")[-1])


def test_the_outline_has_two_lines_per_edge():
    plain, outlined = over_picture(SHOWN, PIXELS, 0.5, 0), over_picture(SHOWN, PIXELS, 0.5, 0.5)
    edges = patch_grid.outline_edges(patch_grid.strongest_entries(WEIGHTS, 0.5))
    assert len(outlined.items) == len(plain.items) + 2 * len(edges)


def test_svg_and_png_show_the_same_picture():
    plan = over_picture(SHOWN, PIXELS, 0.5, 0)
    item = picture_in(plan)
    image = np.asarray(Image.open(io.BytesIO(drawing.to_png(plan))).convert("RGB"))
    side = 3 * item.width / 12
    for y, x in ((0, 0), (7, 11), (3, 5)):
        middle = image[round(3 * item.y + (y + 0.5) * side), round(3 * item.x + (x + 0.5) * side)]
        np.testing.assert_array_equal(middle, item.pixels[y, x])
    root = ElementTree.fromstring(drawing.to_svg(plan))
    (embedded,) = root.iter("{http://www.w3.org/2000/svg}image")
    assert embedded.get("href").startswith("data:image/png;base64,")
    assert root.find("{http://www.w3.org/2000/svg}title").text == "ViT self-attention, layer 1, head 2"
