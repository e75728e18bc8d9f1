"""Vision, causes: what each layer would answer, the parts of a logit, and patching with another picture."""

import numpy as np
import streamlit as st

from model.causal.activation_patching import ActivationPatching
from model.causal.logit_lens import LogitLens
from model.causal.patched_answer import patched_probabilities
from model.runtime.progress import InSteps
from model.tracing.picture_trace import PatchTrace
from pages.circuits.compared_sentences import DIRECTIONS
from pages.circuits.lens import layer_name, lens_arrays
from pages.circuits.logit_parts import STRONGEST, SUBLAYERS, render_logit_parts
from pages.circuits.patching import PatchedCells, render_check, render_files, render_maps
from pages.shared import checks, files, tables
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.service import Service
from pages.shared.texts import block, fold_check, how_to_read, paragraph
from pages.vision.program import render_vision_program
from pages.vision.vision_inputs import choose_class
from views import map_labels, patch_grid
from views.components.patch_picture import PatchPicture, PicturePanel, patch_picture
from views.controls import samples, sentence_input, widgets
from views.controls.picture_input import chosen_sample
from views.controls.widgets import Choice
from views.html import answer_cell, class_bars
from views.text import literal
from views.text.catalogue import Message, Untranslated, say
from views.text.numbers import percent, three_digits

PAGE = "vision_causes"
METHODS = {
    "lens": Message("vision.causes.lens", "Lens"),
    "logit": Message("vision.causes.logit", "Logit attribution"),
    "patching": Message("vision.causes.patching", "Patching"),
}
SITES: dict[str, tuple[int, ...] | None] = {"residual": (0,), "head_output": None}  # site -> its positions; CLS is 0
NOTHING = "nothing"


@fragment
def render_causes(service: Service, key: str, trace: PatchTrace) -> None:
    """Show the chosen method; `key` is the picture's, from `Service.trace_picture`."""
    method = widgets.pick(say("vision.causes.method", "Method"), METHODS, "cause", hidden=True)
    if method == "patching":
        class_index = trace.answer
        render_patching(service, key, trace)
    else:
        class_index = choose_class(say("vision.explain", "Explain"), trace, width=200)
        (render_lens if method == "lens" else render_parts)(service, key, trace, class_index)
    render_vision_program(service, "causes", explained=trace.classes[class_index])
    how_to_read(block(PAGE, method), block(PAGE, f"{method}-limits"))


def render_lens(service: Service, key: str, trace: PatchTrace, class_index: int) -> None:
    """Show what every layer would answer at CLS and at the chosen patch, and a class over all patches."""
    lens = service.analysis(("vision lens", key, class_index), lambda model: model.logit_lens(trace, right=class_index))
    layers = [str(layer) for layer in range(len(lens.ranks))]
    choices = (
        Choice(say("layer", "Layer"), layers, "lenslayer", layers[-1], varies=True),
        Choice("", ["p"], "lensof"),
        *sentence_input.patch_choices(trace.grid),
        sentence_input.overlay_choices()[0],
    )
    chosen = {choice.key: choice.in_component() for choice in choices}
    name = literal.visible(trace.classes[class_index])
    weights = lens.probabilities[:, None, None].astype(np.float32)  # (layer, 1, 1, position)
    title = say("vision.causes.map", "Probability of {name}, read at every patch", name=name)
    picture = PatchPicture(
        patch_grid.as_bytes(trace.pixels),
        trace.grid,
        [PicturePanel(title, 0)],
        title,
        choices,
        chosen,
        weights=weights,
        names=(layers, ["p"]),
        along=("lenslayer", "lensof"),
    )
    left, right = st.columns([3, 4], gap="large")
    with left:
        patch_picture(picture, "lens", sentence_input.store_selection)
    row, column = (map_labels.index_of(chosen[side]) for side in ("row", "column"))
    with right:
        _render_layers(lens, trace, class_index, 1 + row * trace.grid[1] + column)
        fold_check(PAGE, "lens-check", difference=checks.format_difference("logit lens", lens.difference))
    before = chosen["lenslayer"] == layers[0]
    render_experiment("vision-causes", {"lenslayer": layers[0]}, _first_answer(lens, trace) if before else None)
    with st.container(horizontal=True):
        files.npz("vision-lens", lambda: lens_arrays(lens), say("circuits.npz.lens", "All layers as NPZ"))


def _first_answer(lens: LogitLens, trace: PatchTrace) -> dict[str, str]:
    """The answer at CLS before the first layer, and the layer from which on the model's own answer leads there."""
    answers = lens.top_ids[:, 0, 0].tolist()
    others = [layer for layer, answer in enumerate(answers) if answer != trace.answer]
    return {
        "first": literal.markdown(trace.classes[answers[0]]),
        "probability": percent(float(lens.top_probabilities[0, 0, 0])),
        "answer": literal.markdown(trace.classes[trace.answer]),
        "layer": str(max(others, default=-1) + 1),
    }


