"""Maps of numbers that measure the cells of a network; the user chooses one cell among all of them.

The payload contains the numbers of all maps in every scale as float32: the browser switches between scales without the
server. The chosen cell is a setting: it is in the address, and sent to the server at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .. import palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..text import terms
from ..text.catalogue import Message
from ..viewer.payload import pack
from . import component, controls, matrix_row

_MOUNT = component.Component("cell_maps", "cell-maps")
WORDS = {
    "read": Message("cells.keys", "{name}, {rows} by {columns}. Arrow keys read the cells, Enter chooses one."),
    "table": terms.NUMBERS_AS_TABLE,
    "masked": terms.MASKED,
}


@dataclass(frozen=True, eq=False)
class CellMap:
    """One map."""

    id: str  # begins the ids of its cells
    group: str  # maps of a group follow one another, in a row of their own, and share the colours of a scale
    name: str  # written above it
    kind: str  # decides the hue
    values: Mapping[str, np.ndarray]  # id of a scale -> `(row, column)`
    # `rows`, `columns`: labels
    rows: Sequence[str]
    columns: Sequence[str]
    # `row_title`, `column_title`: what the axes are
    row_title: str
    column_title: str
    languages: tuple[str, str] = ("", "")  # of the tokens of rows and of columns; empty where unknown

    def cell_id(self, row: int, column: int) -> str:
        """The id of a cell: map, row and column from 1."""
        return f"{self.id}.{row + 1}.{column + 1}"

    def cells(self) -> list[str]:
        """The ids of all cells, row by row."""
        return [self.cell_id(*cell) for cell in np.ndindex(len(self.rows), len(self.columns))]


@dataclass(frozen=True, eq=False)
class CellMaps:
    """Maps with their choices."""

    maps: Sequence[CellMap]
    scale: Choice  # the choice among the scales that every map has
    cell: Choice  # the choice among the cells of all maps, which are its options
    chosen: Mapping[str, str]  # the selected option of each


def payload(cell_maps: CellMaps, theme: palette.Theme) -> bytes:
    """The bytes that the script reads."""
    scales = list(cell_maps.scale.options)
    headers: list[dict[str, object]] = []
    arrays: dict[str, np.ndarray] = {}
    for each in cell_maps.maps:
        axes = each.kind, each.rows, each.columns, each.row_title, each.column_title
        group = [other for other in cell_maps.maps if other.group == each.group]
        for scale in scales:
            values = np.asarray(each.values[scale], dtype="<f4")
            top = max(float(np.abs(other.values[scale]).max()) for other in group)
            matrix = matrix_row.RowMatrix(each.name, values, *axes, top=top or 1.0, languages=each.languages)
            more = {"map": each.id, "scale": scale, "leads": group[0] is each}
            arrays[str(len(headers))] = values
            headers.append(matrix_row.matrix_header(matrix) | more)
    hidden = replace(cell_maps.cell, options={id: "" for id in cell_maps.cell.options})
    header = {
        "items": headers,
        "scale": cell_maps.scale.key,
        "cell": cell_maps.cell.key,
        "controls": controls.control_specs((cell_maps.scale, hidden), elsewhere=(hidden.key,)),
        "theme": theme,
        "masked": palette.MASKED,
        "words": component.translated(WORDS),
    }
    return pack(header, arrays)


def cell_maps(maps: CellMaps, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount them; `on_choose` gets the selected options: a cell at once, a scale half a second later."""
    handler = partial(controls.valid_selection, choices=(maps.scale, maps.cell)), on_choose
    _MOUNT(key, payload(maps, sentence_input.theme()), dict(maps.chosen), chosen=handler)
