"""Notebook sections of a causal result: every table as a map, what was measured, and the files that can be saved."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..components import linked_heatmaps
from ..components.linked_heatmaps import LinkedHeatmaps, MapSet
from ..components.matrix_row import RowMatrix
from ..components.notebook_page import DownloadFile, NotebookSection
from ..controls.widgets import Choice
from ..export.downloads import table_csv
from ..text.catalogue import Untranslated, say
from .result_sentences import measured
from .result_words import UNDEFINED, in_words

CSV_NUMBERS = 20_000
HUES = ("encoder", "decoder", "cross", "vision")
SHARES = ("probability", "share")  # units of numbers that are not signed where none is below 0
_NAMED = ("part", "first", "second")  # axes whose labels are names of parts, not tokens or numbers


class ShownTable(Protocol):
    """See `model.causal.result_tables.Table`."""

    values: np.ndarray
    axes: tuple[Any, ...]
    unit: str

    def columns(self) -> Mapping[str, np.ndarray]: ...


@dataclass(frozen=True)
class TableMap:
    """A table as rows and columns."""

    values: np.ndarray
    # `rows`, `columns`: labels; several axes that share a side are joined, as in "2.3" for layer 2, head 3
    rows: list[str]
    columns: list[str]
    titles: tuple[str, str]  # what the rows and columns are


def as_map(table: ShownTable) -> TableMap:
    """A table of any number of axes: the first half of them are rows; one axis is a single row."""
    sizes = table.values.shape
    split = len(sizes) // 2 if len(sizes) != 3 else 2  # layer and head by position
    sides = table.axes[:split], table.axes[split:]
    rows, columns = (_labels(side) for side in sides)
    titles = [" ".join(in_words(axis.name) for axis in side) for side in sides]
    return TableMap(table.values.reshape(len(rows), len(columns)), rows, columns, (titles[0], titles[1]))


def _labels(axes: tuple[Any, ...]) -> list[str]:
    labels = [""]
    for axis in axes:
        own = [in_words(label) if axis.name in _NAMED else str(label) for label in axis.labels]
        labels = [f"{first}.{one}" if first else one for first in labels for one in own]
    return labels


def heatmaps(tables: Mapping[str, ShownTable]) -> LinkedHeatmaps:
    """The tables as maps, one at a time, with a choice among several."""
    sets = {}
    for name, table in tables.items():
        each = as_map(table)
        signed = table.unit not in SHARES or bool((each.values < 0).any())
        values = np.where(np.isnan(each.values), -np.inf, each.values)
        title = f"{in_words(name)} ({in_words(table.unit)})"
        hue = next((hue for hue in HUES if name.startswith(hue)), "decoder")
        item = RowMatrix(
            title, values, hue, each.rows, each.columns, *each.titles, signed=signed, masked=("", UNDEFINED())
        )
        sets[name] = MapSet([item], "", ())
    choices = []
    if len(sets) > 1:
        options = {name: Untranslated(in_words(name)) for name in sets}
        choices = [Choice(say("show.table", "Table"), options, "kind")]
    return LinkedHeatmaps(sets, (), choices, {choice.key: choice.first for choice in choices})


def result_sections(result: Any, tables: Mapping[str, ShownTable]) -> list[NotebookSection]:
    """What was measured, and the maps."""
    snapshot = linked_heatmaps.snapshot(heatmaps(tables))
    return [NotebookSection(measured(result), snapshot)]


def result_files(tables: Mapping[str, ShownTable]) -> list[DownloadFile]:
    """All tables as NPZ, and each as CSV where they are not too large for a page."""
    content = io.BytesIO()
    arrays = {name: table.values for name, table in tables.items()}
    np.savez_compressed(content, **arrays)  # type: ignore[arg-type]  # NumPy's stub knows only `allow_pickle`
    npz = say("show.tables.npz", "All tables as NPZ")
    files = [DownloadFile(npz, "tables.npz", "application/octet-stream", content.getvalue())]
    for name, table in tables.items() if sum(each.values.size for each in tables.values()) <= CSV_NUMBERS else ():
        columns = table.columns()
        rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
        label = say("show.table.csv", "{table} as CSV", table=in_words(name))
        files.append(DownloadFile(label, f"{name}.csv", "text/csv", table_csv(list(columns), rows)))
    return files
