"""The section *Patching*: every cell of a network replaced by that of another sentence, and one of them in full."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from model.causal.activation_patching import ActivationPatching
from model.causal.patched_translation import (
    PatchedTranslation,
    patch_parts_in_steps,
    translate_patched_in_steps,
)
from model.causal.sentence_pairs import prepare_pair
from model.runtime.progress import InSteps
from pages.circuits.compared_sentences import Comparison, choose_comparison, doubts_of
from pages.shared import checks, files
from pages.shared.code import render_program
from pages.shared.doubt import render_note
from pages.shared.page_header import Request, translation_below
from pages.shared.texts import block, caption, fold_check, warn_if_cut_off
from views.components.cell_maps import CellMap, CellMaps, cell_maps
from views.controls import sentence_input, widgets
from views.controls.widgets import Choice
from views.text import literal
from views.text.catalogue import Message, say
from views.text.numbers import percent, three_digits

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
SHARE, METRIC = "share", "metric"  # the two scales

Results = Mapping[tuple[str, str], ActivationPatching]  # site and part -> result


@dataclass(frozen=True, eq=False)
class PatchedCells:
    """Everything that was measured for one comparison.

    Attributes:
        results: site and part -> result.
        names: part -> its name on screen.
    """

    results: Results
    names: Mapping[str, str]

    @property
    def first(self) -> ActivationPatching:
        """Any of the results: all have the same two runs."""
        return next(iter(self.results.values()))

    @cached_property
    def maps(self) -> list[CellMap]:
        """One map for each site and part."""
        return [self._map(site, part, result) for (site, part), result in self.results.items()]

    def _map(self, site: str, part: str, result: ActivationPatching) -> CellMap:
        layers, columns = result.grid.axes
        title = say("column.head", "head") if columns.name == "head" else say("circuits.position", "position")
        return CellMap(
            f"{site}-{part}",
            site,
            say("circuits.map", "{site}, {part}", site=SITES[site](), part=self.names[part]),
            part,
            {SHARE: np.nan_to_num(result.restored), METRIC: result.effects},
            list(map(str, layers.labels)),
            list(map(str, columns.labels)),
            say("column.layer", "layer"),
            title,
        )

    @property
    def strongest(self) -> str:
        """Id of the cell with the largest effect."""
        each = max(self.maps, key=lambda cells: np.abs(cells.values[METRIC]).max())
        return each.cell_id(*np.unravel_index(np.abs(each.values[METRIC]).argmax(), each.values[METRIC].shape))

    def place(self, cell: str) -> tuple[str, str, tuple[int, int]]:
        """Site, part, and index in the grid of a cell's id."""
        name, row, column = cell.split(".")
        site, part = name.rsplit("-", 1)
        return site, part, (int(row) - 1, int(column) - 1)

    def value(self, cell: str) -> float:
        """The metric with a cell patched."""
        site, part, index = self.place(cell)
        return float(self.results[site, part].grid.values[index])

    def describe(self, cell: str) -> str:
        """A cell in words, with its token as typed."""
        site, part, (row, column) = self.place(cell)
        layers, columns = self.results[site, part].grid.axes
        values = {"site": SITES[site](), "part": self.names[part], "layer": layers.labels[row]}
        if columns.name == "head":
            return say("circuits.cell.head", "{site}, {part}, layer {layer}, head {head}", **values, head=column + 1)
        return say(
            "circuits.cell.position",
            "{site}, {part}, layer {layer}, position {position}",
            **values,
            position=column + 1,
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
        rows: list[list[object]] = []
        for (site, part), result in self.results.items():
            layers, columns = result.grid.axes
            by_head = columns.name == "head"
            for row, column in np.ndindex(*result.grid.values.shape):
                place = (
                    [column + 1, "", ""] if by_head else ["", column + 1, literal.token(str(columns.labels[column]))]
                )
                numbers = float(result.grid.values[row, column]), float(result.restored[row, column])
                rows.append([site, part, layers.labels[row], *place, *numbers])
        return header, rows

    def arrays(self) -> dict[str, np.ndarray]:
        """All grids for `numpy.load`."""
        arrays = {"receiver": np.array(self.first.receiver), "donor": np.array(self.first.donor)}
        for (site, part), result in self.results.items():
            layers, columns = result.grid.axes
            arrays |= {
                f"{site}_{part}": result.grid.values,
                f"{site}_{part}_layer": np.array(layers.labels),
                f"{site}_{part}_{columns.name}": np.array(columns.labels),
            }
        return arrays


def patch_all(request: Request, comparison: Comparison, sites: tuple[str, ...]) -> PatchedCells:
    """Patch all cells of these sites; each site is computed once."""
    results: dict[tuple[str, str], ActivationPatching] = {}
    for site in sites:
        key = ("patched", *comparison.key, site)
        parts = request.service.analysis_in_steps(key, _patch_site, comparison, site)
        results |= {(site, part): result for part, result in parts.items()}
    return PatchedCells(results, sentence_input.kind_names(request.service.kinds))


def _patch_site(model, comparison: Comparison, site: str) -> InSteps[dict[str, ActivationPatching]]:
    pair, direction = comparison.pair, comparison.direction
    experiment = prepare_pair(model.resumable, model.tokenizer, pair, comparison.place, comparison.metric)
    alignment = pair.alignment(comparison.alignment, direction)
    return (
        yield from patch_parts_in_steps(model.resumable, experiment, site, direction=direction, alignment=alignment)
    )


def translate_patched(request: Request, comparison: Comparison, cells: PatchedCells, cell: str) -> PatchedTranslation:
    """Translate with one cell patched; cached."""
    site, part, index = cells.place(cell)

    def compute(model) -> InSteps[PatchedTranslation]:
        pair, direction = comparison.pair, comparison.direction
        experiment = prepare_pair(model.resumable, model.tokenizer, pair, comparison.place, comparison.metric)
        return (
            yield from translate_patched_in_steps(
                model.resumable,
                experiment,
                site,
                part,
                index,
                place=comparison.place,
                direction=direction,
                alignment=pair.alignment(comparison.alignment, direction),
            )
        )

    return request.service.analysis_in_steps(("patched translation", *comparison.key, cell), compute)


def render(request: Request) -> None:
    """Render the section."""
    comparison = choose_comparison(request)
    if comparison is None:
        return
    translations = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        site = widgets.pick(say("circuits.by-position", "By layer and position"), BY_POSITION, "site")
        heads = widgets.pick(say("circuits.by-head", "By layer and head"), BY_HEAD, "headsite")
    cells = patch_all(request, comparison, (site, heads))
    cell = render_maps(cells)
    with translations:
        render_translations(request, comparison, cells, cell)
    render_files(cells)
    render_check(cells)
    if comparison.is_proposed:
        texts = {"clean": comparison.texts[0], "corrupt": comparison.texts[1]}
        ways = {"direction": comparison.direction, "alignment": comparison.positions}
        render_program("circuits", "patching", **texts, site=heads, **ways)


def render_maps(cells: PatchedCells, page: str = "circuits") -> str:
    """Render the maps; return the id of the chosen cell. `page` has the texts."""
    names = {
        SHARE: say("circuits.scale.share", "Share of the difference"),
        METRIC: say("circuits.scale.metric", "Change of what is measured"),
    }
    scale = Choice(say("circuits.scale", "Colours"), names, "cellscale")
    options = [id for each in cells.maps for id in each.cells()]
    cell = Choice(say("circuits.cell", "Cell"), options, "cell", cells.strongest, varies=True)
    chosen = {choice.key: choice.in_component() for choice in (scale, cell)}
    caption(page, "maps")
    cell_maps(CellMaps(cells.maps, scale, cell, chosen), "patched-cells", sentence_input.store_selection)
    return chosen[cell.key]


def render_translations(request: Request, comparison: Comparison, cells: PatchedCells, cell: str) -> None:
    """Render both translations, that of the patched run, and what is measured in all three."""
    patched = translate_patched(request, comparison, cells, cell)
    doubts = doubts_of(request, comparison, patched)
    receives = "B" if comparison.direction == "denoising" else "A"
    names = [say("compare.translation", "Translation, {side}", side=side) for side in ("A", "B")]
    names.append(say("circuits.translation.patched", "Translation, {side} with the chosen cell patched", side=receives))
    for column, name, each in zip(st.columns(3, gap="medium"), names, doubts, strict=True):
        column.html(translation_below(each, name))
    render_note(request.service, doubts)
    warn_if_cut_off(request.service.has_ended(patched.ids))
    first, value = cells.first, cells.value(cell)
    sides = (first.donor, first.receiver) if receives == "B" else (first.receiver, first.donor)
    distance = first.donor - first.receiver
    share = percent((value - first.receiver) / distance) if distance else say("circuits.undefined", "undefined")
    measured, place = comparison.measured, cells.describe(cell)
    st.markdown(
        block(
            "circuits",
            "patched-cell",
            measured=measured,
            first=three_digits(sides[0]),
            second=three_digits(sides[1]),
            cell=place,
            value=three_digits(value),
            share=share,
        )
    )


def render_files(cells: PatchedCells) -> None:
    """Render the downloads, and all cells as a table."""
    header, rows = cells.rows()
    with st.container(horizontal=True):
        files.csv(header, rows, "patching", say("circuits.csv", "All cells as CSV"))
        files.npz("patching", cells.arrays, say("circuits.npz", "All cells as NPZ"))
    files.folded_table(lambda: files.data_frame(rows, header), "patching_table", hide_index=True)


def render_check(cells: PatchedCells, page: str = "circuits") -> None:
    """Render how far the runs with nothing and with everything replaced are from the known answers."""
    found = [result.check for result in cells.results.values()]
    nothing = checks.format_difference("patched nothing", max(check.nothing for check in found))
    everything = [check.everything for check in found if check.everything is not None]
    if everything:
        whole = checks.format_difference("patched everything", max(everything))
        fold_check(page, "check", nothing=nothing, everything=whole)
    else:
        fold_check(page, "check-nothing", nothing=nothing)
