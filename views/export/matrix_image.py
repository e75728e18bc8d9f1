"""Lay out matrices for a paper or a slide: names, labels, cells and colour bars, on white."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .. import palette
from ..text import literal
from ..text.numbers import three_digits
from .drawing import LABEL_WIDTH, SHORTEST_CUT, Box, Drawing, Item, Pixels, TextLine, fit_label, text_width

MARGIN = 16
_ANGLE = -60  # of the labels above the columns
_BAR = 90  # width in pixels of a colour bar with its texts
_MANY = 4096  # from this number of cells on they are one image instead of boxes
_OPERATOR_SIZE = 20  # font size of an operator between two matrices

Items = list[Item]


@dataclass(frozen=True)
class PanelSize:
    """Sizes in pixels."""

    side: float  # of the longer side of the matrix
    # `cell`, `smallest`: largest size of a cell, and smallest if both axes have labels
    cell: float
    smallest: float
    # smallest and largest font size of labels; with so many lines that even the smallest ones would touch, not every
    # line has its label
    letters: tuple[float, float]


ALONE = PanelSize(640, 30, 5, (6, 13))
IN_ROW = PanelSize(420, 26, 4, (5, 12))  # next to other matrices


@dataclass(frozen=True, eq=False)
class MatrixPanel:
    """One matrix to draw."""

    name: str  # written above it
    colours: np.ndarray  # `(row, column, 3)` uint8 from `shades`
    # `rows`, `columns`: labels, which may be a user's text; empty if an axis is only numbered
    rows: Sequence[str]
    columns: Sequence[str]
    scale: Sequence[str]  # colours of the bar, from the lowest number to the highest
    ends: tuple[str, str]  # texts next to the lowest and the highest colour
    axes: tuple[str, str] = ("", "")  # titles of the rows and of the columns; may be empty
    measures: PanelSize = IN_ROW


def scale_ends(low: float, high: float) -> tuple[str, str]:
    """The texts at both ends of a colour bar."""
    return three_digits(low) if low else "0", three_digits(high)


def shades(values: np.ndarray, scale: Sequence[str], low: float, high: float, hidden: np.ndarray) -> np.ndarray:
    """`(row, column, 3)` uint8: the colour of every number on white; grey where hidden."""
    share = (np.where(hidden, low, values) - low) / ((high - low) or 1)
    colours = palette.shades(share, scale).round()
    return np.where(hidden[..., None], palette.to_rgb(palette.MASKED["light"]), colours).astype(np.uint8)


def side_by_side(
    items: Iterable[MatrixPanel | str], title: str, most: float = math.inf, notes: Sequence[str] = ()
) -> Drawing:
    """Lay out matrices in reading order; a string among `items` is an operator between two of them.

    Args:
        most: pixels after which the next matrix starts a new line.
        notes: lines below.
    """
    laid_out: Items = [TextLine(MARGIN, MARGIN + 8, title, size=15)]
    left, head, bottom = float(MARGIN), MARGIN + 30.0, 0.0
    lines = [(title, 15), *((note, 12) for note in notes)]
    widest, operator = MARGIN + max(text_width(line, size) for line, size in lines), ""
    for item in items:
        if isinstance(item, str):
            operator = item
            continue
        space = text_width(operator, _OPERATOR_SIZE) + MARGIN if operator else 0.0
        panel_items, right, foot = _panel_items(item, left + space, head)
        if right > most and left > MARGIN:
            left, head = float(MARGIN), bottom + 2 * MARGIN
            panel_items, right, foot = _panel_items(item, left + space, head)
        laid_out += (
            [TextLine(left, head + 60, operator, size=_OPERATOR_SIZE), *panel_items] if operator else panel_items
        )
        left, bottom, widest, operator = right + MARGIN, max(bottom, foot), max(widest, right), ""
    for note in notes:
        bottom += 20
        laid_out.append(TextLine(MARGIN, bottom, note))
    return Drawing(widest + MARGIN, bottom + MARGIN, title, tuple(laid_out))


def _panel_items(panel: MatrixPanel, left: float, head: float) -> tuple[Items, float, float]:
    """The items of a panel whose upper left corner is at `left` and `head`, and its right and lower end."""
    height, width = panel.colours.shape[:2]
    rows, columns = ([literal.token(label) for label in labels] for labels in (panel.rows, panel.columns))
    sizes = panel.measures
    wide, high = (min(sizes.cell, sizes.side / count) for count in (width, height))
    if rows and columns:
        wide = high = max(sizes.smallest, min(wide, high))
    pitch = min(high if rows else sizes.cell, wide if columns else sizes.cell)
    size, every = min(sizes.letters[1], 0.8 * pitch), 1
    if size < sizes.letters[0]:  # labels of all lines would touch
        size, every = sizes.letters[0], math.ceil(1.25 * sizes.letters[0] / pitch)
    # no more than the matrix takes in the same direction, or a small matrix would be lost beside its labels
    most = (min(LABEL_WIDTH, max(SHORTEST_CUT, side)) for side in (width * wide, height * high))
    row_labels, column_labels = (
        [fit_label(label, size, room) for label in labels] for labels, room in zip((rows, columns), most, strict=True)
    )
    start = left + max((text_width(row, size) + 6 for row, _ in row_labels), default=0) + (22 if panel.axes[0] else 0)
    lengths = [text_width(name, size) for name, _ in column_labels]
    rise = math.sin(math.radians(-_ANGLE)) * max(lengths, default=0)
    upper = head + 20 + (rise + size if columns else 0)
    middle = start + width * wide / 2, upper + height * high / 2
    titles = [
        TextLine(left, head + 8, panel.name, size=13),
        TextLine(middle[0], head + 2, panel.axes[1], anchor="middle"),
        TextLine(left + 6, middle[1], panel.axes[0], anchor="middle", angle=-90),
    ]
    items: Items = [title for title in titles if title.text]
    items += _cells(panel.colours, start, upper, wide, high)
    lines, names = (list(enumerate(labels))[::every] for labels in (row_labels, column_labels))
    items += [TextLine(start - 6, upper + (n + 0.5) * high, row, size, "end", 0, whole) for n, (row, whole) in lines]
    items += [
        TextLine(start + (n + 0.5) * wide, upper - 6, name, size, "start", _ANGLE, whole) for n, (name, whole) in names
    ]
    # Slanted labels extend over the last column; the colour bar is placed below them.
    lean = max((start + (n + 0.5) * wide + length / 2 for n, length in enumerate(lengths)), default=0)
    bar = max(start + width * wide + 14, left + text_width(panel.name, 13))
    items += colour_bar(panel.scale, panel.ends, bar, upper)
    right = max(bar + _BAR - 14, lean, *(bar + 15 + text_width(end, 11) for end in panel.ends))
    return items, right, upper + max(height * high, 76)


def colour_bar(scale: Sequence[str], ends: tuple[str, str], left: float, top: float) -> Items:
    """The colours of a scale, the lowest at the bottom, and the texts at both ends."""
    step = 70 / len(scale)
    items: Items = [Box(left, top + 70 - (n + 1) * step, 10, step + 0.3, colour) for n, colour in enumerate(scale)]
    return items + [TextLine(left + 15, top + y, end, 11) for y, end in zip((5, 66), ends[::-1], strict=True)]


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
