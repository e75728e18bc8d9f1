"""The section *Noise*: cells of the undisturbed run put into runs with noise on some words (Meng et al. 2022)."""

from dataclasses import dataclass

import streamlit as st

from model import Trace
from model.causal.activation_patching import ActivationPatching
from model.causal.patched_translation import patch_noise_parts_in_steps
from model.causal.sentence_pairs import MetricName, prepare_sentence
from model.runtime.progress import InSteps
from model.text.words import whole_words
from pages.circuits.compared_sentences import METRICS, read_pair
from pages.shared.causes.asking import may_begin
from pages.shared.causes.noise_views import Noise, choose_samples, choose_tokens, has_tokens, render_noisy_cell
from pages.shared.causes.patched_cells import (
    BY_HEAD,
    BY_POSITION,
    PatchedCells,
    render_check,
    render_files,
    render_maps,
)
from pages.shared.causes.saved_result import ResultSource
from pages.shared.causes.text_pairs import other_sentence, quoted
from pages.shared.code import render_program
from pages.shared.code import sentence as code_sentence
from pages.shared.page_header import Request, traced_translation_html
from pages.shared.texts import block
from views import map_labels
from views.controls import sentence_input, widgets
from views.export import causal_recipes
from views.kind_labels import OF_STACK
from views.text.catalogue import say

ASK_FROM = 12.0  # seconds
SECONDS_A_RUN = 5e-5  # of a run and a position of both stacks, on one core of an AMD EPYC


@dataclass(frozen=True)
class NoisySentence:
    """The sentence of a trace, what is noisy, and what is measured."""

    noise: Noise  # on tokens of the source
    place: int  # of the target in the translation, from 0
    metric: MetricName


def render(request: Request) -> None:
    """Render the section."""
    trace = request.trace()
    st.html(traced_translation_html(request.service, trace))
    sentence = choose_noise(trace, first_target(request, trace))
    noise = sentence.noise
    if not has_tokens(noise):
        return
    result = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        site = widgets.pick(say("circuits.by-position", "By layer and position"), BY_POSITION, "site")
        heads = widgets.pick(say("circuits.by-head", "By layer and head"), BY_HEAD, "headsite")
    cells = measure_cells(request, trace, sentence, (site, heads))
    if cells is None:
        return
    cell = render_maps(cells, text="noise-maps", samples=noise.samples)
    with result:
        text = "noise-loss" if sentence.metric == "loss" else f"measured-{sentence.metric}"
        measured = block("circuits", text, token=quoted(trace.next_tokens[sentence.place]))
        render_noisy_cell(cells, cell, noise, trace.source_tokens, measured)
    render_files(cells, describe_source(request, trace, sentence, (site, heads)))
    render_check(cells, text="noise-check")
    values = {"noisy": list(noise.tokens), "place": sentence.place, "measured": sentence.metric, "site": heads}
    render_program("circuits", "noise", **code_sentence(request), **values, samples=noise.samples, seed=noise.seed)


def describe_source(request: Request, trace: Trace, sentence: NoisySentence, sites: tuple[str, ...]) -> ResultSource:
    """The sentence for files, and lines of Python that measure these sites again."""
    model, measured = request.service.model, (sentence.place, sentence.metric)
    recipe = causal_recipes.of_sentence(request.text, trace.next_ids, *measured, model.loaded_by, model.weights_sha256)
    facts = {"sentence": request.text, "target_ids": list(trace.next_ids), "word": sentence.place + 1}
    source = ResultSource("circuits", model.weights_sha256, facts | {"metric": sentence.metric}, recipe)
    noise = sentence.noise
    drawn = {"samples": noise.samples, "seed": noise.seed}
    lines = causal_recipes.of_noisy_grids(sites, {"encoder": noise.tokens}, **drawn)
    return source.with_method(lines, noisy=[place + 1 for place in noise.tokens], **drawn)


def first_target(request: Request, trace: Trace) -> int:
    """Place of the word of the translation that *Patching* proposes, from 0; the first word if none changes."""
    pair = read_pair(request, other_sentence(request.text))
    return min(pair.proposed, len(trace.next_ids) - 1)


def choose_noise(trace: Trace, first: int) -> NoisySentence:
    """Render the choices: noisy tokens, samples, seed, the word of the translation and what is measured.

    Args:
        first: place of the word that is chosen until the user chooses another.
    """
    tokens = choose_tokens(trace.source_tokens, whole_words(trace.tokenizer, trace.source_ids))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        options = map_labels.token_options(trace.next_tokens)
        label = say("circuits.noise.word", "Word of the translation")
        place = widgets.select(label, options, "word", str(first + 1), width=220)
        metrics = {name: label for name, label in METRICS.items() if name != "difference"}
        help = " ".join(block("circuits", "metric-help").split())
        metric = widgets.pick(say("circuits.metric", "Measured"), metrics, "metric", help=help, varies=True)
        samples, seed = choose_samples()
    return NoisySentence(Noise(tokens, samples, seed), int(place) - 1, metric)


def measure_cells(
    request: Request, trace: Trace, sentence: NoisySentence, sites: tuple[str, ...]
) -> PatchedCells | None:
    """Measure all cells of these sites, each once; None, after rendering the question, if the user has to agree."""
    service = request.service
    keys = {site: ("noisy", trace.source_ids, trace.next_ids, sentence, site) for site in sites}
    unknown = [site for site, key in keys.items() if service.analyses.get(key) is None]
    positions = len(trace.source_ids) + len(trace.next_ids)
    layers, heads = sum(service.model.resumable.stacks.values()), service.model.resumable.n_heads
    cells = sum(layers * positions if site in BY_POSITION else 2 * layers * heads for site in unknown)
    seconds = SECONDS_A_RUN * cells * sentence.noise.samples * positions
    slot = may_begin(
        "noise",
        seconds,
        ASK_FROM,
        known=not unknown,
        question=block("circuits", "noise-ask", samples=sentence.noise.samples, seconds=round(seconds)),
        label=say("circuits.noise.measure", "Measure the cells"),
    )
    if slot is None:
        return None
    results: dict[tuple[str, str], ActivationPatching] = {}
    for site, key in keys.items():
        parts = service.analysis_in_steps(key, _patch_site, trace, sentence, site)
        results |= {(site, part): result for part, result in parts.items()}
    slot.empty()
    return PatchedCells(results, sentence_input.kind_names(service.kinds), languages=OF_STACK)


def _patch_site(model, trace: Trace, sentence: NoisySentence, site: str) -> InSteps[dict[str, ActivationPatching]]:
    experiment = prepare_sentence(model.resumable, trace, sentence.place, sentence.metric)
    noise = sentence.noise
    options = {"samples": noise.samples, "seed": noise.seed}
    return (
        yield from patch_noise_parts_in_steps(model.resumable, experiment, site, {"encoder": noise.tokens}, **options)
    )
