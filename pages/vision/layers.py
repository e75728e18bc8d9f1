"""Vision, through the layers: attributions of an answer, and a test of their faithfulness."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from model.attribution.faithfulness import CENTRE, centre_order, rank_patches
from model.attribution.rollout import INTEGRATED, METHODS, Fusion, attention_scores, check_rollout
from model.tracing.picture_trace import PatchTrace
from pages.shared import checks, files, tables
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
from pages.vision.picture_integration import integrate, render_completeness
from pages.vision.program import render_vision_program
from pages.vision.stated_answer import stated_class
from pages.vision.vision_inputs import choose_class, place_columns
from views import map_labels, patch_grid
from views.components.patch_picture import PatchPicture, PicturePanel, patch_picture
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.figures import overlay
from views.text import literal
from views.text.catalogue import Message, say
from views.text.numbers import percent

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
