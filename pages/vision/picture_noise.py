"""Vision, causes: cells of the undisturbed run put into runs with noise on chosen patches (Meng et al. 2022)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from model.causal.activation_patching import ActivationPatching
from model.causal.metrics import Logit, Metric, Probability
from model.causal.patching_estimate import PatchingEstimate, time_runs
from model.tracing.picture_trace import PatchTrace
from pages.shared.causes.asking import may_run
from pages.shared.causes.noise_views import choose_samples
from pages.shared.causes.patched_cells import PatchedCells, render_check, render_files, render_maps
from pages.shared.causes.precision import runs_in_half
from pages.shared.causes.saved_result import ResultSource
from pages.shared.service import Service
from pages.shared.texts import block, caption, paragraph
from pages.vision.other_picture import choose_writer, describe_source
from pages.vision.patch_painter import masked_picture, middle, paint_patches
from pages.vision.patched_sites import PatchedSites, choose_sites
from pages.vision.program import render_vision_program
from views import map_labels
from views.controls import sentence_input, widgets
from views.export import causal_recipes
from views.text import literal
from views.text.catalogue import Message, Untranslated, say
from views.text.class_names import class_name
from views.url_state import bound_settings

PAGE = "vision_causes"
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
