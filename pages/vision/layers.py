"""Vision, through the layers: four attributions of an answer, and a test of which is right about the network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from model import VisionTrace
from model.attribution.rollout import FUSIONS, Fusion, RolloutCheck, attention_scores, check_rollout
from pages.shared import checks, files
from pages.shared.runs import fragment
from pages.shared.service import Service
from pages.shared.texts import block, caption, paragraph
from pages.vision.faithful import faithful
from pages.vision.maps import chosen_class, over_picture
from pages.vision.measured import CALLED, HEADED, IDS, PAGE, Measured, measure
from views.controls import widgets
from views.figures import overlay
from views.text import literal, terms
from views.text.catalogue import Message, say
from views.text.numbers import percent

CALLED_FUSIONS: dict[Fusion, Message] = dict(
    zip(
        FUSIONS,
        (Message("fusion.mean", "mean"), Message("fusion.max", "max"), Message("fusion.min", "min")),
        strict=True,
    )
)


@dataclass(frozen=True)
class Request:
    """What the reader wants explained, and how."""

    class_index: int
    fusion: Fusion
    layer: int  # counted from 0

    def words(self, trace: VisionTrace) -> dict[str, str]:
        """What the text says of it."""
        name = literal.markdown(trace.classes[self.class_index])
        return {"name": name, "fusion": CALLED_FUSIONS[self.fusion](), "layer": str(self.layer + 1)}


@fragment
def through_the_layers(service: Service, key: str, trace: VisionTrace) -> None:
    """The view; `key` is the picture's, as `Service.trace_picture` gives it. A setting runs only this part again."""
    paragraph(PAGE)
    request = _settings(trace)
    class_index, fusion, layer = request.class_index, request.fusion, request.layer
    with st.skeleton(height=320):
        gradients = service.analysis(
            ("gradients", key, class_index), lambda model: model.gradient_scores(trace, class_index)
        )
        scores = service.analysis(
            ("attention scores", key, fusion, layer), lambda _: attention_scores(trace.attention, fusion, layer)
        )
        check = service.analysis(("rollout check", key, fusion), lambda _: check_rollout(trace.attention, fusion))
    scores = scores | gradients.scores
    _maps(trace, request, scores)
    with st.skeleton(height=560):
        measured = measure(service, key, trace, scores, class_index)
    faithful(measured, request.words(trace), service.model.card)
    _check(trace, request, check, gradients.difference, measured)
    _files(trace, request, scores, measured)
    with st.expander(say("vision.methods", "Where the four methods come from")):
        paragraph(PAGE, "methods")


def _settings(trace: VisionTrace) -> Request:
    """The row of controls above the maps: the class, the layer up to which, and how rollout fuses the heads."""
    layers = tuple(str(layer + 1) for layer in range(trace.attention.shape[0]))
    with st.container(horizontal=True, gap="medium"):
        class_index = chosen_class(say("vision.explain", "Explain"), trace, width=200)
        layer = widgets.select(say("vision.upto", "Up to layer"), layers, "upto", layers[-1], width=120)
        label, help = say("vision.fusion", "Rollout fuses heads by"), " ".join(block(PAGE, "fusion-help").split())
        fusion = widgets.pick(label, CALLED_FUSIONS, "fusion", help=help)
    return Request(class_index, fusion, layers.index(layer))


def _maps(trace: VisionTrace, request: Request, scores: dict[str, np.ndarray]) -> None:
    words, probability = request.words(trace), float(trace.probabilities[request.class_index])
    chance = percent(probability)
    with st.container():  # one place whether the note is there or not, so that nothing below it is built anew
        st.markdown(
            say("vision.explained", "Explained: **{name}**, {probability}.", name=words["name"], probability=chance)
        )
        if probability < 0.1:
            st.info(block(PAGE, "little-to-explain", probability=chance, **words))
    for column, (method, score) in zip(st.columns(len(scores), gap="medium"), scores.items(), strict=True):
        row, place = (int(at) + 1 for at in np.unravel_index(score.argmax(), trace.grid))
        alt = " ".join(block(PAGE, "map-alt", method=HEADED[method](), row=row, column=place).split())
        with column:
            st.markdown(f"**{HEADED[method]()}**")
            st.image(over_picture(trace, score), width="stretch", output_format="PNG", alt=alt)
            caption(PAGE, f"method-{IDS[method]}", **words)
    least = {method: percent(float(score.min() / (score.max() or 1))) for method, score in scores.items()}
    shares = (
        say("vision.method.share", "{method} {share}", method=CALLED[method](), share=share)
        for method, share in least.items()
    )
    caption(PAGE, "scale", shares=", ".join(shares))


def _check(trace: VisionTrace, request: Request, check: RolloutCheck, slope: float, measured: Measured) -> None:
    start = float(trace.probabilities[request.class_index])
    caption(
        PAGE,
        "check",
        rollout=checks.said("rollout", check.max_difference),
        rows=checks.said("row sums", check.row_sum_error),
        slope=checks.said("slope of the logit", slope),
        start=start,
        ends=checks.said("ends of curves", measured.largest_end_difference(start)),
    )


def _files(trace: VisionTrace, request: Request, scores: dict[str, np.ndarray], measured: Measured) -> None:
    places = [(row + 1, column + 1) for row, column in np.ndindex(*trace.grid)]

    def rows() -> list[tuple]:
        values = zip(*(map(float, score) for score in scores.values()), strict=True)
        return [(*place, *value) for place, value in zip(places, values, strict=True)]

    header = [terms.ROW(), terms.COLUMN(), *(CALLED[method]() for method in scores)]
    more = {"class": np.array(trace.classes[request.class_index]), "pixels": trace.pixels, **scores}
    with st.container(horizontal=True):
        files.csv(header, rows, "relevance", say("vision.scores.csv", "Scores as CSV"))
        files.csv(*measured.table(), "faithfulness", say("download.curves.csv", "Curves as CSV"))
        files.download(say("vision.maps.png", "Maps as PNG"), lambda: _png(trace, scores), "maps.png")
        files.npz("through-the-layers", more | measured.arrays(), say("vision.all.npz", "All as NPZ"))
    files.numbers(lambda: files.table(rows(), header), key="scores", hide_index=True)


def _png(trace: VisionTrace, scores: dict[str, np.ndarray]) -> bytes:
    """The four maps side by side, on white."""
    maps = [overlay.overlay(trace.pixels, score.reshape(trace.grid), "light") for score in scores.values()]
    return overlay.to_png(overlay.enlarged(np.concatenate(maps, axis=1), 1536))
