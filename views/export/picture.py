"""One attention map as a picture for a paper or a slide: the same numbers and colours as on the page, on white."""

from __future__ import annotations

import math

import numpy as np

from views import palette
from views.export.drawing import Box, Drawing, Text, text_width
from views.figures.heatmap import HeadMap
from views.maps import DECADES, masked, shade
from views.text import literal
from views.text.numbers import three_digits

_SIDE = 640  # pixels the longer side of the map aims at
_CELL = (5, 30)  # smallest and largest cell
_ANGLE = -60  # of the tokens above the columns
_MARGIN = 16


def picture(head: HeadMap) -> Drawing:
    """Lay out title, axes, cells and colour bar for `head`."""
    queries, keys = head.weights.shape
    cell = min(_CELL[1], max(_CELL[0], _SIDE / max(queries, keys)))
    size = min(13.0, max(5.0, 0.8 * cell))
    rows, columns = [literal.token(token) for token in head.queries], [literal.token(token) for token in head.keys]
    widest_row = max(text_width(row, size) for row in rows)
    widest_column = max(text_width(column, size) for column in columns)
    rise = widest_column * math.sin(math.radians(-_ANGLE)) + size
    left, top = _MARGIN + 22 + widest_row + 6, _MARGIN + 24 + 20 + rise + 6
    # Slanted labels lean over the last column; the colour bar stands beyond them.
    lean = max(
        0.0,
        max(
            (place + 0.5) * cell + text_width(column, size) * math.cos(math.radians(_ANGLE)) - keys * cell
            for place, column in enumerate(columns)
        ),
    )
    right = left + keys * cell
    bar_left = right + 18
    bottom = top + max(queries * cell, 90)
    items: list[Box | Text] = [
        Text(_MARGIN, _MARGIN + 8, head.title, size=15),
        Text(left + keys * cell / 2, _MARGIN + 32, head.kind.key_axis, anchor="middle"),
        Text(_MARGIN + 6, top + queries * cell / 2, head.kind.query_axis, anchor="middle", angle=-90),
        *_cells(head, left, top, cell),
        *(Text(left - 6, top + (n + 0.5) * cell, row, size, "end") for n, row in enumerate(rows)),
        *(Text(left + (n + 0.5) * cell, top - 8, column, size, angle=_ANGLE) for n, column in enumerate(columns)),
        *bar(head, bar_left, top),
    ]
    width = max(bar_left + 70, right + lean + _MARGIN, _MARGIN * 2 + text_width(head.title, 15))
    return Drawing(width, bottom + _MARGIN, head.title, tuple(items))


def shades(head: HeadMap) -> np.ndarray:
    """`(query, key, 3)` uint8: red, green and blue of every cell, grey where masked."""
    stops = np.array([palette.to_rgb(colour) for colour in palette.scale(head.kind.name, "light")], dtype=float)
    position = shade(head.weights, head.top, head.log) * (len(stops) - 1)  # (query, key)
    below = np.minimum(position.astype(int), len(stops) - 2)
    mixed = stops[below] + (position - below)[..., None] * (stops[below + 1] - stops[below])  # (query, key, channel)
    hidden = masked(*head.weights.shape, head.kind.causal)
    return np.where(hidden[..., None], palette.to_rgb(palette.MASKED["light"]), mixed.round()).astype(np.uint8)


def colours(head: HeadMap) -> np.ndarray:
    """`(query, key)` of `#RRGGBB`: the shade of every cell, grey where masked."""
    return np.array([[palette.to_hex(cell) for cell in row] for row in shades(head).tolist()])


def _cells(head: HeadMap, left: float, top: float, cell: float) -> list[Box]:
    gap = 0.7 if cell >= 12 else 0
    return [
        Box(left + key * cell, top + query * cell, cell - gap, cell - gap, str(colour))
        for query, row in enumerate(colours(head))
        for key, colour in enumerate(row)
    ]


def bar(head: HeadMap, left: float, top: float) -> list[Box | Text]:
    """The colour bar, the smallest weight at its foot, with its upper left corner at `left` and `top`."""
    scale = palette.scale(head.kind.name, "light")
    step = 70 / len(scale)
    shades = [
        Box(left, top + 10 + (len(scale) - 1 - n) * step, 10, step + 0.3, colour) for n, colour in enumerate(scale)
    ]
    foot = f"\u2264 {(head.top or 1) / 10**DECADES:.3g}" if head.log else "0"
    return [*shades, Text(left + 15, top + 10, three_digits(head.top), 11), Text(left + 15, top + 80, foot, 11)]
