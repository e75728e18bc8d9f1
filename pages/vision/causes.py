"""Vision, causes: what each layer would answer, the parts of a logit, patching with another picture, paths, noise."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from model.causal.activation_patching import ActivationPatching, Direction
from model.causal.causal_error import CausalError
from model.causal.logit_lens import LogitLens
from model.causal.metrics import Logit, Metric, Probability
from model.causal.patched_answer import patched_probabilities
from model.causal.patching_estimate import PatchingEstimate, estimate_paths, time_runs
from model.causal.path_edges import CutAnswer, PathEdges, cut_answer_in_steps, path_edges_in_steps
from model.runtime.progress import InSteps
from model.tracing.picture_trace import PatchTrace
from pages.shared import checks, files, tables
from pages.shared.causes import path_views
from pages.shared.causes.asking import may_begin, may_run
from pages.shared.causes.lens_tables import layer_name, lens_arrays
from pages.shared.causes.logit_bars import choose_view, render_logit_parts
from pages.shared.causes.noise_views import choose_samples
from pages.shared.causes.patched_cells import PATCHES, PatchedCells, render_check, render_files, render_maps
from pages.shared.causes.precision import runs_in_half
from pages.shared.causes.saved_result import ResultSource
from pages.shared.causes.text_pairs import choose_direction
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.service import Service
from pages.shared.texts import block, caption, fold_check, folded_how_to_read, how_to_read, paragraph
from pages.vision.other_picture import (
    choose_other_picture,
    choose_writer,
    describe_metric,
    describe_source,
    render_classes,
)
from pages.vision.patch_painter import masked_picture, middle, paint_patches
from pages.vision.program import render_vision_program
from pages.vision.stated_answer import is_of_the_user, stated_class
from pages.vision.vision_inputs import choose_class
from views import map_labels, patch_grid
from views.components.patch_picture import PatchPicture, PicturePanel, patch_picture
from views.controls import sentence_input, widgets
from views.controls.widgets import Choice
from views.export import causal_recipes
from views.html import answer_cell
from views.text import literal
from views.text.catalogue import Message, Untranslated, say, say_error
from views.text.class_names import class_name, class_names
from views.text.numbers import grouped, percent
from views.url_state import bound_settings

# What of a picture's run is patched: CLS by layer, every head, and single patches at one layer.

PART = "vision"
STREAM_OF_CLS = f"residual-{PART}"  # id of its map; after the last layer it is all that the answer is read from
SITES: dict[str, list[int] | None] = {"residual": [0], "head_output": None}  # site -> its positions; CLS is 0


@dataclass(frozen=True)
class PatchedSites:
    """The cells of a picture."""

    grid: tuple[int, int]  # rows and columns of patches
    patches: tuple[int, ...]  # positions of the patches
    layer: int | None  # whose single patches are cells, 0 for the embedded input; None for none

    @property
    def arguments(self) -> dict[str, dict[str, Any]]:
        """Name of an array in files -> arguments of `patch` or `patch_noise`."""
        named: dict[str, dict[str, Any]] = {
            f"{site}_{PART}": {"site": site, "part": PART, "positions": positions} for site, positions in SITES.items()
        }
        if self.layer is not None:
            single = {"layers": [self.layer], "positions": list(self.patches)}
            named[f"residual_{PATCHES}"] = {"site": "residual", "part": PART} | single
        return named

    def key(self, name: str) -> tuple:
        """Identifies the cells of an array."""
        return (name, *self.arguments[name].get("layers", ()))

    def measure(
        self, patch: Callable[[tuple, Mapping[str, Any]], ActivationPatching], names: Mapping[str, str]
    ) -> PatchedCells:
        """Measure all cells.

        Args:
            patch: measures the cells with such a key and such arguments.
            names: part -> its name on screen.
        """
        results = {name: patch(self.key(name), options) for name, options in self.arguments.items()}
        single = results.pop(f"residual_{PATCHES}", None)
        by_site = {(each.site, each.part): each for each in results.values()}
        return PatchedCells(by_site, names, None if single is None else (single, self.grid), (STREAM_OF_CLS,))


def choose_sites(trace: PatchTrace) -> PatchedSites:
    """Render the choice of the layer whose single patches are patched."""
    layers: dict[str, str | Untranslated] = {"none": say("vision.causes.no-patches", "none")}
    layers |= {str(layer): layer_name(layer) for layer in range(len(trace.attention))}  # later, only CLS is read
    help = " ".join(block("vision_causes", "patches-help").split())
    label = say("vision.causes.patches", "Single patches at")
    chosen = widgets.select(label, layers, "patchlayer", width=170, help=help)
    return PatchedSites(trace.grid, tuple(trace.places[1:]), None if chosen == "none" else int(chosen))


# Vision, causes: the strongest edges between heads for two pictures, and the classes with some of them cut.

ASK_FROM = 12.0  # seconds


def render_paths(service: Service, key: str, trace: PatchTrace) -> None:
    """Render the edges between this picture and another, and the answer with edges cut.

    Raises:
        CausalError: the network computes attention by itself.
    """
    other, pixels = choose_other_picture(service)
    place = ("vision paths", key, other)

    def experiment(model):
        return model.prepare_experiment(trace.network_input, pixels)

    def estimate(model) -> PatchingEstimate:
        return estimate_paths(model.resumable, experiment(model), by_token=False)

    def compute(model) -> InSteps[PathEdges]:
        return (yield from path_edges_in_steps(model.resumable, experiment(model), by_token=False))

    known = service.analyses.get(place) is not None
    estimated = PatchingEstimate(0, 0.0) if known else service.analysis(("estimate", *place), estimate)
    seconds = max(1, round(estimated.seconds))
    slot = may_begin(
        "measure",
        estimated.seconds,
        ASK_FROM,
        known=known,
        question=block("models_causes", "paths-ask", runs=grouped(estimated.runs), seconds=seconds),
        label=say("circuits.measure", "Measure the paths"),
    )
    if slot is None:
        return
    edges = service.analysis_in_steps(place, compute)
    slot.empty()
    cut, metric = path_views.find_cut(edges), edges.heads.metric
    ids = tuple(edge.id for edge in cut)

    def answer(model) -> InSteps[CutAnswer]:
        return (yield from cut_answer_in_steps(model.resumable, experiment(model), cut))

    names = path_views.PathNames(
        service.model.resumable,
        sentence_input.kind_names(service.kinds),
        say("vision.causes.all-patches", "all patches"),
        class_name(trace.classes[metric.indices[0]]),
        say("vision.causes.class", "class"),
    )
    left, right = st.columns([5, 2], gap="large")
    with left:
        caption(PAGE, "paths-graph")
        shown = path_views.render_graph(edges, cut, names)
    run = service.analysis_in_steps(("vision cut", *place, ids), answer)
    with right:
        path_views.render_values(edges, cut, run.value, describe_metric(metric, trace.classes), choose_writer(metric))
        render_classes(trace.classes, run.probabilities)
    path_views.render_list(edges, shown, cut, names, describe_source(service, other))


# Vision, causes: cells of the undisturbed run put into runs with noise on chosen patches (Meng et al. 2022).

PAINTED = "noisypatches"  # in the session and in the address
METRICS = {
    "probability": Message("vision.measure.probability", "Probability"),
    "logit": Message("vision.measure.logit", "Logit"),
}


@dataclass(frozen=True)
class NoisyPicture:
    """What is noisy, and what is measured."""

    positions: tuple[int, ...]  # of the noisy patches
    samples: int
    seed: int
    metric: Metric

    @property
    def drawn(self) -> dict[str, int]:
        """As arguments of `patch_noise`."""
        return {"samples": self.samples, "seed": self.seed}


def render_noise(service: Service, key: str, trace: PatchTrace, class_index: int) -> None:
    """Render the maps of cells, the chosen one in words, and the controls.

    Raises:
        CausalError: the streams of this model cannot be replaced.
    """
    result = st.container()
    chosen = choose_patches(trace)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        metric = choose_metric(service, key, trace, class_index)
        positions = tuple(trace.places[1 + patch] for patch in np.flatnonzero(chosen).tolist())
        noisy = NoisyPicture(positions, *choose_samples(), metric)
        sites = choose_sites(trace)
    picture, sentence = result.columns([1, 4], gap="medium", vertical_alignment="center")
    with picture:
        alt = block(PAGE, "noisy-alt", count=len(positions), all=chosen.size)
        st.image(masked_picture(trace, ~chosen), width=150, output_format="PNG", alt=alt)
    if not positions:
        sentence.info(say("vision.noise.nothing", "Choose at least one patch that gets noise."))
        return
    cells = measure_cells(service, key, trace, noisy, sites)
    if cells is None:
        return
    cell = render_maps(cells, text="noise-maps", samples=noisy.samples)
    with sentence:
        render_cell(cells, cell, noisy, class_name(trace.classes[class_index]))
    render_files(cells, describe(service, noisy, sites))
    render_check(cells, half=runs_in_half(service), text="noise-check")
    values = {"noisy": list(positions), "measured": "logit" if isinstance(metric, Logit) else "probability"}
    explained = trace.classes[class_index]
    render_vision_program(service, "noise", explained=explained, **values, **noisy.drawn)


def choose_patches(trace: PatchTrace) -> np.ndarray:
    """Render the choice of the patches that get noise, first the middle of the picture: `(row, column)` bool."""
    named = any(name.startswith(PAINTED) for name in bound_settings.own_names())
    with st.expander(say("vision.noise.patches", "Choose the patches that get noise"), expanded=named):
        caption(PAGE, "noisy-help")
        if trace.grid[0] == trace.grid[1]:  # a painted mask is square
            words = say("vision.noise.open", "as it is"), say("vision.noise.noisy", "noise")
            label = say("vision.noise.label", "Patches that get noise")
            return paint_patches(trace, PAINTED, "noise_painter", middle(trace.grid), label, words)
        names = dict(enumerate(map_labels.patch_names(trace.grid)))
        options = {map_labels.to_id(place): Untranslated(name) for place, name in names.items()}
        first = [map_labels.to_id(place) for place in np.flatnonzero(middle(trace.grid)).tolist()]
        listed = widgets.multiselect(say("vision.noise.label", "Patches that get noise"), options, PAINTED, first)
        chosen = np.zeros(trace.grid, dtype=bool)
        chosen.flat[[map_labels.index_of(id) for id in listed]] = True
        return chosen


def choose_metric(service: Service, key: str, trace: PatchTrace, class_index: int) -> Metric:
    """Render the choice of what is measured; a model whose classes exclude nothing has logits alone."""
    unit = service.analysis(("noisy picture", key), lambda model: model.read_trace(trace).metric.unit)
    metrics = METRICS if unit == "probability" else {"logit": METRICS["logit"]}
    chosen = widgets.pick(say("circuits.metric", "Measured"), metrics, "noisemetric", varies=True)
    return Probability(class_index) if chosen == "probability" else Logit(class_index)


def measure_cells(
    service: Service, key: str, trace: PatchTrace, noisy: NoisyPicture, sites: PatchedSites
) -> PatchedCells | None:
    """Measure all cells; None, after rendering the time that it takes, if the user has to agree."""
    place = ("noisy picture", key, noisy)
    unknown = [name for name in sites.arguments if service.analyses.get((*place, *sites.key(name))) is None]
    layers, heads = trace.attention.shape[:2]
    counts = {name: len(sites.patches) for name in sites.arguments}
    counts |= {"residual_vision": layers + 1, "head_output_vision": layers * heads}
    runs = noisy.samples * sum(counts[name] for name in unknown)
    estimate = PatchingEstimate(runs, 0.0)
    if estimate.asks_first:
        estimate = service.analysis(("estimate noise", key, runs), _estimate, trace, runs)
    slot = may_run("noise", estimate, known=not unknown, label=say("circuits.noise.measure", "Measure the cells"))
    if slot is None:
        return None

    def patch(cells: tuple, options: Mapping[str, Any]) -> ActivationPatching:
        compute = lambda model: model.patch_noise_in_steps(  # noqa: E731
            trace, noisy.positions, noisy.metric, **noisy.drawn, **options
        )
        return service.analysis_in_steps((*place, *cells), compute)

    cells = sites.measure(patch, sentence_input.kind_names(service.kinds))
    slot.empty()
    return cells


def _estimate(model, trace: PatchTrace, runs: int) -> PatchingEstimate:
    return time_runs(model.resumable, model.read_trace(trace).experiment(), runs)


def render_cell(cells: PatchedCells, cell: str, noisy: NoisyPicture, name: str) -> None:
    """State what is measured without noise, with it, and with the chosen cell as without."""
    error = cells.error(cell)
    assert error is not None, "noise is drawn more than once"
    write = choose_writer(noisy.metric)
    text = "logit-of" if isinstance(noisy.metric, Logit) else "measured-probability"
    paragraph(
        PAGE,
        "noisy-cell",
        measured=block("circuits", text, token=literal.markdown(name)),
        count=len(noisy.positions),
        samples=noisy.samples,
        error=write(error),
        **cells.sentence_values(cell, "denoising", write),
    )


def describe(service: Service, noisy: NoisyPicture, sites: PatchedSites) -> ResultSource:
    """The picture for files, and lines of Python that measure the cells again."""
    lines = causal_recipes.of_noisy_picture(sites.arguments, noisy.positions, repr(noisy.metric), **noisy.drawn)
    return describe_source(service).with_method(lines, noisy=list(noisy.positions), **noisy.drawn)


PAGE = "vision_causes"
METHODS = {
    "lens": Message("vision.causes.lens", "Lens"),
    "logit": Message("vision.causes.logit", "Logit attribution"),
    "patching": Message("vision.causes.patching", "Patching"),
    "paths": Message("vision.causes.paths", "Paths"),
    "noise": Message("circuits.part.noise", "Noise"),
}
NOTHING = "nothing"


@fragment
def render_causes(service: Service, key: str, trace: PatchTrace) -> None:
    """Show the chosen method; `key` is the picture's, from `Service.trace_picture`."""
    method = widgets.pick(say("vision.causes.method", "Method"), METHODS, "cause", hidden=True)
    try:
        render_method(service, key, trace, method)
    except CausalError as error:
        st.info(literal.markdown(say_error(error)))
    explain = how_to_read if runs_in_half(service) is None else folded_how_to_read  # *Any model* has its own
    explain(block(PAGE, method), block(PAGE, f"{method}-limits"))


