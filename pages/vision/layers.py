"""Vision, through the layers: attributions of an answer, and a test of their faithfulness."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from model.attribution.agreement import spearman
from model.attribution.faithfulness import CENTRE, centre_order, rank_patches
from model.attribution.rollout import INTEGRATED, METHODS, Fusion, attention_scores, check_rollout
from model.causal.causal_error import CausalError
from model.causal.integrated_gradients import FIRST_POINTS, IntegratedGradients
from model.causal.metrics import Logit
from model.causal.patching_estimate import PatchingEstimate, time_runs
from model.tracing.picture_trace import PatchTrace
from pages.shared import checks, files, tables
from pages.shared.causes import integration_offer
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.service import Service
from pages.shared.texts import block, caption, fold_check, paragraph
from pages.vision.faithfulness import (
    METHOD_LABELS,
    PAGE,
    FaithfulnessCurves,
    measure_faithfulness,
    render_faithfulness,
)
from pages.vision.program import render_vision_program
from pages.vision.stated_answer import stated_class
from pages.vision.vision_inputs import choose_class, place_columns
from views import map_labels, patch_grid
from views.components.patch_picture import PatchPicture, PicturePanel, patch_picture
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.figures import overlay
from views.text import literal
from views.text.catalogue import Message, say, say_count, say_error
from views.text.class_names import class_name
from views.text.numbers import percent, three_digits

METHOD_IDS = dict(zip((*METHODS, INTEGRATED), ("cls", "rollout", "gradient", "raw", "integrated"), strict=True))
METHOD_HEADINGS = METHOD_LABELS | {
    "rollout": Message("vision.method.rollout.heading", "Rollout"),
    "gradient relevance": Message("vision.method.gradient.heading", "Gradient relevance"),
    "raw gradient": Message("vision.method.raw.heading", "Raw gradient"),
    INTEGRATED: Message("attribution.method.integrated", "Integrated gradients"),
}
FUSIONS: dict[Fusion, Message] = {
    "mean": Message("fusion.mean", "mean"),
    "max": Message("fusion.max", "max"),
    "min": Message("fusion.min", "min"),
}


@fragment
def render_layers(service: Service, key: str, trace: PatchTrace) -> None:
    """Show the view; `key` is the picture's, from `Service.trace_picture`.

    The browser draws the maps of another layer or fusion; this section reruns for their curves and for another class.
    """
    paragraph(PAGE)
    layers = tuple(map_labels.to_id(layer) for layer in range(trace.attention.shape[0]))
    class_index = choose_class(say("vision.explain", "Explain"), trace, width=200)
    help = " ".join(block(PAGE, "fusion-help").split())
    upto = Choice(say("vision.upto", "Up to layer"), layers, "upto", layers[-1], varies=True)
    fusing = Choice(say("vision.fusion", "Rollout fuses heads by"), FUSIONS, "fusion", help=help)
    choices = upto, fusing, *sentence_input.patch_choices(trace.grid), sentence_input.overlay_choices()[0]
    chosen = {choice.key: choice.in_component() for choice in choices}
    layer = layers.index(chosen["upto"])
    fusion = next(fusion for fusion in FUSIONS if fusion == chosen["fusion"])
    probability = float(trace.probabilities[class_index])
    words = {
        "name": literal.markdown(stated_class(trace, class_index)),
        "fusion": FUSIONS[fusion](),
        "layer": chosen["upto"],
    }
    with st.skeleton(height=320):
        gradients = service.analysis(
            ("gradients", key, class_index), lambda model: model.gradient_scores(trace, class_index)
        )
        by_fusion = service.analysis(("attention scores", key), lambda _: _attention_scores(trace))
        check = service.analysis(("rollout check", key, fusion), lambda _: check_rollout(trace.attention, fusion))
    _render_class(trace, class_index, words)
    integrated = integrate(service, key, trace, class_index)
    of_class = gradients.scores | (integrated.scores if integrated is not None else {})
    scores = by_fusion[fusion, layer] | of_class
    _render_maps(trace, by_fusion, of_class, choices, chosen)
    for methods in (METHODS, [INTEGRATED] * (INTEGRATED in scores)):  # in rows, as the panels are where four fit
        for column, method in zip(st.columns(len(METHODS), gap="medium"), methods, strict=False):
            with column:
                caption(PAGE, f"method-{METHOD_IDS[method]}", **words)
    minima = (
        (METHOD_LABELS[method](), percent(float(score.min() / (score.max() or 1)))) for method, score in scores.items()
    )
    shares = (say("vision.method.share", "{method} {share}", method=method, share=share) for method, share in minima)
    caption(PAGE, "scale", shares=", ".join(shares))
    if integrated is not None:
        render_completeness(integrated, trace, class_index)
    with st.skeleton(height=560):
        measured = measure_faithfulness(service, key, trace, scores, class_index)
    agreement = None if integrated is None else integrated.agreement(scores)
    render_faithfulness(measured, words, service.model.card, agreement)
    areas = {"area": measured.methods["rollout"].deletion_area, "random": measured.chance.deletion_area}
    render_experiment("vision-layers", {"fusion": "min"}, areas if fusion == "min" else None)
    ends = [end for curve in measured.all.values() for end in (curve.deletion[0], curve.insertion[-1])]
    fold_check(
        PAGE,
        "check",
        rollout=checks.format_difference("rollout", check.max_difference),
        rows=checks.format_difference("row sums", check.row_sum_error),
        slope=checks.format_difference("slope of the logit", gradients.difference),
        start=percent(probability),
        ends=checks.format_difference("ends of curves", float(np.abs(np.array(ends) - probability).max())),
    )
    _render_files(trace, class_index, scores, measured, {} if integrated is None else integrated.arrays())
    explained = trace.classes[class_index]
    render_vision_program(service, "layers", explained=explained, layer=layer + 1, fusion=fusion)
    orders = {METHOD_IDS[method]: tuple(rank_patches(score).tolist()) for method, score in scores.items()}
    orders[CENTRE] = tuple(centre_order(trace.grid).tolist())
    title = say("vision.curves.code", "Deletion and insertion in PyTorch")
    render_vision_program(service, "curves", title, explained=explained, orders=orders)
    if integrated is not None:
        title = say("vision.integrated.code", "Integrated gradients and leave-one-out in PyTorch")
        points = integrated.gradients.points
        render_vision_program(service, "integrated", title, explained=explained, points=points)
    with st.expander(say("vision.methods", "Where the methods come from")):
        paragraph(PAGE, "methods")


def _attention_scores(trace: PatchTrace) -> dict[tuple[Fusion, int], dict[str, np.ndarray]]:
    """Compute the methods that use attention alone, for every fusion and up to every layer, for the browser."""
    return {
        (fusion, layer): attention_scores(trace.attention, fusion, layer)
        for fusion in FUSIONS
        for layer in range(trace.attention.shape[0])
    }


def _render_class(trace: PatchTrace, class_index: int, words: dict[str, str]) -> None:
    probability = float(trace.probabilities[class_index])
    text = percent(probability)
    with st.container():  # one container with or without the note, so that nothing below it is rebuilt
        label = say("vision.explained", "Explained: **{name}**, {probability}.", name=words["name"], probability=text)
        st.markdown(label)
        if probability < 0.1:
            st.info(block(PAGE, "little-to-explain", probability=text, **words))


def _render_maps(
    trace: PatchTrace,
    by_fusion: dict[tuple[Fusion, int], dict[str, np.ndarray]],
    of_class: dict[str, np.ndarray],
    choices: Sequence[Choice],
    chosen: dict[str, str],
) -> None:
    """Show all methods over the picture, for every fusion and layer; those `of_class` depend on neither."""
    layers = trace.attention.shape[0]
    places = [(fusion, layer) for layer in range(layers) for fusion in FUSIONS]
    methods = [*by_fusion[places[0]], *of_class]
    scores = np.stack([np.stack([*by_fusion[place].values(), *of_class.values()]) for place in places])
    scores = scores.reshape(layers, len(FUSIONS), len(methods), -1)  # (layer, fusion, method, patch)
    maps = np.pad(scores, ((0, 0), (0, 0), (0, 0), (1, 0)))  # a number for CLS
    panels = [PicturePanel(METHOD_HEADINGS[method](), number) for number, method in enumerate(methods)]
    title = say("vision.methods.maps", "Attributions over the picture")
    arguments = patch_grid.as_bytes(trace.pixels), trace.grid, panels, title, choices, chosen
    names = [map_labels.to_id(layer) for layer in range(layers)], list(FUSIONS)
    picture = PatchPicture(*arguments, weights=maps, names=names, along=("upto", "fusion"))
    patch_picture(picture, key="methods", on_choose=sentence_input.store_selection)


def _render_files(
    trace: PatchTrace,
    class_index: int,
    scores: dict[str, np.ndarray],
    measured: FaithfulnessCurves,
    further: dict[str, np.ndarray],
) -> None:
    columns = [tables.TableColumn(METHOD_LABELS[method](), score.ravel()) for method, score in scores.items()]
    header, lines = tables.header_and_rows([*place_columns(trace.grid), *columns])
    arrays = {"class": np.array(trace.classes[class_index]), "pixels": trace.pixels, **scores, **further}
    with st.container(horizontal=True):
        files.csv(header, lines, "relevance", say("vision.scores.csv", "Scores as CSV"))
        files.csv(*measured.table(), "faithfulness", say("download.curves.csv", "Curves as CSV"))
        files.download(say("vision.maps.png", "Maps as PNG"), lambda: _maps_png(trace, scores), "maps.png")
        files.npz("through-the-layers", arrays | measured.arrays(), say("vision.all.npz", "All as NPZ"))
    files.folded_table(lambda: files.data_frame(lines, header), key="scores", hide_index=True)


def _maps_png(trace: PatchTrace, scores: dict[str, np.ndarray]) -> bytes:
    maps = [overlay.overlay(trace.pixels, score.reshape(trace.grid), "light") for score in scores.values()]
    return overlay.to_png(overlay.enlarged(np.concatenate(maps, axis=1), 1536))


# Vision, through the layers: integrated gradients and leave-one-out, which take longer than the other methods.

BACKWARD = 3  # a gradient takes about as long as so many runs
USUAL_POINTS = FIRST_POINTS + 2 * FIRST_POINTS  # of gradients: their number is doubled once for most pictures


@dataclass(frozen=True, eq=False)
class IntegratedPicture:
    """What is computed when it is asked for."""

    gradients: IntegratedGradients  # of the logit of a class
    drops: np.ndarray  # `(patch,)` float64, the probability of the class minus that with the patch covered

    @property
    def scores(self) -> dict[str, np.ndarray]:
        """The method's name -> `(patch,)` float32."""
        return {INTEGRATED: self.gradients.attributions["patches"].astype(np.float32)}

    def agreement(self, scores: dict[str, np.ndarray]) -> dict[str, float | None]:
        """Rank correlation of the scores of every method with `drops`; None where it is not defined."""
        return {method: spearman(score.ravel().astype(float), self.drops) for method, score in scores.items()}

    def arrays(self) -> dict[str, np.ndarray]:
        """For `numpy.load`, besides the scores of the patches."""
        return {"pixels, integrated gradients": self.gradients.attributions["pixels"], "leave-one-out": self.drops}


