"""One attention map as a picture for a paper or a slide: the same numbers and colours as on the page, on white."""

from __future__ import annotations

import numpy as np

from views import palette
from views.export import matrix
from views.export.drawing import Drawing
from views.figures.heatmap import HeadMap
from views.maps import DECADES, masked, shade
from views.text.numbers import three_digits


def picture(head: HeadMap) -> Drawing:
    """Lay out title, axes, cells and colour bar for `head`."""
    axes = head.kind.query_axis, head.kind.key_axis
    scale = palette.scale(head.kind.name, "light")
    shown = matrix.Panel("", shades(head), head.queries, head.keys, scale, ends(head), axes, matrix.ALONE)
    return matrix.side_by_side([shown], head.title)


def shades(head: HeadMap) -> np.ndarray:
    """`(query, key, 3)` uint8: red, green and blue of every cell, grey where masked."""
    hidden = masked(*head.weights.shape, head.kind.causal)
    return matrix.shades(shade(head.weights, head.top, head.log), palette.scale(head.kind.name, "light"), 0, 1, hidden)


def ends(head: HeadMap) -> tuple[str, str]:
    """What stands beside the lowest and the highest colour."""
    foot = f"\u2264 {(head.top or 1) / 10**DECADES:.3g}" if head.log else "0"
    return foot, three_digits(head.top)
