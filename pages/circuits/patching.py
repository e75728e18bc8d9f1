"""The section *Patching*: every cell of a network replaced by that of another sentence, and one of them in full."""

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
from pages.shared.causes.patched_cells import (
    BY_POSITION,
    HeadCells,
    PatchedCells,
    choose_heads,
    render_check,
    render_files,
    render_maps,
)
from pages.shared.code import render_program
from pages.shared.doubt import render_note
from pages.shared.page_header import Request, translation_below
from pages.shared.texts import paragraph, warn_if_cut_off
from views.components.alignment_stage import AlignmentStage, alignment_stage
from views.controls import sentence_input, widgets
from views.export import causal_recipes
from views.kind_labels import OF_STACK
from views.text.catalogue import say


def patch_all(request: Request, comparison: Comparison, site: str, heads: HeadCells) -> PatchedCells:
    """Patch all cells of a site with positions, and of heads; each site is computed once."""
    results: dict[tuple[str, str], ActivationPatching] = {}
    for each in (HeadCells(site), heads):
        key = ("patched", *comparison.key, each)
        parts = request.service.analysis_in_steps(key, _patch_site, comparison, each)
        results |= {(each.site, part): result for part, result in parts.items()}
    return PatchedCells(results, sentence_input.kind_names(request.service.kinds), languages=OF_STACK)


def _patch_site(model, comparison: Comparison, cells: HeadCells) -> InSteps[dict[str, ActivationPatching]]:
    pair, direction = comparison.pair, comparison.direction
    experiment = prepare_pair(model.resumable, model.tokenizer, pair, comparison.place, comparison.metric)
    return (
        yield from patch_parts_in_steps(
            model.resumable,
            experiment,
            cells.site,
            parts=cells.parts,
            direction=direction,
            by_position=cells.by_position,
            alignment=pair.alignment(comparison.alignment, direction),
        )
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
                by_position=cells.by_position(cell),
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
        heads = choose_heads(sentence_input.kind_names(request.service.kinds))
    cells = patch_all(request, comparison, site, heads)
    cell = render_maps(cells)
    patched = translate_patched(request, comparison, cells, cell)
    with translations:
        render_translations(request, comparison, cells, cell, patched)
    layers, count = patched.cross.shape[:2]
    title = say(
        "circuits.stage",
        "The run with the chosen cell patched: cross-attention of layer {layer}, mean of {heads} heads",
        layer=layers,
        heads=count,
    )
    render_stage(request, comparison, patched, title)
    direction, alignment = comparison.direction, comparison.alignment
    lines = causal_recipes.of_grids([each.arguments for each in (HeadCells(site), heads)], direction, alignment)
    source = comparison.source(request).with_method(lines, direction=direction, alignment=alignment)
    render_files(cells, source)
    render_check(cells)
    if comparison.is_proposed:
        texts = {"clean": comparison.texts[0], "corrupt": comparison.texts[1]}
        values = {"direction": comparison.direction, "alignment": comparison.positions}
        render_program("circuits", "patching", **texts, site=heads.site, **values)


def render_stage(request: Request, comparison: Comparison, patched: PatchedTranslation, title: str) -> None:
    """Render the run with the chosen cell patched on the stage: its cross-attention between both sentences."""
    pair, tokenizer = comparison.pair, request.service.model.tokenizer
    source = pair.corrupt_tokens if comparison.direction == "denoising" else pair.clean_tokens
    french, start = tokenizer.display(patched.ids), tokenizer.display([tokenizer.bos_id])[0]
    alignment_stage(AlignmentStage(title, source, french, start, patched.cross[-1].mean(axis=0)), "patched-stage")


def render_translations(
    request: Request, comparison: Comparison, cells: PatchedCells, cell: str, patched: PatchedTranslation
) -> None:
    """Render both translations, that of the patched run, and what is measured in all three."""
    doubts = doubts_of(request, comparison, patched)
    receives = "B" if comparison.direction == "denoising" else "A"
    names = [say("compare.translation", "Translation, {side}", side=side) for side in ("A", "B")]
    names.append(say("circuits.translation.patched", "Translation, {side} with the chosen cell patched", side=receives))
    for column, name, each in zip(st.columns(3, gap="medium"), names, doubts, strict=True):
        column.html(translation_below(each, name))
    render_note(request.service, doubts)
    warn_if_cut_off(request.service.has_ended(patched.ids))
    values = cells.sentence_values(cell, comparison.direction)
    paragraph("circuits", "patched-cell", measured=comparison.measured, **values)