def integrate(service: Service, key: str, trace: PatchTrace, class_index: int) -> IntegratedPicture | None:
    """Compute both if the user has asked for them; otherwise render the offer, or why there is none."""
    runs = BACKWARD * USUAL_POINTS + trace.grid[0] * trace.grid[1]
    try:
        seconds = math.ceil(service.network_result(("integration", runs), _estimate, trace, runs).seconds)
        if not integration_offer.is_wanted(seconds):
            label = say_count(
                "vision.integrate",
                "Add integrated gradients and leave-one-out (about {count} second)",
                "Add integrated gradients and leave-one-out (about {count} seconds)",
                seconds,
            )
            integration_offer.render_button(label, seconds)
            return None
        gradients: IntegratedGradients = service.analysis_in_steps(
            ("integrated picture", key, class_index),
            lambda model: model.integrated_gradients_in_steps(trace, Logit(class_index)),
        )
    except CausalError as error:
        st.info(literal.markdown(say_error(error)))
        return None
    without: np.ndarray = service.analysis_in_steps(
        ("patches left out", key), lambda model: model.leave_out_patches_in_steps(trace)
    )
    return IntegratedPicture(gradients, float(trace.probabilities[class_index]) - without[:, class_index])


def _estimate(model, trace: PatchTrace, runs: int) -> PatchingEstimate:
    return time_runs(model.resumable, model.read_trace(trace).experiment(), runs)


def render_completeness(integrated: IntegratedPicture, trace: PatchTrace, class_index: int) -> None:
    """State how far the attributions are from summing to the change of the logit."""
    gradients = integrated.gradients
    change = gradients.value - gradients.baseline
    caption(
        PAGE,
        "completeness",
        name=literal.markdown(class_name(trace.classes[class_index])),
        total=three_digits(float(gradients.attributions["patches"].sum())),
        value=three_digits(gradients.value),
        baseline=three_digits(gradients.baseline),
        missing=percent(abs(gradients.gap / change)) if change else three_digits(abs(gradients.gap)),
        points=gradients.points,
    )
