"""One matrix of a picture for a paper or a slide: its name, labels, cells and colour bar, on white."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from views import palette
from views.export.drawing import Box, Pixels, Text, text_width
from views.text import literal
from views.text.numbers import three_digits

_SIDE = 420  # pixels the longer side aims at
_CELL = 26  # most pixels of a cell
_SMALLEST = 4  # pixels of a cell that has labels at both axes, which is a square
_ANGLE = -60  # of the labels above the columns
_BAR = 90  # pixels that a colour bar takes at the right
_MANY = 4096  # cells from which on they are one image instead of boxes


@dataclass(frozen=True, eq=False)
class Panel:
    """What to draw.

    Attributes:
        name: written above it.
        colours: `(row, column, 3)` uint8 from `shades`.
        rows, columns: labels, which may come from a person; empty where an axis is only counted.
        scale: colours of the bar, from the lowest number to the highest.
        ends: what stands beside the lowest and the highest colour.
    """

    name: str
    colours: np.ndarray
    rows: Sequence[str]
    columns: Sequence[str]
    scale: Sequence[str]
    ends: tuple[str, str]


def ends(low: float, high: float) -> tuple[str, str]:
    """The numbers beside a bar."""
    return three_digits(low) if low else "0", three_digits(high)


def shades(values: np.ndarray, scale: Sequence[str], low: float, high: float, hidden: np.ndarray) -> np.ndarray:
    """`(row, column, 3)` uint8: the colour of every number on white; grey where hidden."""
    stops = np.array([palette.to_rgb(colour) for colour in scale], dtype=float)  # (stop, channel)
    share = (np.where(hidden, low, values) - low) / ((high - low) or 1)
    place = np.clip(share, 0, 1) * (len(stops) - 1)
    channels = np.stack([np.interp(place, range(len(stops)), channel) for channel in stops.T], axis=-1)
    return np.where(hidden[..., None], palette.to_rgb(palette.MASKED["light"]), channels.round()).astype(np.uint8)


Items = list[Box | Text | Pixels]


def lay_out(panel: Panel, left: float, head: float) -> tuple[Items, float, float]:
    """The panel with its upper left corner at `left` and `head`; also where it ends at the right and below."""
    height, width = panel.colours.shape[:2]
    rows, columns = ([literal.token(label) for label in labels] for labels in (panel.rows, panel.columns))
    wide, high = (min(_CELL, _SIDE / count) for count in (width, height))
    if rows and columns:
        wide = high = max(_SMALLEST, min(wide, high))
    size = min(12.0, max(4.5, 0.8 * min(high if rows else _CELL, wide if columns else _CELL)))
    start = left + max((text_width(row, size) + 6 for row in rows), default=0)
    rise = math.sin(math.radians(-_ANGLE)) * max((text_width(name, size) for name in columns), default=0)
    upper = head + 20 + (rise + size if columns else 0)
    items: Items = [Text(left, head + 8, panel.name, size=13), *_cells(panel.colours, start, upper, wide, high)]
    items += [Text(start - 6, upper + (n + 0.5) * high, row, size, "end") for n, row in enumerate(rows)]
    items += [Text(start + (n + 0.5) * wide, upper - 6, name, size, angle=_ANGLE) for n, name in enumerate(columns)]
    right = max(start + width * wide + 14, left + text_width(panel.name, 13))
    step = 70 / len(panel.scale)
    items += [Box(right, upper + 70 - (n + 1) * step, 10, step + 0.3, colour) for n, colour in enumerate(panel.scale)]
    items += [Text(right + 15, upper + place, end, 11) for place, end in zip((5, 66), panel.ends[::-1], strict=True)]
    right = max(right + _BAR - 14, *(right + 15 + text_width(end, 11) for end in panel.ends))
    return items, right, upper + max(height * high, 76)


def _cells(colours: np.ndarray, left: float, upper: float, wide: float, high: float) -> Items:
    height, width = colours.shape[:2]
    if height * width >= _MANY:
        return [Pixels(left, upper, width * wide, height * high, colours)]
    gap = 0.7 if min(wide, high) >= 12 else 0
    return [
        Box(left + column * wide, upper + row * high, wide - gap, high - gap, palette.to_hex(cell))
        for row, line in enumerate(colours.tolist())
        for column, cell in enumerate(line)
    ]
