"""Lay out a map, or the matrices that a page shows side by side, as a picture with the page's colours, on white."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import palette
from ..components.matrix_row import ALLOWED, RowMatrix, colour_limits
from ..map_labels import describe
from ..map_weights import DECADES, Scale, shade
from ..text.numbers import three_digits
from ..viewer.attention_maps import KindMaps, Place
from .downloads import matrix_csv
from .drawing import Drawing
from .matrix_image import ALONE, MatrixPanel, scale_ends, shades, side_by_side

_WIDTH = 1200  # pixels after which the next matrix starts a new line


@dataclass(frozen=True, eq=False)
class HeadMap:
    """One map of a kind, to draw."""

    maps: KindMaps  # all of its kind; names the axes, decides colour and mask
    place: Place  # layer and head, from 0; None for the mean
    scale: Scale = "own"  # decides which weight gets the deepest colour
    caption: str = ""  # which layer and head, in words; by default their labels
    largest: float | None = None  # of all maps that share a scale; by default of `maps`

    @cached_property
    def weights(self) -> np.ndarray:
        """`(query, key)` float32."""
        return self.maps.mean(*self.place)

    @property
    def top(self) -> float:
        """The weight that gets the deepest colour."""
        if self.scale == "log":
            return 1.0
        if self.scale == "own":
            return float(self.weights.max())
        return float(self.maps.weights.max()) if self.largest is None else self.largest

    @property
    def where(self) -> str:
        """Layer and head in words."""
        return self.caption or describe(*self.maps.ids(self.place))

    @property
    def title(self) -> str:
        """Kind, layer and head as a heading."""
        return self.maps.kind.heading(self.where)

    def to_csv(self) -> bytes:
        """The map as CSV; see `views.export.downloads.matrix_csv`."""
        queries, keys = self.maps.queries, self.maps.keys
        return matrix_csv(self.weights, queries.labels, keys.labels, self.maps.kind, queries.chosen)


def map_drawing(head: HeadMap) -> Drawing:
    """Lay out title, axes, cells and colour bar for `head`."""
    kind, queries, keys = head.maps.kind, head.maps.queries.names, head.maps.keys.names
    axes, scale = (kind.query_axis, kind.key_axis), palette.scale(kind.name, "light")
    matrix = MatrixPanel("", map_shades(head), queries, keys, scale, map_ends(head), axes, ALONE)
    return side_by_side([matrix], head.title)


def map_shades(head: HeadMap) -> np.ndarray:
    """`(query, key, 3)` uint8: red, green and blue of every cell, grey where masked."""
    share, scale = shade(head.weights, head.top, head.scale == "log"), palette.scale(head.maps.kind.name, "light")
    return shades(share, scale, 0, 1, head.maps.masked)


def map_ends(head: HeadMap) -> tuple[str, str]:
    """Texts next to the lowest and the highest colour."""
    foot = f"\u2264 {(head.top or 1) / 10**DECADES:.3g}" if head.scale == "log" else "0"
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
