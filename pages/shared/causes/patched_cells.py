"""Maps of patched cells: every cell of a site and part, the chosen one in words, their files and their check."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import streamlit as st

from model.causal.activation_patching import ActivationPatching, Direction
from model.causal.result_tables import TableAxis
from pages.shared import checks, files
from pages.shared.causes.restored import share_text
from pages.shared.causes.saved_result import ResultFiles, ResultSource, render_result_files
from pages.shared.texts import block, caption, fold_check
from views.components.cell_maps import CellMap, CellMaps, cell_maps
from views.controls import sentence_input, widgets
from views.controls.widgets import Choice
from views.text import literal, terms
from views.text.catalogue import Message, say
from views.text.numbers import three_digits

BY_POSITION = {
    "residual": Message("circuits.site.residual", "Residual stream"),
    "attention_output": Message("circuits.site.attention", "Attention output"),
    "feed_forward_output": Message("circuits.site.feed-forward", "Feed-forward output"),
}
BY_HEAD = {
    "head_output": Message("circuits.site.head", "Head output"),
    "queries": Message("circuits.site.queries", "Queries"),
    "keys": Message("circuits.site.keys", "Keys"),
    "values": Message("circuits.site.values", "Values"),
    "attention_weights": Message("circuits.site.weights", "Attention weights"),
}
SITES = BY_POSITION | BY_HEAD
AXES = {
    "layer": Message("column.layer", "layer"),
    "head": Message("column.head", "head"),
    "position": Message("circuits.position", "position"),
    "row": terms.ROW,
    "column": terms.COLUMN,
}
PATCHES = "patches"  # instead of a part, in the ids of cells of a picture
SHARE, METRIC = "share", "metric"  # the two scales

Results = Mapping[tuple[str, str], ActivationPatching]  # site and part -> result


@dataclass(frozen=True)
class HeadCells:
    """What is patched: a site, in all parts of the network or only some, and whether each position is a cell."""

    site: str
    parts: tuple[str, ...] = ()
    by_position: bool | None = None  # None for what the site has by itself: an axis of positions, or one of heads

    @property
    def arguments(self) -> dict[str, object]:
        """As arguments of `patch_parts_in_steps`, without those that have their defaults."""
        named = {"parts": self.parts or None, "by_position": self.by_position}
        return {"site": self.site} | {name: value for name, value in named.items() if value is not None}


def choose_heads(kinds: Mapping[str, str]) -> HeadCells:
    """Render the choice of what of a head is patched, at all positions or at each; `kinds` are those of attention."""
    site = widgets.pick(say("circuits.by-head", "By layer and head"), BY_HEAD, "headsite")
    spans = {
        "all": say("circuits.head-cells.all", "All positions together"),
        "each": say("circuits.head-cells.each", "Each position"),
    }
    help = " ".join(block("circuits", "head-cells-help").split())
    if widgets.pick(say("circuits.head-cells", "Heads at"), spans, "headcells", help=help) == "all":
        return HeadCells(site)
    part = next(iter(kinds))
    if len(kinds) > 1:
        part = widgets.pick(say("circuits.head-kind", "Heads of"), kinds, "headkind", varies=True)
    return HeadCells(site, (part,), True)


@dataclass(frozen=True, eq=False)
class CellTable:
    """The cells of one site and part that one map shows."""

    site: str
    part: str
    result: ActivationPatching
    # index of the layer, where each has a map of its own with an axis of heads and one of positions
    layer: int | None = None
    grid: tuple[int, int] | None = None  # rows and columns of patches, where the map is a picture at one layer

    @property
    def id(self) -> str:
        """Begins the ids of its cells."""
        if self.grid is not None:
            return f"{self.site}-{PATCHES}"
        return f"{self.site}-{self.part}" + ("" if self.layer is None else f"-{self.layer + 1}")

    @property
    def axes(self) -> tuple[TableAxis, TableAxis]:
        """Rows and columns."""
        if self.grid is not None:
            return TableAxis.counted("row", self.grid[0]), TableAxis.counted("column", self.grid[1])
        first, second = self.result.grid.axes[-2:]
        return first, second

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """Index of a cell in the result's grid."""
        if self.grid is not None:
            return 0, row * self.grid[1] + column
        return (row, column) if self.layer is None else (self.layer, row, column)

    def of(self, values: np.ndarray) -> np.ndarray:
        """The numbers of this map among those of the whole grid."""
        if self.grid is not None:
            return values[0].reshape(self.grid)
        return values if self.layer is None else values[self.layer]

    def title(self, part: str) -> str:
        """The name of the map; `part` is that of its part."""
        name, layers = SITES[self.site](), self.result.grid.axes[0].labels
        if self.grid is not None:
            return say("circuits.map.patches", "{site} at each patch, layer {layer}", site=name, layer=layers[0])
        title = say("circuits.map", "{site}, {part}", site=name, part=part)
        if self.layer is None:
            return title
        return say("circuits.map.layer", "{map}, layer {layer}", map=title, layer=layers[self.layer])