def render_method(service: Service, key: str, trace: PatchTrace, method: str) -> None:
    """Show one of `METHODS`, and its program.

    Raises:
        CausalError: this network does not support the method.
    """
    class_index = trace.answer
    if method not in ("patching", "paths"):
        class_index = choose_class(say("vision.explain", "Explain"), trace, width=200)
    if method == "noise":
        render_noise(service, key, trace, class_index)
        return  # it has a program of its own
    if method in ("patching", "paths"):
        (render_patching if method == "patching" else render_paths)(service, key, trace)
    else:
        (render_lens if method == "lens" else render_parts)(service, key, trace, class_index)
    render_vision_program(service, "causes", explained=trace.classes[class_index])


def render_lens(service: Service, key: str, trace: PatchTrace, class_index: int) -> None:
    """Show what every layer would answer at CLS and at the chosen patch, and a class over all patches."""
    place = ("vision lens", key, class_index)
    lens = service.analysis_in_steps(place, lambda model: model.logit_lens_in_steps(trace, right=class_index))
    layers = [str(layer) for layer in range(len(lens.ranks))]
    choices = (
        Choice(say("layer", "Layer"), layers, "lenslayer", layers[-1], varies=True),
        Choice("", ["p"], "lensof"),
        *sentence_input.patch_choices(trace.grid),
        sentence_input.overlay_choices()[0],
    )
    chosen = {choice.key: choice.in_component() for choice in choices}
    name = literal.visible(class_name(trace.classes[class_index]))
    half = runs_in_half(service)
    weights = lens.probabilities[:, None, None, trace.places].astype(np.float32)  # (layer, 1, 1, 1 + patch)
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
        percent=True,
    )
    left, right = st.columns([3, 4], gap="large")
    with left:
        patch_picture(picture, "lens", sentence_input.store_selection)
    row, column = (map_labels.index_of(chosen[side]) for side in ("row", "column"))
    with right:
        _render_layers(lens, trace, class_index, trace.places[1 + row * trace.grid[1] + column])
        fold_check(PAGE, "lens-check", difference=checks.format_stream_difference("logit lens", lens.difference, half))
    before = chosen["lenslayer"] == layers[0]
    render_experiment("vision-causes", {"lenslayer": layers[0]}, _first_answer(lens, trace) if before else None)
    with st.container(horizontal=True):
        files.npz("vision-lens", lambda: lens_arrays(lens), say("circuits.npz.lens", "All layers as NPZ"))


