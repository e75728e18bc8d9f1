"""Lay out a map over its picture for a paper or a slide, with the colours of the page, on white."""

import numpy as np

from .. import palette, patch_grid
from ..figures.overlay import mixed
from .downloads import HeadMap, map_ends
from .drawing import Box, Drawing, Item, Pixels, TextLine
from .matrix_image import MARGIN, colour_bar

_SIDE = 480  # pixels of the longer side
_OUTLINE, _HALO = "#FFD54A", "#000000"


def over_picture(head: HeadMap, pixels: np.ndarray, opacity: float, outlined: float) -> Drawing:
    """Lay out title, picture with map, outline and colour bar.

    Args:
        head: a map whose queries are rows of patches and whose keys are columns.
        pixels: `(height, width, 3)` uint8, whole patches.
        opacity: of the map, from 0 to 1.
        outlined: the outline is around the fewest patches with this share of the weights; 0 draws none.
    """
    items = picture_items(head, pixels, opacity, outlined)
    picture = next(item for item in items if isinstance(item, Pixels))
    right = picture.x + picture.width + 18
    items = [TextLine(MARGIN, MARGIN + 8, head.title, size=15), *items]
    items += colour_bar(palette.scale(head.maps.kind.name, "light"), map_ends(head), right, picture.y)
    return Drawing(right + 70, picture.y + picture.height + MARGIN, head.title, tuple(items))


def picture_items(head: HeadMap, pixels: np.ndarray, opacity: float, outlined: float) -> list[Item]:
    """Lay out the picture with map and outline alone, below a title; arguments as of `over_picture`."""
    side = _SIDE / max(pixels.shape[:2])
    height, width = (length * side for length in pixels.shape[:2])
    left, top = MARGIN, MARGIN + 30
    share = np.clip(head.weights / (head.top or 1), 0, 1)  # (row, column)
    picture = Pixels(left, top, width, height, mixed(pixels, share, "light", opacity))
    return [picture, *_outline(patch_grid.strongest_entries(head.weights, outlined), left, top, width, height)]


def _outline(selected: np.ndarray, left: float, top: float, width: float, height: float) -> list[Box]:
    """A light line on a dark one, which is visible on any picture."""
    rows, columns = selected.shape
    boxes = []
    for thick, colour in ((4, _HALO), (2, _OUTLINE)):
        for row, column, across in patch_grid.outline_edges(selected):
            x, y = left + column * width / columns, top + row * height / rows
            long = (width / columns if across else height / rows) + thick
            x, y = max(left, x - thick / 2), max(top, y - thick / 2)
            box_width, box_height = (long, thick) if across else (thick, long)
            boxes.append(Box(x, y, box_width, box_height, colour))
    return boxes
