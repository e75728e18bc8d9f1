"""A map over the picture it belongs to, for a paper or a slide: numbers and colours as on the page, on white."""

import numpy as np

from .. import palette, patch_grid
from ..figures.overlay import mixed
from .drawing import Box, Drawing, Pixels, TextLine
from .matrices import HeadMap, map_ends
from .matrix_image import MARGIN, colour_bar

_SIDE = 480  # pixels of the longer side
_OUTLINE, _HALO = "#FFD54A", "#000000"


def over_picture(shown: HeadMap, pixels: np.ndarray, opacity: float, kept: float) -> Drawing:
    """Lay out title, picture with map, outline and colour bar.

    Args:
        shown: its queries are rows of patches, its keys columns.
        pixels: `(height, width, 3)` uint8, whole patches.
        opacity: of the map, from 0 to 1.
        kept: the outline goes around the patches that hold this share of the weights; 0 draws none.
    """
    side = _SIDE / max(pixels.shape[:2])
    height, width = (length * side for length in pixels.shape[:2])
    left, top = MARGIN, MARGIN + 30
    share = np.clip(shown.weights / (shown.top or 1), 0, 1)  # (row, column)
    items = [
        TextLine(MARGIN, MARGIN + 8, shown.title, size=15),
        Pixels(left, top, width, height, mixed(pixels, share, "light", opacity)),
        *_outline(patch_grid.strongest_entries(shown.weights, kept), left, top, width, height),
        *colour_bar(palette.scale(shown.kind.name, "light"), map_ends(shown), left + width + 18, top),
    ]
    return Drawing(left + width + 18 + 70, top + height + MARGIN, shown.title, tuple(items))


def _outline(chosen: np.ndarray, left: float, top: float, width: float, height: float) -> list[Box]:
    """A light line on a dark one, so that it is seen on any picture."""
    rows, columns = chosen.shape
    drawn = []
    for thick, colour in ((4, _HALO), (2, _OUTLINE)):
        for row, column, across in patch_grid.outline_edges(chosen):
            x, y = left + column * width / columns, top + row * height / rows
            long = (width / columns if across else height / rows) + thick
            x, y = max(left, x - thick / 2), max(top, y - thick / 2)
            box = (long, thick) if across else (thick, long)
            drawn.append(Box(x, y, *box, colour))
    return drawn