@dataclass(frozen=True, eq=False)
class PatchedCells:
    """Everything that was measured for one comparison."""

    results: Results  # site and part -> result; its grid has layers and positions, layers and heads, or all three
    names: Mapping[str, str]  # part -> its name on screen
    # of the residual stream at one layer and all patches of a picture, and their rows and columns
    patches: tuple[ActivationPatching, tuple[int, int]] | None = None
    # ids of maps in which some cell is all that the answer is read from, so that its effect is no finding
    settled: tuple[str, ...] = ()
    languages: Mapping[str, str] = field(
        default_factory=dict
    )  # part -> that of the tokens at its positions, where known

    @property
    def first(self) -> ActivationPatching:
        """Any of the results: all have the same two runs."""
        return next(iter(self.results.values()))

    @cached_property
    def tables(self) -> dict[str, CellTable]:
        """Id of a map -> its cells."""
        tables = []
        for (site, part), result in self.results.items():
            deep = len(result.grid.axes) == 3
            layers = range(len(result.grid.axes[0].labels)) if deep else (None,)
            tables += [CellTable(site, part, result, layer) for layer in layers]
        if self.patches is not None:
            result, grid = self.patches
            tables.append(CellTable(result.site, result.part, result, grid=grid))
        return {table.id: table for table in tables}

    @cached_property
    def maps(self) -> list[CellMap]:
        """One map for each site and part; where heads and positions are axes, one for each layer, too."""
        return [self._map(table) for table in self.tables.values()]

    def _map(self, table: CellTable) -> CellMap:
        rows, columns = table.axes
        scales = {SHARE: np.nan_to_num(table.result.restored), METRIC: table.result.effects}
        return CellMap(
            table.id,
            table.id if table.grid is not None else table.site,
            table.title(self.names[table.part]),
            table.part,
            {scale: table.of(values) for scale, values in scales.items()},
            list(map(str, rows.labels)),
            list(map(str, columns.labels)),
            AXES[rows.name](),
            AXES[columns.name](),
            (self._language(table.part, rows.name), self._language(table.part, columns.name)),
        )

    def _language(self, part: str, axis: str) -> str:
        return self.languages.get(part, "") if axis == "position" else ""

    @property
    def strongest(self) -> str:
        """Id of the cell with the largest effect, outside of `settled`."""
        open_maps = [each for each in self.maps if each.id not in self.settled]
        each = max(open_maps, key=lambda cells: np.abs(cells.values[METRIC]).max())
        return each.cell_id(*np.unravel_index(np.abs(each.values[METRIC]).argmax(), each.values[METRIC].shape))

    def table(self, cell: str) -> tuple[CellTable, int, int]:
        """The table that has a cell, its row and its column there, from 0."""
        name, row, column = cell.rsplit(".", 2)
        return self.tables[name], int(row) - 1, int(column) - 1

    def place(self, cell: str) -> tuple[str, str, tuple[int, ...]]:
        """Site, part, and index in the grid of a cell's id."""
        table, row, column = self.table(cell)
        return table.site, table.part, table.index(row, column)

    def value(self, cell: str) -> float:
        """The metric with a cell patched."""
        table, row, column = self.table(cell)
        return float(table.result.grid.values[table.index(row, column)])

    def by_position(self, cell: str) -> bool | None:
        """Whether a cell is one of a head at one position; None for what its site has by itself."""
        return True if len(self.table(cell)[0].result.grid.axes) == 3 else None

    def sentence_values(
        self, cell: str, direction: Direction, write: Callable[[float], str] = three_digits
    ) -> dict[str, str]:
        """What is measured for A, for B and with a cell patched, and the share of the difference, for a sentence.

        Args:
            write: formats what is measured.
        """
        first, value = self.first, self.value(cell)
        sides = (first.donor, first.receiver) if direction == "denoising" else (first.receiver, first.donor)
        share = share_text(value, first.receiver, first.donor)
        numbers = dict(zip(("first", "second", "value"), map(write, (*sides, value)), strict=True))
        return numbers | {"share": share, "cell": self.describe(cell)}

    def error(self, cell: str) -> float | None:
        """Standard error of `value` over noisy samples; None without noise."""
        table, row, column = self.table(cell)
        errors = table.result.standard_error
        return None if errors is None else float(errors.values[table.index(row, column)])

    def describe(self, cell: str) -> str:
        """A cell in words."""
        table, row, column = self.table(cell)
        at = dict(zip((axis.name for axis in table.result.grid.axes), table.index(row, column), strict=True))
        values: dict[str, object] = {"site": SITES[table.site](), "part": self.names[table.part]}
        values["layer"] = table.result.grid.axes[0].labels[at["layer"]]
        values |= {name: at[name] + 1 for name in ("head", "position") if name in at}
        if "head" not in at:
            return say("circuits.cell.position", "{site}, {part}, layer {layer}, position {position}", **values)
        if "position" not in at:
            return say("circuits.cell.head", "{site}, {part}, layer {layer}, head {head}", **values)
        return say(
            "circuits.cell.head-position",
            "{site}, {part}, layer {layer}, head {head}, position {position}",
            **values,
        )

    def rows(self) -> tuple[list[str], list[list[object]]]:
        """All cells as rows of a table, below a header."""
        header = [
            say("circuits.column.site", "site"),
            say("circuits.column.part", "part"),
            say("column.layer", "layer"),
            say("column.head", "head"),
            say("circuits.position", "position"),
            say("column.token", "token"),
            say("circuits.column.metric", "measured, patched"),
            say("circuits.column.share", "share of the difference"),
        ]
        noisy = self.first.standard_error is not None
        if noisy:
            header.append(say("circuits.column.error", "standard error"))
        rows: list[list[object]] = []
        for site, part, result in self._listed():
            layers, *others = result.grid.axes
            of = say("circuits.column.patches", "each patch") if part == PATCHES else self.names[part]
            for index in np.ndindex(*result.grid.values.shape):
                at = {axis.name: place for axis, place in zip(others, index[1:], strict=True)}
                head: object = at["head"] + 1 if "head" in at else ""
                place: list[object] = ["", ""]
                if "position" in at:
                    place = [at["position"] + 1, literal.token(str(others[-1].labels[at["position"]]))]
                numbers = [float(result.grid.values[index]), float(result.restored[index])]
                if result.standard_error is not None:
                    numbers.append(float(result.standard_error.values[index]))
                rows.append([SITES[site](), of, layers.labels[index[0]], head, *place, *numbers])
        return header, rows

    def _listed(self) -> list[tuple[str, str, ActivationPatching]]:
        """Site, part and result of everything that was measured, for files."""
        listed = [(site, part, result) for (site, part), result in self.results.items()]
        return listed if self.patches is None else [*listed, (self.patches[0].site, PATCHES, self.patches[0])]

    def arrays(self) -> dict[str, np.ndarray]:
        """All grids for `numpy.load`."""
        arrays = {"receiver": np.array(self.first.receiver), "donor": np.array(self.first.donor)}
        for site, part, result in self._listed():
            name = f"{site}_{part}"
            arrays[name] = result.grid.values
            if result.standard_error is not None:
                arrays[f"{name}_standard_error"] = result.standard_error.values
            arrays |= {f"{name}_{axis.name}": np.array(axis.labels) for axis in result.grid.axes}
        return arrays


