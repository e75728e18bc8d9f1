"""Pictures for papers: SVG and PNG of the same drawing."""

import io
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image

from views import kind_labels, palette
from views.export import drawing
from views.export.downloads import HeadMap, map_drawing, map_shades
from views.viewer.attention_maps import KindMaps


def colours(head_map: HeadMap) -> np.ndarray:
    """`(query, key)` of `#RRGGBB`."""
    return np.array([[palette.to_hex(cell) for cell in row] for row in map_shades(head_map).tolist()])


SVG = "{http://www.w3.org/2000/svg}"


def head(side: int = 4, kind: str = "decoder") -> HeadMap:
    weights = np.random.default_rng(0).dirichlet(np.ones(side), side).astype(np.float32)
    tokens = ("<s>", "\u2009été", "\u2009& <b>", "\u2009", "가", "\u200b") * 30
    maps = KindMaps.of_one_map(kind_labels.KINDS[kind], weights, (tokens[:side], tokens[:side]))
    return HeadMap(maps, (0, 0), "shared", "layer 1, head 2", 1.0)


def test_svg_is_well_formed_and_shows_tokens_as_typed():
    root = ElementTree.fromstring(drawing.to_svg(map_drawing(head(6))))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert texts[0] == "Masked decoder self-attention, layer 1, head 2"
    assert texts[1:3] == ["French key token", "French query token"]
    for token in ("<s>", "été", "& <b>", "\u2423", "가", "U+200B"):
        assert texts.count(token) == 2
    assert not list(root.iter(f"{SVG}script"))


def test_svg_and_png_have_the_same_colours():
    head_map = head()
    plan = map_drawing(head_map)
    cells = [item for item in plan.items if isinstance(item, drawing.Box)][:16]
    image = Image.open(io.BytesIO(drawing.to_png(plan))).convert("RGB")
    assert image.size == (np.ceil(3 * plan.width), np.ceil(3 * plan.height))
    svg = drawing.to_svg(plan)
    for cell, colour in zip(cells, colours(head_map).flatten(), strict=True):
        middle = (round(3 * (cell.x + cell.width / 2)), round(3 * (cell.y + cell.height / 2)))
        assert image.getpixel(middle) == palette.to_rgb(str(colour))
        assert f'fill="{colour}"' in svg


def test_shades_are_the_scale_at_its_stops_and_grey_where_masked():
    weights = np.linspace(0, 1, palette.STOPS, dtype=np.float32)[None]
    ramp = HeadMap(KindMaps.of_one_map(kind_labels.KINDS["cross"], weights, ("a", "abcdefghijklmnopq")), (0, 0))
    assert colours(ramp)[0].tolist() == list(palette.scale("cross", "light"))
    assert colours(head())[0, 1] == palette.MASKED["light"]


@pytest.mark.parametrize("side", [1, 17, 130])
def test_every_item_is_inside_the_picture(side):
    plan = map_drawing(head(side, "encoder"))
    assert plan.width < 1600
    for item in plan.items:
        if isinstance(item, drawing.Box | drawing.Pixels):
            assert item.x >= 0 and item.x + item.width <= plan.width
            assert item.y >= 0 and item.y + item.height <= plan.height
        else:
            length = drawing.text_width(item.text, item.size)
            start = {"start": 0, "middle": -length / 2, "end": -length}[item.anchor]
            turned = np.deg2rad(item.angle)
            for along in (start, start + length):
                assert -1 <= item.x + along * np.cos(turned) <= plan.width + 1
                assert -1 <= item.y + along * np.sin(turned) <= plan.height + 1


@pytest.mark.parametrize("text", ["I want to buy a car.", "The cat sat on the mat again. " * 12, "학" * 90, "x" * 300])
def test_a_caption_is_below_the_drawing_in_lines_that_fit(text: str):
    plain = drawing.Drawing(400, 100, "A map", (drawing.Box(0, 0, 400, 100, "#000000"),))
    captioned = drawing.with_caption(plain, text)
    lines = [item for item in captioned.items if isinstance(item, drawing.TextLine)]
    assert "".join("".join(line.text.split()) for line in lines) == "".join(text.split())
    assert captioned.items[: len(plain.items)] == plain.items and captioned.width == 400
    for line in lines:
        assert plain.height < line.y < captioned.height
        assert line.x + drawing.text_width(line.text, line.size) <= captioned.width
    small = drawing.with_caption(drawing.Drawing(40, 40, "A map", ()), text)
    assert small.width == drawing.CAPTION_WIDTH
