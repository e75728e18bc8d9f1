"""The section *Recurrent networks*: what one step passes on replaced by that of another sentence."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st

from model.causal.activation_patching import ActivationPatching
from model.causal.patched_translation import PatchedTranslation
from model.causal.recurrent_patching import Place, patch_states_in_steps, stack_of, translate_with_state_in_steps
from model.causal.sentence_pairs import prepare_pair
from model.runtime.progress import InSteps
from pages.circuits.compared_sentences import Comparison, choose_comparison
from pages.circuits.patching import render_stage, render_translations
from pages.history import networks
from pages.shared.causes.patched_cells import (
    AXES,
    METRIC,
    SHARE,
    CellTable,
    PatchedCells,
    render_check,
    render_files,
    render_maps,
)
from pages.shared.code import render_program
from pages.shared.models import open_recurrent
from pages.shared.page_header import Request
from views.components.cell_maps import CellMap
from views.controls import widgets
from views.export import causal_recipes
from views.kind_labels import OF_STACK
from views.text import literal
from views.text.catalogue import Message, say

# Maps of a recurrent network's patched steps: a map for each part, a row for each thing that a step passes on.

STATES = {
    "hidden_state": Message("circuits.state.hidden", "Hidden state h"),
    "cell_state": Message("circuits.state.cell", "Cell state c"),
    "state": Message("circuits.state.both", "Both, h and c"),
    "context_vector": Message("circuits.state.context", "Context vector"),
}
PARTS = {
    "encoder_forwards": Message("circuits.states.forwards", "Encoder, read forwards"),
    "encoder_backwards": Message("circuits.states.backwards", "Encoder, read backwards"),
    "decoder": Message("circuits.states.decoder", "Decoder"),
}


@dataclass(frozen=True, eq=False)
class StepTable(CellTable):
    """The cells of one row of a map."""

    def index(self, row: int, column: int) -> tuple[int, ...]:
        return (column,)


@dataclass(frozen=True, eq=False)
class StepCells(PatchedCells):
    """Everything that was measured for one comparison; the only axis of a grid is that of positions."""

    @cached_property
    def by_part(self) -> dict[str, list[str]]:
        """Part -> its sites: the rows of its map."""
        parts = dict.fromkeys(part for _, part in self.results)
        return {part: [site for site, own in self.results if own == part] for part in parts}

    @cached_property
    def maps(self) -> list[CellMap]:
        """One map for each part."""
        return [self._steps(part, sites) for part, sites in self.by_part.items()]

    def _steps(self, part: str, sites: list[str]) -> CellMap:
        results = [self.results[site, part] for site in sites]
        scales = {
            SHARE: np.stack([np.nan_to_num(result.restored) for result in results]),
            METRIC: np.stack([result.effects for result in results]),
        }
        return CellMap(
            part,
            "steps",  # all parts share the colours
            self.names[part],
            stack_of(part),
            scales,
            [STATES[site]() for site in sites],
            list(map(str, results[0].grid.axes[0].labels)),
            say("circuits.states.row", "what is replaced"),
            AXES["position"](),
            ("", OF_STACK[stack_of(part)]),
        )

    def table(self, cell: str) -> tuple[CellTable, int, int]:
        part, row, column = cell.rsplit(".", 2)
        site = self.by_part[part][int(row) - 1]
        return StepTable(site, part, self.results[site, part]), int(row) - 1, int(column) - 1

    def step(self, cell: str) -> tuple[Place, int]:
        """Site and part of a cell, and its index in their grid."""
        site, part, (column,) = self.place(cell)
        return (site, part), column

    def describe(self, cell: str) -> str:
        (site, part), column = self.step(cell)
        values = {"site": STATES[site](), "part": self.names[part], "position": column + 1}
        return say("circuits.cell.step", "{site}, {part}, position {position}", **values)

    def rows(self) -> tuple[list[str], list[list[object]]]:
        header = [
            say("circuits.column.site", "site"),
            say("circuits.column.part", "part"),
            say("circuits.position", "position"),
            say("column.token", "token"),
            say("circuits.column.metric", "measured, patched"),
            say("circuits.column.share", "share of the difference"),
        ]
        rows: list[list[object]] = []
        for site, part, result in self._listed():
            labels, numbers = result.grid.axes[0].labels, zip(result.grid.values, result.restored, strict=True)
            names = STATES[site](), self.names[part]
            for place, (label, (value, share)) in enumerate(zip(labels, numbers, strict=True), 1):
                rows.append([*names, place, literal.token(str(label)), float(value), float(share)])
        return header, rows


FIRST = "lstm-additive"  # it has all that can be replaced


def render(request: Request) -> None:
    """Render the section."""
    name = widgets.pick(say("history.network", "Network"), networks.options(), "network", default=FIRST)
    request = replace(request, service=open_recurrent(name))
    comparison = choose_comparison(request)
    if comparison is None:
        return
    translations = st.container()
    cells = patch_states(request, comparison)
    cell = render_maps(cells, text="states-maps")
    patched = translate_patched(request, comparison, cells, cell)
    with translations:
        render_translations(request, comparison, cells, cell, patched)
    if request.service.kinds:
        title = say("circuits.states.stage", "The run with the chosen cell patched: what each step attends to")
        render_stage(request, comparison, patched, title)
    direction, alignment = comparison.direction, comparison.alignment
    lines = causal_recipes.of_states(direction, alignment)
    render_files(cells, comparison.source(request).with_method(lines, direction=direction, alignment=alignment))
    render_check(cells)
    if comparison.is_proposed:
        texts = {"clean": comparison.texts[0], "corrupt": comparison.texts[1]}
        values = {"direction": direction, "alignment": comparison.positions}
        render_program("circuits", "states", **texts, network=name, **values)


def patch_states(request: Request, comparison: Comparison) -> StepCells:
    """Replace everything that any step passes on; cached."""

    def compute(model) -> InSteps[dict[Place, ActivationPatching]]:
        experiment, alignment = _prepare(model, comparison)
        direction = comparison.direction
        return (yield from patch_states_in_steps(model.resumable, experiment, direction=direction, alignment=alignment))

    results = request.service.analysis_in_steps(("states patched", *comparison.key), compute)
    return StepCells(results, {part: name() for part, name in PARTS.items()}, settled=("decoder",))


def translate_patched(request: Request, comparison: Comparison, cells: StepCells, cell: str) -> PatchedTranslation:
    """Translate with one cell patched; cached."""
    place, index = cells.step(cell)

    def compute(model) -> InSteps[PatchedTranslation]:
        experiment, alignment = _prepare(model, comparison)
        options = {"place": comparison.place, "direction": comparison.direction, "alignment": alignment}
        return (yield from translate_with_state_in_steps(model.resumable, experiment, *place, index, **options))

    return request.service.analysis_in_steps(("patched translation", *comparison.key, cell), compute)


def _prepare(model, comparison: Comparison):
    pair = comparison.pair
    experiment = prepare_pair(model.resumable, model.tokenizer, pair, comparison.place, comparison.metric)
    return experiment, pair.alignment(comparison.alignment, comparison.direction)