def render_maps(cells: PatchedCells, page: str = "circuits", text: str = "maps", **values: object) -> str:
    """Render the maps; return the id of the chosen cell. `page` has the block `text` above them, with `values`."""
    names = {
        SHARE: say("circuits.scale.share", "Share of the difference"),
        METRIC: say("circuits.scale.metric", "Change of what is measured"),
    }
    scale = Choice(say("circuits.scale", "Colours"), names, "cellscale")
    options = [id for each in cells.maps for id in each.cells()]
    cell = Choice(say("circuits.cell", "Cell"), options, "cell", cells.strongest, varies=True)
    chosen = {choice.key: choice.in_component() for choice in (scale, cell)}
    caption(page, text, **values)
    cell_maps(CellMaps(cells.maps, scale, cell, chosen), "patched-cells", sentence_input.store_selection)
    return chosen[cell.key]


def render_files(cells: PatchedCells, source: ResultSource) -> None:
    """Render the downloads with the recipe, and all cells as a table; `source` ends with the lines that patch."""
    header, rows = cells.rows()
    labels = say("circuits.csv", "All cells as CSV"), say("circuits.npz", "All cells as NPZ")
    found = [result.check for result in cells.results.values()]
    everything = [check.everything for check in found if check.everything is not None]
    check = {"nothing_replaced": max(check.nothing for check in found)}
    check |= {"everything_replaced": max(everything)} if everything else {}
    with st.container(horizontal=True):
        render_result_files(ResultFiles("patching", header, lambda: rows, cells.arrays, check, labels), source)
    files.folded_table(lambda: files.data_frame(rows, header), "patching_table", hide_index=True)


def render_check(cells: PatchedCells, page: str = "circuits", half: bool | None = None, text: str = "check") -> None:
    """Render how far the runs with nothing and with everything replaced are from the known answers.

    Args:
        half: whether an opened model runs in half precision; None for a network of this project.
        text: block of the page that states both; the one without everything has "-nothing" after its id.
    """
    results = [result.check for result in cells.results.values()]
    largest = max(check.nothing for check in results)
    nothing = checks.format_stream_difference("patched nothing", largest, half)
    everything = [check.everything for check in results if check.everything is not None]
    if everything:
        whole = checks.format_stream_difference("patched everything", max(everything), half)
        fold_check(page, text, nothing=nothing, everything=whole)
    else:
        fold_check(page, f"{text}-nothing", nothing=nothing)