def _first_answer(lens: LogitLens, trace: PatchTrace) -> dict[str, str]:
    """The answer at CLS before the first layer, and the layer from which on the model's own answer leads there."""
    answers = lens.top_ids[:, 0, 0].tolist()
    others = [layer for layer, answer in enumerate(answers) if answer != trace.answer]
    return {
        "first": literal.markdown(class_name(trace.classes[answers[0]])),
        "probability": percent(float(lens.top_probabilities[0, 0, 0])),
        "answer": literal.markdown(stated_class(trace, trace.answer)),
        "layer": str(max(others, default=-1) + 1),
    }


def _render_layers(lens: LogitLens, trace: PatchTrace, class_index: int, place: int) -> None:
    """A row a layer: the most probable class at CLS and at a patch, and the probability of the class at CLS."""

    def answers(position: int) -> tables.TableColumn:
        names = [class_name(trace.classes[index]) for index in lens.top_ids[:, position, 0]]
        values = zip(names, lens.top_probabilities[:, position, 0], lens.top_ids[:, position, 0], strict=True)
        cells = [
            answer_cell.answer_cell(name, float(p), index == class_index, "vision", "name") for name, p, index in values
        ]
        title = say("vision.causes.patch", "chosen patch") if position else say("vision.causes.cls", "at CLS")
        return tables.TableColumn(title, names, cells)

    name = class_name(trace.classes[class_index])
    columns = [
        tables.TableColumn(say("column.layer", "layer"), [layer_name(layer) for layer in range(len(lens.ranks))]),
        answers(0),
        answers(place),
        tables.bar_column(
            say("vision.causes.at-cls", "{name} at CLS", name=name), lens.probabilities[:, 0], 1.0, "vision", percent
        ),
    ]
    title = (
        say("vision.causes.layers-own", "Best of ten after each layer")
        if is_of_the_user(trace)
        else say("vision.causes.layers", "Answer after each layer")
    )
    tables.render_table(columns, title, label=title)
    files.csv(*tables.header_and_rows(columns), "vision-lens", say("circuits.csv.lens", "All layers as CSV"))