def _render_layers(lens: LogitLens, trace: PatchTrace, class_index: int, place: int) -> None:
    """A row a layer: the most probable class at CLS and at a patch, and the probability of the class at CLS."""

    def answers(position: int) -> tables.TableColumn:
        names = [trace.classes[index] for index in lens.top_ids[:, position, 0]]
        values = zip(names, lens.top_probabilities[:, position, 0], lens.top_ids[:, position, 0], strict=True)
        cells = [
            answer_cell.answer_cell(name, float(p), index == class_index, "vision", "name") for name, p, index in values
        ]
        title = say("vision.causes.patch", "chosen patch") if position else say("vision.causes.cls", "at CLS")
        return tables.TableColumn(title, names, cells)

    name = trace.classes[class_index]
    columns = [
        tables.TableColumn(say("column.layer", "layer"), [layer_name(layer) for layer in range(len(lens.ranks))]),
        answers(0),
        answers(place),
        tables.bar_column(
            say("vision.causes.at-cls", "{name} at CLS", name=name), lens.probabilities[:, 0], 1.0, "vision"
        ),
    ]
    title = say("vision.causes.layers", "What each layer would answer")
    tables.render_table(columns, title, label=title)
    files.csv(*tables.header_and_rows(columns), "vision-lens", say("circuits.csv.lens", "All layers as CSV"))


def render_parts(service: Service, key: str, trace: PatchTrace, class_index: int) -> None:
    """Show the logit of a class, or its difference to another, as a sum."""
    rivals = {str(place): Untranslated(name) for place, name in enumerate(trace.classes, 1) if place - 1 != class_index}
    options: dict[str, str | Untranslated] = {NOTHING: say("circuits.minus.nothing", "Nothing"), **rivals}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        chosen = widgets.select(say("circuits.minus", "Minus the logit of"), options, "minusclass", width=200)
        views = {
            STRONGEST: say("circuits.parts.strongest", "Strongest parts"),
            SUBLAYERS: say("circuits.parts.sublayers", "By sub-layer"),
        }
        view = widgets.pick(say("circuits.parts", "Parts"), views, "parts")
    other = None if chosen == NOTHING else map_labels.index_of(chosen)
    attribution = service.analysis(
        ("vision logit", key, class_index, other), lambda model: model.logit_attribution(trace, class_index, other)
    )
    name = literal.markdown(trace.classes[class_index])
    measured = block("circuits", "logit-of", token=name)
    if other is not None:
        measured = block("circuits", "measured-difference", token=name, other=literal.markdown(trace.classes[other]))
    render_logit_parts(attribution, sentence_input.kind_names(service.kinds), view, measured)


def render_patching(service: Service, key: str, trace: PatchTrace) -> None:
    """Patch heads and CLS of another picture, and show the answer with the chosen cell patched."""
    own = chosen_sample()
    names = {sample.id: sample for sample in samples.SAMPLES if sample.id != own}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        label = say("vision.causes.other", "Picture B")
        other = widgets.select(label, names, "otherpicture", width=220)
        direction = widgets.pick(say("circuits.direction", "Direction"), DIRECTIONS, "direction")
    second = samples.picture(other)
    pixels = service.analysis(("pixels", second.sha256), lambda model: model.prepare(second.image))
    place = ("vision patched", key, other, direction)

    def compute(model) -> InSteps[dict[str, ActivationPatching]]:
        results = {}
        for site, positions in SITES.items():
            options = {"direction": direction, "positions": positions}
            results[site] = yield from model.patch_in_steps(trace.pixels, pixels, None, site, "vision", **options)
        return results

    results = service.analysis_in_steps(place, compute)
    cells = PatchedCells(
        {(site, "vision"): result for site, result in results.items()}, sentence_input.kind_names(service.kinds)
    )
    slot = st.container()
    cell = render_maps(cells, PAGE)

    def answer(model) -> np.ndarray:
        site, part, index = cells.place(cell)
        experiment = model.prepare_experiment(trace.pixels, pixels)
        return patched_probabilities(
            model.resumable, experiment, site, part, index, direction=direction, positions=SITES[site]
        )

    probabilities = service.analysis((*place, cell), answer)
    with slot:
        render_answer(cells, cell, trace.classes, probabilities, direction)
    render_files(cells)
    render_check(cells, PAGE)


def render_answer(
    cells: PatchedCells, cell: str, classes: tuple[str, ...], probabilities: np.ndarray, direction: str
) -> None:
    """State what is measured in all runs, and show the classes of the patched run."""
    metric, first = cells.first.metric, cells.first
    names = [literal.markdown(classes[index]) for index in metric.indices]
    measured = block("circuits", "measured-probability", token=names[0])
    if len(names) == 2:
        measured = block("circuits", "measured-difference", token=names[0], other=names[1])
    sides = (first.donor, first.receiver) if direction == "denoising" else (first.receiver, first.donor)
    distance, value = first.donor - first.receiver, cells.value(cell)
    share = percent((value - first.receiver) / distance) if distance else say("circuits.undefined", "undefined")
    paragraph(
        PAGE,
        "patched-cell",
        measured=measured,
        first=three_digits(sides[0]),
        second=three_digits(sides[1]),
        cell=cells.describe(cell),
        value=three_digits(value),
        share=share,
    )
    st.html(class_bars.bars(classes, probabilities))
