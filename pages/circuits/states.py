"""The section *Recurrent networks*: what one step passes on replaced by that of another sentence."""

from dataclasses import replace

import streamlit as st

from model.causal.activation_patching import ActivationPatching
from model.causal.patched_states import Place, patch_states_in_steps, translate_with_state_in_steps
from model.causal.patched_translation import PatchedTranslation
from model.causal.sentence_pairs import prepare_pair
from model.runtime.progress import InSteps
from pages.circuits.compared_sentences import Comparison, choose_comparison
from pages.circuits.patching import render_stage, render_translations
from pages.circuits.step_cells import PARTS, StepCells
from pages.history import networks
from pages.shared.causes.patched_cells import render_check, render_files, render_maps
from pages.shared.code import render_program
from pages.shared.models import open_recurrent
from pages.shared.page_header import Request
from views.controls import widgets
from views.export import causal_recipes
from views.text.catalogue import say

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
