"""The picture of a Vision Transformer on the stage: ribbons and bars as on the page, classes, a caption."""

import io

import numpy as np
import pytest
from PIL import Image

from views import kind_labels, palette
from views.export.downloads import HeadMap
from views.export.drawing import Box, Drawing, Pixels, Stroke, TextLine, to_png, to_svg
from views.export.picture_stage_image import (
    PictureStageImage,
    draw_picture_stage,
    select_patches_at_rest,
    select_shown_patches,
)
from views.viewer.attention_maps import KindMaps

SCALE = palette.scale("vision", "light")
RIBBON = SCALE[round(0.56 * (len(SCALE) - 1))]
# CLS, then one row of four patches: as in web/tests/picture_stage.test.ts
ROW = np.array([0.25, 0.5, 0.03125, 0.15625, 0.0625], np.float32)
MAPS = KindMaps.of_one_map(kind_labels.GRID, ROW[None, 1:], (("r1",), ("c1", "c2", "c3", "c4")))
PIXELS = np.zeros((8, 32, 3), np.uint8)


def drawn(outlined: float = 0.8, read=(("church", 0.875),), caption=("A caption.",)) -> Drawing:
    head = HeadMap(MAPS, (0, 0), "own", "layer 1, head 1")
    rows, layers = np.stack([ROW, ROW]), ("Layer 1", "Mean")
    return draw_picture_stage(PictureStageImage(head, PIXELS, 0.6, outlined, rows, 0, layers, read, caption))


def ribbons(drawing: Drawing) -> list[Stroke]:
    return [item for item in drawing.items if isinstance(item, Stroke) and item.colour == RIBBON]


def texts(drawing: Drawing) -> list[str]:
    return [item.text for item in drawing.items if isinstance(item, TextLine)]


@pytest.mark.parametrize(("outlined", "patches"), [(0.8, [0, 2]), (0, [0, 1, 2, 3]), (0.1, [0])])
def test_the_shown_layer_has_a_ribbon_for_each_outlined_patch(outlined, patches):
    assert select_shown_patches(ROW[1:], outlined) == patches
    assert [each.opacity for each in ribbons(drawn(outlined))].count(0.75) == len(patches)


def test_another_layer_has_no_more_than_three_and_none_that_is_weak():
    assert select_patches_at_rest(ROW[1:]) == [0]  # from two fifths on
    assert select_patches_at_rest(np.array([0.05, 0.3, 0.3, 0.3, *[0.001] * 40, 0.3])) == [1, 2, 3]


def test_ribbons_begin_in_their_patches_and_divide_their_bar():
    drawing = drawn()
    picture = next(item for item in drawing.items if isinstance(item, Pixels))
    first, third = [each for each in ribbons(drawing) if each.opacity == 0.75]
    width = picture.width / 4
    assert first.start == pytest.approx((picture.x + width / 2, picture.y + picture.height / 2))
    assert third.start[0] - first.start[0] == pytest.approx(2 * width)
    bar = first.width / 0.5
    assert third.width == pytest.approx(0.15625 * bar)
    assert first.end[1] == pytest.approx(picture.y + (0.25 + 0.25) * bar)  # after CLS itself
    assert third.end[1] == pytest.approx(picture.y + (0.75 + 0.15625 / 2) * bar)


def test_classes_and_caption_are_written_where_there_are_any():
    drawing = drawn()
    assert {"Layer 1", "Mean", "church", "87.5\u00a0%", "A caption."} <= set(texts(drawing))
    plain = drawn(read=(), caption=())
    assert not {"church", "87.5\u00a0%", "A caption."} & set(texts(plain))
    assert plain.width < drawing.width and plain.height < drawing.height
    for each in (drawing, plain):
        inside = [item for item in each.items if isinstance(item, Box | Pixels)]
        assert all(item.x + item.width <= each.width and item.y + item.height <= each.height for item in inside)


def test_it_is_written_as_png_and_svg():
    drawing = drawn()
    picture = Image.open(io.BytesIO(to_png(drawing, 2)))
    assert picture.width == pytest.approx(2 * drawing.width, abs=2)
    assert to_svg(drawing).count("<path") == len([item for item in drawing.items if isinstance(item, Stroke)])


@pytest.mark.parametrize("layers", [1, 7, 25])
def test_many_layers_have_bars_of_a_readable_length(layers):
    head = HeadMap(MAPS, (0, 0), "own", "mean")
    rows = np.tile(ROW, (layers, 1))
    names = [f"Layer {layer}" for layer in range(layers)]
    drawing = draw_picture_stage(PictureStageImage(head, PIXELS, 0.6, 0.8, rows, 0, names, (), ()))
    (shown, *_) = [each for each in ribbons(drawing) if each.opacity == 0.75]
    assert shown.width / 0.5 >= 28
    lowest = max(item.y for item in drawing.items if isinstance(item, TextLine) and item.text in names)
    assert lowest + 10 < drawing.height
