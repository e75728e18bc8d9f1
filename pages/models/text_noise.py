"""Noise on tokens of an opened model: cells of the undisturbed run put into noisy runs (Meng et al. 2022)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import streamlit as st

from model import HubTrace
from model.causal.activation_patching import ActivationPatching
from model.causal.patched_translation import patch_noise_parts_in_steps
from model.causal.patching_estimate import PatchingEstimate, estimate_grids
from model.causal.traced_inputs import TracedInput
from model.hub.opened_model import OpenedModel
from model.runtime.progress import InSteps
from pages.models.compared_texts import UsedPicture, describe_opened, source_with_picture
from pages.models.text_patching import cell_names
from pages.shared.causes.asking import may_run
from pages.shared.causes.noise_views import Noise, choose_samples, choose_tokens, has_tokens, render_noisy_cell
from pages.shared.causes.patched_cells import (
    BY_HEAD,
    BY_POSITION,
    PatchedCells,
    render_check,
    render_files,
    render_maps,
)
from pages.shared.causes.precision import runs_in_half
from pages.shared.causes.saved_result import ResultSource
from pages.shared.causes.text_pairs import quoted
from pages.shared.service import Service
from pages.shared.texts import block
from views import map_labels
from views.controls import widgets
from views.export import causal_recipes
from views.text.catalogue import Message, say

NoiseMetric = Literal["probability", "loss"]
METRICS: dict[NoiseMetric, Message] = {
    "probability": Message("circuits.metric.probability", "Probability"),
    "loss": Message("models.noise.loss", "Loss of the tokens"),
}


@dataclass(frozen=True)
class NoisyText:
    """What is noisy, and what is measured."""

    noise: Noise
    place: int | None  # output position of the token whose probability is measured; None for the loss, or for a class
    measured: str  # that in words, as Markdown


def render_noise(
    service: Service[OpenedModel],
    trace: HubTrace,
    text: str,
    options: Mapping[str, str],
    key: tuple,
    picture: UsedPicture | None = None,
) -> None:
    """Render the part.

    Args:
        text, options: the input and keyword arguments of the trace.
        key: identifies the trace.
        picture: of the text; its tokens get no noise, since their embeddings are replaced by the picture.

    Raises:
        CausalError: nothing can be measured, or this model's tokens cannot be changed.
    """
    own = service.analysis(("noisy input", *key), _read, trace)
    stack = next(iter(own.labels))
    labels, words = own.labels[stack], trace.tokens("source").whole_words()
    pictured = () if trace.picture_text is None else np.flatnonzero(trace.picture_text.is_picture).tolist()
    tokens = choose_tokens(labels, words, pictured)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        place, measured = choose_measured(service, trace, own)
        noisy = NoisyText(Noise(tokens, *choose_samples()), place, measured)
    if not has_tokens(noisy.noise):
        return
    result = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        site = widgets.pick(say("circuits.by-position", "By layer and position"), BY_POSITION, "site")
        heads = widgets.pick(say("circuits.by-head", "By layer and head"), BY_HEAD, "headsite")
    cells = measure_cells(service, own, noisy, (site, heads), key)
    if cells is None:
        return
    cell = render_maps(cells, text="noise-maps", samples=noisy.noise.samples)
    with result:
        render_noisy_cell(cells, cell, noisy.noise, labels, noisy.measured)
    render_files(cells, describe_source(service.model, text, options, noisy, (site, heads), stack, picture))
    render_check(cells, half=runs_in_half(service), text="noise-check")


def _read(model: OpenedModel, trace: HubTrace) -> TracedInput:
    """The input of a trace whose tokens can get noise."""
    own = model.read_trace(trace)
    model.resumable.check_tensor(f"{next(iter(own.labels))}.token_embedding")
    return own


def choose_measured(service: Service[OpenedModel], trace: HubTrace, own: TracedInput) -> tuple[int | None, str]:
    """Render the choice of what is measured: output position of a token or None, and that in words."""
    model = service.model
    if trace.classes is not None:
        name = quoted(model.answer_names([own.next_ids[0]])[0])
        unit = "measured-probability" if own.metric.unit == "probability" else "logit-of"
        return None, block("circuits", unit, token=name)
    if widgets.pick(say("circuits.metric", "Measured"), METRICS, "metric", varies=True) == "loss":
        return None, block("models_causes", "measured-loss")
    names = model.answer_names(own.next_ids)
    label = say("circuits.lens.token", "Token") if model.task == "fill" else say("circuits.lens.position", "Next token")
    first = len(names) - 1 if model.task == "complete" else own.metric.places(own.outputs)[0]
    place = widgets.select(label, map_labels.token_options(names), "position", map_labels.to_id(first), width=220)
    index = map_labels.index_of(place)
    return index, block("circuits", "measured-probability", token=quoted(names[index]))


def measure_cells(
    service: Service[OpenedModel], own: TracedInput, noisy: NoisyText, sites: tuple[str, ...], key: tuple
) -> PatchedCells | None:
    """Measure all cells of these sites; None, after rendering the time that it takes, if the user has to agree."""
    drawn = (noisy.noise, noisy.place)
    keys = {site: ("opened noise", *key, *drawn, site) for site in sites}
    unknown = [site for site, each in keys.items() if service.analyses.get(each) is None]
    estimate = PatchingEstimate(0, 0.0)
    if unknown:
        estimate = service.analysis(("estimate noise", *key, *drawn, *unknown), _estimate, own, noisy, unknown)
    slot = may_run("noise", estimate, known=not unknown, label=say("circuits.noise.measure", "Measure the cells"))
    if slot is None:
        return None
    results: dict[tuple[str, str], ActivationPatching] = {}
    for site, each in keys.items():
        parts = service.analysis_in_steps(each, _patch_site, own, noisy, site)
        results |= {(site, part): result for part, result in parts.items()}
    slot.empty()
    return PatchedCells(results, cell_names(service, results))


def _estimate(model: OpenedModel, own: TracedInput, noisy: NoisyText, sites: list[str]) -> PatchingEstimate:
    grids = estimate_grids(model.resumable, own.experiment(noisy.place), dict.fromkeys(sites, ()))
    samples = noisy.noise.samples
    return PatchingEstimate(samples * grids.runs, samples * grids.seconds)


def _patch_site(
    model: OpenedModel, own: TracedInput, noisy: NoisyText, site: str
) -> InSteps[dict[str, ActivationPatching]]:
    noise, stack = noisy.noise, next(iter(own.labels))
    experiment, options = own.experiment(noisy.place), {"samples": noise.samples, "seed": noise.seed}
    return (yield from patch_noise_parts_in_steps(model.resumable, experiment, site, {stack: noise.tokens}, **options))


def describe_source(
    model: OpenedModel,
    text: str,
    options: Mapping[str, str],
    noisy: NoisyText,
    sites: tuple[str, ...],
    stack: str,
    picture: UsedPicture | None,
) -> ResultSource:
    """The text for files, and lines of Python that measure these sites again."""
    recipe = causal_recipes.of_traced_text(text, options, noisy.place, describe_opened(model, picture))
    facts: dict[str, object] = {"opened": model.pinned, "sentence": text, **options}
    facts |= {} if noisy.place is None else {"word": noisy.place + 1}
    noise = noisy.noise
    drawn = {"samples": noise.samples, "seed": noise.seed}
    lines = causal_recipes.of_noisy_grids(sites, {stack: noise.tokens}, **drawn)
    source = source_with_picture(model, facts, recipe, picture)
    return source.with_method(lines, noisy=[place + 1 for place in noise.tokens], **drawn)
