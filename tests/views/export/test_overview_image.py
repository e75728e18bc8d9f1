"""All heads in one picture: the maps match the weights, and every item is inside."""

import io
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from views import kind_labels, map_weights, palette
from views.export import drawing
from views.export.downloads import HeadMap, map_shades
from views.export.overview_image import MOST_DOTS, Overview, dots, layout
from views.text.catalogue import using_language
from views.viewer.attention_maps import KindMaps, MapAxis

SVG = "{http://www.w3.org/2000/svg}"
GREY = palette.to_rgb(palette.MASKED["light"])


def make_overview(side: int = 4, kind: str = "decoder", scale: map_weights.Scale = "shared") -> Overview:
    noise = np.random.default_rng(0).exponential(1, (2, 3, side, side)).astype(np.float32)
    noise[:, :, map_weights.causal_mask(side, side, kind == "decoder")] = 0
    of_kind = kind_labels.VISION if kind == "vision" else kind_labels.KINDS[kind]
    axis = MapAxis(tuple(f"piece {place}" for place in range(side)))
    maps = KindMaps(of_kind, noise / noise.sum(-1, keepdims=True), axis, axis, (0, 1))
    return Overview(maps, maps.with_means(), scale)


@pytest.mark.parametrize("scale", ["shared", "own", "log"])
def test_a_short_map_has_the_shades_of_the_picture_of_one_head(scale):
    maps = make_overview(scale=scale)
    expected = map_shades(HeadMap(maps.maps, (1, 2), scale))
    one = maps.weights[1, 2]
    np.testing.assert_array_equal(dots(maps, one), expected)
    assert tuple(expected[0, 1]) == GREY


def test_a_long_map_shows_the_largest_of_each_block():
    maps = make_overview(2 * MOST_DOTS + 1, "cross", "own")
    weights = np.zeros((2 * MOST_DOTS + 1,) * 2, dtype=np.float32)
    weights[3, 7] = weights[-1, -1] = 1  # block (1, 2), and a block of a single cell
    drawn = dots(maps, weights)
    assert drawn.shape == (43, 43, 3)
    scale = palette.scale("cross", "light")
    dark = np.argwhere((drawn == palette.to_rgb(scale[-1])).all(axis=-1))
    assert dark.tolist() == [[1, 2], [42, 42]]
    assert tuple(drawn[0, 0]) == palette.to_rgb(scale[0])
    assert any("3 \u00d7 3 cells" in getattr(item, "text", "") for item in layout(maps).items)


def test_blocks_are_grey_only_where_all_is_masked():
    maps = make_overview(MOST_DOTS + 2)
    grey = (dots(maps, maps.weights[0, 0]) == GREY).all(axis=-1)
    np.testing.assert_array_equal(grey, map_weights.causal_mask(33, 33, causal=True))


def test_layers_and_heads_have_their_names_of_the_page():
    with using_language("ko"):
        texts = [item.text for item in layout(make_overview()).items if isinstance(item, drawing.TextLine)]
    assert texts.count("평균") == 2 and "mean" not in texts


def test_svg_and_png_agree():
    maps = make_overview()
    plan = layout(maps)
    pictures = [item for item in plan.items if isinstance(item, drawing.Pixels)]
    assert len(pictures) == 12
    image = Image.open(io.BytesIO(drawing.to_png(plan))).convert("RGB")
    for item, weights in zip(pictures, maps.weights.reshape(12, 4, 4), strict=True):
        pixels = dots(maps, weights)
        for query, key in ((0, 0), (0, 3), (3, 1)):
            x, y = item.x + (key + 0.5) / 4 * item.width, item.y + (query + 0.5) / 4 * item.height
            assert image.getpixel((round(3 * x), round(3 * y))) == tuple(pixels[query, key])
    root = ElementTree.fromstring(drawing.to_svg(plan))
    assert len(list(root.iter(f"{SVG}image"))) == 12
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert {"Head", "Layer", "1", "2", "3", "mean", "masked"} <= set(texts)
    assert texts[0] == "Masked decoder self-attention, all heads"


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (3, 60), (60, 3)])
def test_every_item_is_inside(queries, keys):
    maps = make_overview(60, "cross", "log")
    plan = layout(replace(maps, weights=maps.weights[:, :, :queries, :keys]))
    for item in plan.items:
        if isinstance(item, drawing.TextLine):
            start = {"start": 0, "middle": -0.5, "end": -1}[item.anchor] * drawing.text_width(item.text, item.size)
            assert (item.y if item.angle else item.x) + start >= 0
            assert item.angle or item.x + start + drawing.text_width(item.text, item.size) <= plan.width
        else:
            assert item.x >= 0 and item.x + item.width <= plan.width
            assert item.y >= 0 and item.y + item.height <= plan.height
    assert plan.width < 1300


def test_the_file_of_the_longest_input_stays_small():
    weights = np.random.default_rng(0).dirichlet(np.ones(197), (2, 2, 197)).astype(np.float32)
    axis = MapAxis(tuple(map(str, range(197))))
    maps = KindMaps(kind_labels.VISION, weights, axis, axis, (0, 1))
    maps = Overview(maps, maps.with_means(), "own")
    assert len(drawing.to_svg(layout(maps))) < 9 * 12_000 + 10_000  # 12 kB per map


@pytest.mark.parametrize(("width", "expected"), [(50, 10 + 1.3 * drawing.text_width("a long caption", 12)), (900, 900)])
def test_an_svg_has_room_for_captions_in_wider_fonts(width: float, expected: float):
    caption = drawing.TextLine(10, 10, "a long caption", size=12)
    svg = ElementTree.fromstring(drawing.to_svg(drawing.Drawing(width, 20, "", (caption,))))
    assert float(svg.attrib["width"]) == pytest.approx(expected, abs=1)
