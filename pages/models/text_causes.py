"""What causes an answer of an opened model that reads text: lens, logit attribution, patching with a second text."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import streamlit as st

from model import HubTrace
from model.causal.activation_patching import ActivationPatching
from model.causal.causal_error import CausalError
from model.causal.patched_answer import patched_probabilities
from model.causal.patched_translation import patch_noise_parts_in_steps, patch_parts_in_steps
from model.causal.patching_estimate import PatchingEstimate, estimate_grids, estimate_paths
from model.causal.path_edges import PathEdge, PathEdges, cut_answer_in_steps, cut_pass_in_steps, path_edges_in_steps
from model.causal.traced_inputs import TracedInput
from model.hub.causal.opened_pair import ComparedAnswer, answer_position, compare_answers
from model.hub.opened_model import OpenedModel
from model.runtime.progress import InSteps
from pages.models.attention_labels import labelled_kinds
from pages.models.compared_texts import (
    OpenedComparison,
    UsedPicture,
    choose_comparison,
    choose_second_picture,
    describe_opened,
    render_answer_table,
    source_with_picture,
)
from pages.shared.causes import path_views
from pages.shared.causes.asking import may_run
from pages.shared.causes.lens_tables import LensLabels, render_lens
from pages.shared.causes.logit_bars import choose_view, render_logit_parts
from pages.shared.causes.noise_views import Noise, choose_samples, choose_tokens, has_tokens, render_noisy_cell
from pages.shared.causes.patched_cells import (
    BY_HEAD,
    BY_POSITION,
    HeadCells,
    PatchedCells,
    choose_heads,
    render_check,
    render_files,
    render_maps,
)
from pages.shared.causes.precision import runs_in_half
from pages.shared.causes.saved_result import ResultSource
from pages.shared.causes.text_pairs import quoted
from pages.shared.fragments import fragment
from pages.shared.service import Service
from pages.shared.texts import block, caption, folded_how_to_read, paragraph
from pages.vision.causes import METHODS
from views import map_labels
from views.controls import sentence_input, widgets
from views.export import causal_recipes
from views.kind_labels import any_model_kind
from views.text import literal
from views.text.catalogue import Message, Untranslated, say, say_error

PAGE = "models_causes"
RIVALS = 5  # tokens or classes whose logit can be subtracted
TITLES = {
    "complete": (Message("circuits.lens.after", "read so far"), Message("circuits.lens.next", "next token")),
    "translate": (Message("circuits.lens.after", "read so far"), Message("circuits.lens.next", "next token")),
    "fill": (Message("column.token", "token"), Message("models.causes.asked", "asked for")),
}


@fragment
def render(
    service: Service[OpenedModel],
    trace: HubTrace,
    text: str,
    options: Mapping[str, str],
    key: tuple,
    picture: UsedPicture | None = None,
) -> None:
    """Render the section; a method that this model does not support is refused in one sentence.

    Args:
        text, options: the input and keyword arguments of the trace.
        key: identifies the trace.
        picture: of the text; then the service's model is `OpenedModel.with_picture`.
    """
    method = widgets.pick(say("vision.causes.method", "Method"), METHODS, "cause", hidden=True)
    try:
        if picture is not None and method in ("patching", "paths"):
            service, picture = choose_second_picture(service, picture)
        if method == "patching":
            render_patching(service, text, options, picture)
        elif method == "paths":
            render_paths(service, text, options, picture)
        elif method == "noise":
            render_noise(service, trace, text, options, key, picture)
        elif method == "lens":
            render_layers(service, trace, key)
        else:
            render_parts(service, trace, key)
    except CausalError as error:
        st.info(literal.markdown(say_error(error)))
    folded_how_to_read(block(PAGE, method), block(PAGE, "proof"))


def read_following(service: Service[OpenedModel], trace: HubTrace, key: tuple) -> tuple[tuple[int, ...], list[str]]:
    """The token or class that is asked for at each position, and the labels of the positions."""

    def read(model: OpenedModel) -> tuple[tuple[int, ...], list[str]]:
        own = model.read_trace(trace)
        return own.next_ids, list(own.labels[model.resumable.output_stack])

    return service.analysis(("causal input", *key), read)


def render_layers(service: Service[OpenedModel], trace: HubTrace, key: tuple) -> None:
    """Render what the model would answer after each layer."""
    following, read = read_following(service, trace, key)
    lens = service.analysis_in_steps(("opened lens", *key), lambda model: model.logit_lens_in_steps(trace))
    names = service.model.answer_names
    if trace.classes is not None:
        labels = LensLabels(read, None, names)
    else:
        titles = TITLES[service.model.task]
        labels = LensLabels(read, names(following), names, (titles[0](), titles[1]()))
    render_lens(lens, labels, runs_in_half(service))


def render_parts(service: Service[OpenedModel], trace: HubTrace, key: tuple) -> None:
    """Render the logit of a token or class, or its difference to another, as a sum."""
    following, _ = read_following(service, trace, key)
    names = service.model.answer_names
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        place = 0
        if trace.classes is None:
            label, tokens = say("circuits.lens.position", "Next token"), map_labels.token_options(names(following))
            if service.model.task == "fill":
                label = say("circuits.lens.token", "Token")
            last = str(len(tokens))
            place = int(widgets.select(label, tokens, "position", last, width=220)) - 1
        logits = trace.logits.reshape(-1) if trace.classes is not None else trace.logits[place]
        index = int(logits.argmax()) if trace.classes is not None else following[place]
        best = [int(each) for each in logits.argsort()[::-1][: RIVALS + 1] if each != index][:RIVALS]
        rivals: dict[str, str | Untranslated] = {"none": say("circuits.minus.nothing", "Nothing")}
        for each, name in zip(best, names(best), strict=True):
            rivals[str(each)] = Untranslated(literal.visible(literal.token(name)))
        chosen = widgets.select(say("circuits.minus", "Minus the logit of"), rivals, "minus", width=200)
        view = choose_view()
    other = None if chosen == "none" else int(chosen)
    attribution = service.analysis(
        ("opened logit", *key, place, other), lambda model: model.logit_attribution(trace, index, other, place)
    )
    measured = block("circuits", "logit-of", token=quoted(names([index])[0]))
    if other is not None:
        pair = {"token": quoted(names([index])[0]), "other": quoted(names([other])[0])}
        measured = block("circuits", "measured-difference", **pair)
    kinds = sentence_input.kind_names(labelled_kinds(trace))
    render_logit_parts(attribution, kinds, view, measured, opened=True)


# Noise on tokens of an opened model: cells of the undisturbed run put into noisy runs (Meng et al. 2022).

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


# Path patching of an opened model: the strongest edges between two texts, and the answers with some of them cut.


def render_paths(
    service: Service[OpenedModel], text: str, options: Mapping[str, str], picture: UsedPicture | None = None
) -> None:
    """Render the part; arguments are those of `choose_comparison`.

    Raises:
        OpenError: the second text cannot be used.
        CausalError: nothing can be measured, or the network computes attention by itself.
    """
    comparison = choose_comparison(service, text, options, by_position=True, picture=picture)
    if comparison is None:
        return
    edges = measure_edges(service, comparison)
    if edges is None:
        return
    if not edges.edges:
        raise CausalError("No head reads what another head wrote, so there are no paths between heads.")
    cut, pair = path_views.find_cut(edges), comparison.pair
    kinds = sentence_input.kind_names({kind.name: any_model_kind(kind.name) for kind in service.model.kinds})
    title = say("circuits.column.answer", "answer")
    names = path_views.PathNames(service.model.resumable, kinds, pair.clean_tokens, pair.names[0], title)
    caption("models_causes", "paths-graph")
    shown = path_views.render_graph(edges, cut, names)
    render_answers(service, comparison, edges, cut)
    path_views.render_list(edges, shown, cut, names, comparison.source(service.model))


def measure_edges(service: Service[OpenedModel], comparison: OpenedComparison) -> PathEdges | None:
    """Measure all edges; None, after rendering the time that it takes, where the user has to agree first."""
    key = ("opened paths", *comparison.key)
    known = service.analyses.get(key) is not None
    estimated = PatchingEstimate(0, 0.0)
    if not known:
        estimated = service.analysis(
            ("estimate", *key), lambda model: estimate_paths(model.resumable, comparison.experiment)
        )
    label = say("circuits.measure", "Measure the paths")
    slot = may_run("measure", estimated, known=known, label=label, text="paths-ask")
    if slot is None:
        return None
    edges = service.analysis_in_steps(key, _find_edges, comparison)
    slot.empty()
    return edges


def _find_edges(model: OpenedModel, comparison: OpenedComparison) -> InSteps[PathEdges]:
    return (yield from path_edges_in_steps(model.resumable, comparison.experiment))


def render_answers(
    service: Service[OpenedModel], comparison: OpenedComparison, edges: PathEdges, cut: list[PathEdge]
) -> None:
    """State what is measured, and the most probable answers of A, of B and with the edges cut."""
    ids = tuple(edge.id for edge in cut)

    def compute(model: OpenedModel) -> InSteps[tuple[float, list[ComparedAnswer]]]:
        if model.form != "classes":
            done = yield from cut_pass_in_steps(model.resumable, comparison.experiment, cut)
            return done.value, []
        place = answer_position(comparison.pair.experiments["answer"])
        answer = yield from cut_answer_in_steps(model.resumable, comparison.experiment, cut, place)
        answers = compare_answers(model, comparison.pair.experiments["answer"], answer.probabilities)
        return answer.value, answers

    value, answers = service.analysis_in_steps(("opened paths cut", *comparison.key, ids), compute)
    path_views.render_values(edges, cut, value, comparison.measured)
    if answers:
        label = say("models.causes.cut-answers", "Most probable answers of A, of B and with the edges cut")
        render_answer_table(answers, say("models.causes.cut", "A, edges cut"), label)


# Patching of an opened model: every cell replaced by that of a second text, and the answers with one of them.

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