def render_parts(service: Service, key: str, trace: PatchTrace, class_index: int) -> None:
    """Show the logit of a class, or its difference to another, as a sum."""
    rivals = {
        str(place): Untranslated(name)
        for place, name in enumerate(class_names(trace.classes), 1)
        if place - 1 != class_index
    }
    options: dict[str, str | Untranslated] = {NOTHING: say("circuits.minus.nothing", "Nothing"), **rivals}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        chosen = widgets.select(say("circuits.minus", "Minus the logit of"), options, "minusclass", width=200)
        view = choose_view()
    other = None if chosen == NOTHING else map_labels.index_of(chosen)
    attribution = service.analysis(
        ("vision logit", key, class_index, other), lambda model: model.logit_attribution(trace, class_index, other)
    )
    name = literal.markdown(class_name(trace.classes[class_index]))
    measured = block("circuits", "logit-of", token=name)
    if other is not None:
        measured = block(
            "circuits", "measured-difference", token=name, other=literal.markdown(class_name(trace.classes[other]))
        )
    opened = runs_in_half(service) is not None
    render_logit_parts(attribution, sentence_input.kind_names(service.kinds), view, measured, opened)


def render_patching(service: Service, key: str, trace: PatchTrace) -> None:
    """Patch heads and CLS of another picture, and show the answer with the chosen cell patched."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        other, pixels = choose_other_picture(service)
        direction = choose_direction()
        sites = choose_sites(trace)
    place = ("vision patched", key, other, direction)

    def patch(cells: tuple, options: Mapping[str, Any]) -> ActivationPatching:
        inputs = trace.network_input, pixels
        compute = lambda model: model.patch_in_steps(*inputs, direction=direction, **options)  # noqa: E731
        return service.analysis_in_steps((*place, *cells), compute)

    cells = sites.measure(patch, sentence_input.kind_names(service.kinds))
    slot = st.container()
    cell = render_maps(cells, PAGE)

    def answer(model) -> np.ndarray:
        table, row, column = cells.table(cell)
        single = table.grid is not None
        options = sites.arguments[f"residual_{PATCHES}" if single else f"{table.site}_{table.part}"]
        experiment, index = model.prepare_experiment(trace.network_input, pixels), table.index(row, column)
        return patched_probabilities(model.resumable, experiment, cell=index, direction=direction, **options)

    probabilities = service.analysis((*place, sites.layer, cell), answer)
    with slot:
        render_answer(cells, cell, trace.classes, probabilities, direction)
    lines = causal_recipes.of_picture_grids(sites.arguments, direction)
    render_files(cells, describe_source(service, other).with_method(lines, direction=direction))
    render_check(cells, PAGE, runs_in_half(service))


def render_answer(
    cells: PatchedCells, cell: str, classes: tuple[str, ...], probabilities: np.ndarray, direction: Direction
) -> None:
    """State what is measured in all runs, and show the classes of the patched run."""
    measured = describe_metric(cells.first.metric, classes)
    values = cells.sentence_values(cell, direction, choose_writer(cells.first.metric))
    paragraph(PAGE, "patched-cell", measured=measured, **values)
    render_classes(classes, probabilities)
