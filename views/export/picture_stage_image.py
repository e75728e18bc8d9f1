"""Draw a Vision Transformer on the stage for a paper or a slide: picture, ribbons, CLS in every layer, classes.

Which patches have a ribbon, and how they divide a bar, is as on the page; see `web/src/views/picture_stage.ts`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .. import palette, patch_grid
from ..text.numbers import percent
from .downloads import HeadMap, map_ends
from .drawing import Box, Drawing, Item, Pixels, Stroke, TextLine, text_width, wrap
from .matrix_image import MARGIN, colour_bar
from .over_picture import picture_items

MOST, MOST_AT_REST = 24, 3  # ribbons of the layer that is shown, and of every other layer
AT_REST = 2  # times the even share; no weaker patch has a ribbon at rest
_TEXT, _NUMBER, _LINE = 14, 13, 20  # font sizes, and height of a line of the caption
_RIBBONS, _BAR, _GAP, _LEAST = 110, 8, 10, 28  # width of the ribbons, of a bar; between layers; least length of a bar
_READING = 160  # width of a class with its probability
_THIN, _HATCHES = 0.75, 5  # least width of a ribbon, and pixels between two hatches
_HATCH = palette.SECONDARY["light"][1]
_OWN = "#7A7D81"


@dataclass(frozen=True, eq=False)
class PictureStageImage:
    """What a picture of the stage shows."""

    head: HeadMap  # the map over the picture, with its title: that of the layer that is shown
    pixels: np.ndarray  # `(height, width, 3)` uint8, whole patches
    # `opacity`, `outlined`: of the map, from 0 to 1, see `over_picture`
    opacity: float
    outlined: float
    # `(layer, 1 + patch)`, the weights of CLS as the query in every layer and in their mean; itself first
    rows: np.ndarray
    shown: int  # index of the layer that is shown
    layers: Sequence[str]  # names of the layers and of their mean
    # the class that is read from CLS after each layer, with its probability; may be shorter than `layers`
    read: Sequence[tuple[str, float]]
    caption: Sequence[str]  # sentences below it


def select_shown_patches(over: np.ndarray, outlined: float) -> list[int]:
    """Return the strongest patches of the shown layer up to the share that is outlined, all where none is."""
    selected = patch_grid.strongest_entries(over, outlined or 1)
    return sorted(patch for patch in _select_strongest(over, MOST) if selected[patch])


def select_patches_at_rest(over: np.ndarray) -> list[int]:
    """Return the strongest patches of another layer, none of which is weak."""
    return sorted(patch for patch in _select_strongest(over, MOST_AT_REST) if over[patch] >= AT_REST / (len(over) + 1))


def _select_strongest(over: np.ndarray, most: int) -> list[int]:
    return np.argsort(-over, kind="stable")[:most].tolist()


def draw_picture_stage(stage: PictureStageImage) -> Drawing:
    """Lay out the stage with its caption."""
    scale, title = palette.scale(stage.head.maps.kind.name, "light"), stage.head.title
    over = picture_items(stage.head, stage.pixels, stage.opacity, stage.outlined)
    picture = next(item for item in over if isinstance(item, Pixels))
    bars = _place_bars(picture, len(stage.layers))
    names = max(text_width(name, _TEXT) for name in stage.layers) + 16
    right = bars[0].x + _BAR + names + (_READING if stage.read else 0) + MARGIN
    lines = [line for text in stage.caption for line in wrap(text, _NUMBER, right + 50 - MARGIN)]
    bottom = max(picture.y + picture.height, bars[-1].y + bars[-1].height) + MARGIN
    items: list[Item] = [TextLine(MARGIN, MARGIN + 8, title, 15), *over]
    order = [*(layer for layer in range(len(bars)) if layer != stage.shown), stage.shown]  # that in front of the others
    for layer in order:
        items += _draw_layer(stage, layer, bars[layer], picture, scale)
    for layer, bar in enumerate(bars):
        items += _draw_names(stage, layer, bar, names, scale)
    items += colour_bar(scale, map_ends(stage.head), right, picture.y)
    items += [TextLine(MARGIN, bottom + _LINE * (index + 0.5), line, _NUMBER) for index, line in enumerate(lines)]
    return Drawing(right + 70, bottom + _LINE * len(lines) + (MARGIN if lines else 0), title, tuple(items))


def _place_bars(picture: Pixels, count: int) -> list[Box]:
    length = max(_LEAST, (picture.height - _GAP * (count - 1)) / count)
    x = picture.x + picture.width + _RIBBONS
    return [Box(x, picture.y + layer * (length + _GAP), _BAR, length, "#FFFFFF") for layer in range(count)]


def _mix_colour(scale: Sequence[str], share: float) -> str:
    return scale[round(share * (len(scale) - 1))]


def _draw_layer(
    stage: PictureStageImage, layer: int, bar: Box, picture: Pixels, scale: Sequence[str]
) -> Iterable[Item]:
    """Draw the bar of CLS, and the ribbons from patches that divide it."""
    row, is_shown = stage.rows[layer], layer == stage.shown
    patches = select_shown_patches(row[1:], stage.outlined) if is_shown else select_patches_at_rest(row[1:])
    at = bar.y + float(row[0]) * bar.height
    yield from _draw_hatching(bar)
    yield Box(bar.x, bar.y, bar.width, at - bar.y, _OWN)
    for patch in patches:
        length = float(row[1 + patch]) * bar.height
        yield Box(bar.x, at, bar.width, length, _mix_colour(scale, 0.82 if is_shown else 0.56))
        yield _draw_ribbon(stage, patch, (bar.x, at + length / 2), length, picture, _mix_colour(scale, 0.56), is_shown)
        at += length


def _draw_hatching(bar: Box) -> Iterable[Item]:
    yield Box(bar.x, bar.y, bar.width, bar.height, palette.SECONDARY["light"][0])
    for step in range(int((bar.height - bar.width) // _HATCHES) + 1):
        low, high = (bar.x, bar.y + step * _HATCHES + bar.width), (bar.x + bar.width, bar.y + step * _HATCHES)
        yield Stroke(low, low, high, high, 1.5, _HATCH)


def _draw_ribbon(
    stage: PictureStageImage,
    patch: int,
    end: tuple[float, float],
    width: float,
    picture: Pixels,
    colour: str,
    is_shown: bool,
) -> Stroke:
    """Draw a ribbon from the middle of a patch to its part of a bar."""
    rows, columns = stage.head.weights.shape
    x = picture.x + (patch % columns + 0.5) / columns * picture.width
    y = picture.y + (patch // columns + 0.5) / rows * picture.height
    half = (x + end[0]) / 2
    return Stroke((x, y), (half, y), (half, end[1]), end, max(_THIN, width), colour, 0.75 if is_shown else 0.3)


def _draw_names(stage: PictureStageImage, layer: int, bar: Box, width: float, scale: Sequence[str]) -> Iterable[Item]:
    """Draw the name of a layer, framed where it is shown, and the class that is read there with its probability."""
    x, y = bar.x + _BAR + 6, bar.y + bar.height / 2
    if layer == stage.shown:
        yield Box(x, y - 13, width - 6, 26, _mix_colour(scale, 0.56))
        yield Box(x + 2, y - 11, width - 10, 22, "#FFFFFF")
    yield TextLine(x + (width - 6) / 2, y, stage.layers[layer], _TEXT, "middle")
    if layer >= len(stage.read):
        return
    (name, probability), x = stage.read[layer], x + width
    yield TextLine(x, y, name, _TEXT)
    yield TextLine(x + _READING - 14, y, percent(probability), _TEXT, "end")
    yield Box(x, y + 11, (_READING - 14) * probability, 3, _mix_colour(scale, 0.56))
