"""Matrices side by side with operators between them, drawn and read out in the browser; one can be painted.

The payload contains the numbers of each matrix as float32, by its place in the row.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .. import map_labels, palette
from ..controls import sentence_input
from ..text import terms
from ..text.catalogue import Message
from ..viewer.payload import pack
from . import component

Operation = Literal["product", "each", "softmax"]

_MOUNT = component.Component("matrix_row", "matrices")
WORDS = {
    "read": Message("matrix.keys.read", "{name}, {rows} by {columns}. Arrow keys read the cells."),
    "cell": map_labels.ATTENDS,
    "paint": Message("matrix.keys.paint", "{name}, {rows} by {columns}. Arrow keys move, Space switches a cell."),
}
ALLOWED = 150  # of 255, position of an allowed cell of a mask on the colour scale


@dataclass(frozen=True, eq=False)
class RowMatrix:
    """One matrix to draw."""

    name: str  # written above it, with the shape
    values: np.ndarray  # `(row, column)`; minus infinity is drawn grey as masked
    kind: str = "encoder"  # decides the hue
    # `rows`, `columns`: labels, which may be a user's text; empty if an axis is only numbered
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    # `row_title`, `column_title`: what the axes are, for the read-out; "row" and "column" where empty
    row_title: str = ""
    column_title: str = ""
    signed: bool = True  # colours for both signs, 0 in the background's colour; otherwise 0 is the lightest
    # the number with the deepest colour; the largest one if None. In a `MapSet`, one for each map.
    top: float | np.ndarray | None = None
    # text in cells of minus infinity, and their text in the read-out: "masked" if empty
    masked: tuple[str, str] = ("\u2212\u221e", "")
    # for a matrix of only 0 and 1, the words for both, which the read-out shows instead
    words: tuple[str, str] | None = None
    wide: bool = False  # columns are as wide as possible, so that they can be distinguished
    paint: bool = False  # cells can be switched between 0 and 1
    cursor: tuple[int, int] | None = None  # row and column that are marked at first in an `attention_map`
    read: Sequence[str] = ()  # the tokens by which rows are marked in other maps and named in files; `rows` where empty
    attends: bool = False  # cells are attention weights of a row to a column, which the read-out says
    languages: tuple[str, str] = ("", "")  # of the tokens of rows and of columns; empty where unknown


def payload(items: Sequence[RowMatrix | str], theme: palette.Theme, per_row: int = 1, **more: object) -> bytes:
    """The bytes that the script reads; a string among `items` is an operator between two, `more` header."""
    headers = [{"sign": item} if isinstance(item, str) else matrix_header(item) for item in items]
    matrices = {
        str(place): np.asarray(item.values, np.float32)
        for place, item in enumerate(items)
        if isinstance(item, RowMatrix)
    }
    shared = {"masked": palette.MASKED, "allowed": ALLOWED, "words": component.translated(WORDS)}
    return pack({"items": headers, "theme": theme, "beside": per_row, **shared, **more}, matrices)


def colour_limits(matrix: RowMatrix) -> tuple[float, float]:
    """The numbers with the first and the last colour."""
    values = np.asarray(matrix.values, dtype=np.float32)
    finite = values[np.isfinite(values)]
    largest = float(np.abs(finite).max()) if finite.size else 1.0
    top = largest if matrix.top is None else float(matrix.top)
    return -(top or 1.0) if matrix.signed else 0.0, top or 1.0


def matrix_header(item: RowMatrix) -> dict[str, object]:
    """Header fields of a matrix."""
    low, high = colour_limits(item)
    return component.header_fields(
        item,
        rows=component.labels(item.rows),
        columns=component.labels(item.columns),
        read=component.labels(item.read),
        row_title=item.row_title or terms.ROW(),
        column_title=item.column_title or terms.COLUMN(),
        low=low,
        high=high,
        scales=component.scales(item.kind, item.signed),
        masked=(item.masked[0], item.masked[1] or terms.MASKED()),
    )


def matrix_row(
    items: Sequence[RowMatrix | str],
    key: str,
    on_paint: Callable[[list[tuple[int, int, bool]]], None] | None = None,
    per_row: int = 1,
    operation: Operation | None = None,
) -> None:
    """Mount the matrices.

    Args:
        on_paint: called with row, column and new state of every cell that was painted in one stroke.
        per_row: how many matrices share the width of a wide screen equally.
        operation: how the last matrix is computed from the others: as the product of the first two, cell by cell, or
            as the softmax of each row. Pointing at a cell then marks the cells of the others that it depends on.
    """
    data = payload(items, sentence_input.theme(), per_row, made=operation)
    if on_paint is None:
        _MOUNT(key, data)
        return
    shape = next(item.values.shape for item in items if isinstance(item, RowMatrix) and item.paint)
    _MOUNT(key, data, painted=(lambda sent: valid_cells(sent, shape) or None, on_paint))


def valid_cells(sent: object, shape: tuple[int, ...]) -> list[tuple[int, int, bool]]:
    """The valid painted cells of an answer: browsers can send anything."""
    if not isinstance(sent, (list, tuple)):
        return []
    rows, columns = shape
    triples = (cell for cell in sent[: rows * columns] if isinstance(cell, (list, tuple)) and len(cell) == 3)
    return [
        (cell[0], cell[1], bool(cell[2]))
        for cell in triples
        if component.valid_cell(cell[:2], rows, columns) and cell[2] in (0, 1)
    ]
