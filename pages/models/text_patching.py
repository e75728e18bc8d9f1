"""Patching of an opened model: every cell replaced by that of a second text, and the answers with one of them."""

from collections.abc import Iterable, Mapping

import streamlit as st

from model.causal.activation_patching import ActivationPatching
from model.causal.patched_answer import patched_probabilities
from model.causal.patched_translation import patch_parts_in_steps
from model.causal.patching_estimate import PatchingEstimate, estimate_grids
from model.hub.causal.opened_pair import ComparedAnswer, answer_position, compare_answers
from model.hub.opened_model import OpenedModel
from model.runtime.progress import InSteps
from pages.models.compared_texts import OpenedComparison, UsedPicture, choose_comparison, render_answer_table
from pages.shared.causes.asking import may_run
from pages.shared.causes.patched_cells import (
    BY_POSITION,
    HeadCells,
    PatchedCells,
    choose_heads,
    render_check,
    render_files,
    render_maps,
)
from pages.shared.causes.precision import runs_in_half
from pages.shared.service import Service
from pages.shared.texts import block, paragraph
from views.controls import sentence_input, widgets
from views.export import causal_recipes
from views.kind_labels import any_model_kind
from views.text import literal
from views.text.catalogue import Message, say, say_error

STACKS = {
    "encoder": Message("models.stack.encoder", "encoder"),
    "decoder": Message("models.stack.decoder", "decoder"),
}


def render_patching(
    service: Service[OpenedModel], text: str, options: Mapping[str, str], picture: UsedPicture | None = None
) -> None:
    """Render the part; arguments are those of `choose_comparison`.

    Raises:
        OpenError: the second text cannot be used.
        CausalError: nothing can be measured.
    """
    comparison = choose_comparison(service, text, options, picture=picture)
    if comparison is None:
        return
    answers = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        stream = service.analysis(("has stream", picture is None), lambda model: model.resumable.stream_refusal)
        if stream is None:
            site = HeadCells(widgets.pick(say("circuits.by-position", "By layer and position"), BY_POSITION, "site"))
        heads = choose_heads(sentence_input.kind_names(_kinds(service)))
    if stream is not None:
        st.info(block("models_causes", "heads-only", reason=literal.markdown(say_error(stream))))
    wanted = (heads,) if stream is not None else (site, heads)
    cells = patch_cells(service, comparison, wanted)
    if cells is None:
        return
    cell = render_maps(cells, "models_causes")
    with answers:
        render_patched_answers(service, comparison, cells, cell)
    direction, alignment = comparison.direction, comparison.alignment
    lines = causal_recipes.of_grids([each.arguments for each in wanted], direction, alignment)
    source = comparison.source(service.model).with_method(lines, direction=direction, alignment=alignment)
    render_files(cells, source)
    render_check(cells, "models_causes", runs_in_half(service))


def _kinds(service: Service[OpenedModel]) -> dict:
    return {kind.name: any_model_kind(kind.name) for kind in service.model.kinds}


def patch_cells(
    service: Service[OpenedModel], comparison: OpenedComparison, wanted: tuple[HeadCells, ...]
) -> PatchedCells | None:
    """Patch all cells; None, after rendering the time that it takes, where the user has to agree first."""
    experiment = comparison.experiment
    keys = {cells: (*comparison.key, cells) for cells in wanted}
    unknown = [cells for cells, key in keys.items() if service.analyses.get(key) is None]

    def estimate(model: OpenedModel) -> PatchingEstimate:
        grids = [({each.site: each.parts}, each.by_position) for each in unknown]
        parts = [estimate_grids(model.resumable, experiment, sites, by_position=each) for sites, each in grids]
        return PatchingEstimate(sum(part.runs for part in parts), sum(part.seconds for part in parts))

    estimated = PatchingEstimate(0, 0.0)
    if unknown:
        estimated = service.analysis(("estimate", *comparison.key, *unknown), estimate)
    slot = may_run("patch", estimated, known=not unknown, label=say("models.causes.patch", "Patch all cells"))
    if slot is None:
        return None
    results: dict[tuple[str, str], ActivationPatching] = {}
    for cells, key in keys.items():
        parts = service.analysis_in_steps(key, _patch_text_site, comparison, cells)
        results |= {(cells.site, part): result for part, result in parts.items()}
    slot.empty()
    return PatchedCells(results, cell_names(service, results))


def cell_names(service: Service[OpenedModel], results: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Names of all kinds of attention, and of the stacks that have been patched."""
    names = sentence_input.kind_names(_kinds(service))
    return names | {part: STACKS[part]() for _, part in results if part not in names}


def _patch_text_site(
    model: OpenedModel, comparison: OpenedComparison, cells: HeadCells
) -> InSteps[dict[str, ActivationPatching]]:
    experiment = comparison.experiment
    return (
        yield from patch_parts_in_steps(
            model.resumable,
            experiment,
            cells.site,
            parts=cells.parts,
            direction=comparison.direction,
            by_position=cells.by_position,
            alignment=comparison.pair.alignment(comparison.alignment, comparison.direction),
        )
    )


def render_patched_answers(
    service: Service[OpenedModel], comparison: OpenedComparison, cells: PatchedCells, cell: str
) -> None:
    """State what is measured in all three runs, and the most probable answers of each."""
    pair, direction = comparison.pair, comparison.direction
    values = cells.sentence_values(cell, direction)
    paragraph("models_causes", "patched-cell", measured=comparison.measured, **values)
    if service.model.form != "classes":
        return
    site, part, index = cells.place(cell)

    def compute(model: OpenedModel) -> list[ComparedAnswer]:
        experiment = pair.experiments["answer"]
        patched = patched_probabilities(
            model.resumable,
            experiment,
            site,
            part,
            index,
            direction=direction,
            by_position=cells.by_position(cell),
            alignment=pair.alignment(comparison.alignment, direction),
            position=answer_position(experiment),
        )
        return compare_answers(model, experiment, patched)

    answers = service.analysis((*comparison.key, cells.by_position(cell), cell), compute)
    title = say("models.causes.patched", "{side}, patched", side="B" if direction == "denoising" else "A")
    label = say("models.causes.answers", "Most probable answers of A, of B and with the cell patched")
    render_answer_table(answers, title, label)
