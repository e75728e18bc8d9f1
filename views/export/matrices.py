"""Lay out a map, or the matrices that a page shows side by side, as a picture with the page's colours, on white."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import palette
from ..components.matrix_row import ALLOWED, RowMatrix, colour_limits
from ..kind_labels import Kind
from ..map_weights import DECADES, causal_mask, shade
from ..text.numbers import three_digits
from .drawing import Drawing
from .matrix_image import ALONE, MatrixPanel, scale_ends, shades, side_by_side

_WIDTH = 1200  # pixels after which the next matrix starts a new line


@dataclass(frozen=True)
class HeadMap:
    """One map to draw.

    Attributes:
        weights: `(query, key)` float32.
        queries, keys: tokens on the axes.
        kind: names the axes, decides colour and mask.
        place: which layer and head, in words.
        top: the weight that gets the deepest colour.
        log: the scale is logarithmic; see `views.map_weights.shade`.
    """

    weights: np.ndarray
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    kind: Kind
    place: str
    top: float
    log: bool = False

    @property
    def title(self) -> str:
        """Kind, layer and head as a heading."""
        return self.kind.heading(self.place)


def map_drawing(head: HeadMap) -> Drawing:
    """Lay out title, axes, cells and colour bar for `head`."""
    axes = head.kind.query_axis, head.kind.key_axis
    scale = palette.scale(head.kind.name, "light")
    matrix = MatrixPanel("", map_shades(head), head.queries, head.keys, scale, map_ends(head), axes, ALONE)
    return side_by_side([matrix], head.title)


def map_shades(head: HeadMap) -> np.ndarray:
    """`(query, key, 3)` uint8: red, green and blue of every cell, grey where masked."""
    queries, keys = head.weights.shape
    hidden = causal_mask(queries, keys, head.kind.causal)
    return shades(shade(head.weights, head.top, head.log), palette.scale(head.kind.name, "light"), 0, 1, hidden)


def map_ends(head: HeadMap) -> tuple[str, str]:
    """Texts next to the lowest and the highest colour."""
    foot = f"\u2264 {(head.top or 1) / 10**DECADES:.3g}" if head.log else "0"
    return foot, three_digits(head.top)


def matrices_picture(items: Sequence[RowMatrix | str], title: str) -> Drawing:
    """Lay out the matrices in reading order; a string among `items` is an operator between two of them."""
    return side_by_side((item if isinstance(item, str) else matrix_panel(item) for item in items), title, _WIDTH)


def matrix_panel(matrix: RowMatrix) -> MatrixPanel:
    """A matrix with its numbers and colours of the page; masked cells are grey."""
    values = np.asarray(matrix.values, dtype=np.float32)
    low, high = colour_limits(matrix)
    scale: Sequence[str] = palette.colours(matrix.kind, "light", matrix.signed)
    if matrix.words:
        allowed = palette.to_hex(shades(np.full((1, 1), ALLOWED), scale, 0, 255, np.zeros((1, 1), bool))[0, 0])
        scale, low, high = (palette.MASKED["light"], allowed), 0.0, 1.0
    hidden = ~np.isfinite(values)
    rows, columns = values.shape
    return MatrixPanel(
        f"{matrix.name}, {rows} \u00d7 {columns}",
        shades(values, scale, low, high, hidden),
        matrix.rows,
        matrix.columns,
        scale,
        matrix.words or scale_ends(low, high),
    )
