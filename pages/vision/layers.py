"""Vision, through the layers: four maps of what an answer rests on, and a test of which is right about the network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from model import VisionTrace
from model.attribution.rollout import FUSIONS, Fusion, RolloutCheck, check_rollout
from model.classifier import METHODS, attention_scores
from pages.shared import checks, files
from pages.shared.runs import fragment
from pages.shared.service import Service
from pages.vision.faithful import faithful
from pages.vision.measured import Measured, measure
from views.controls import inputs, widgets
from views.export import downloads
from views.figures import overlay
from views.text import literal, prose
from views.text.numbers import percent, three_digits

PAGE = "vision_layers"
ANSWER = "the answer"


@dataclass(frozen=True)
class Request:
    """What the reader wants explained, and how."""

    class_index: int
    fusion: Fusion
    layer: int  # counted from 0

    def words(self, trace: VisionTrace) -> dict[str, str]:
        """What the text says of it."""
        name = literal.markdown(trace.classes[self.class_index])
        return {"name": name, "fusion": self.fusion, "layer": str(self.layer + 1)}


@fragment
def through_the_layers(service: Service, key: str, trace: VisionTrace) -> None:
    """The view; `key` is the picture's, as `Service.trace_picture` gives it. A setting runs only this part again."""
    st.markdown(prose.lead(PAGE))
    request = _settings(trace)
    with st.skeleton(height=320):
        gradients = service.analysis(
            ("gradients", key, request.class_index),
            lambda model: model.gradient_scores(trace, request.class_index),
        )
        scores = service.analysis(
            ("attention scores", key, request.fusion, request.layer),
            lambda _: attention_scores(trace, request.fusion, request.layer),
        )
        check = service.analysis(
            ("rollout check", key, request.fusion), lambda _: check_rollout(trace.attention, request.fusion)
        )
    scores = scores | gradients.scores
    _maps(trace, request, scores)
    with st.skeleton(height=560):
        measured = measure(service, key, trace, scores, request.class_index)
    faithful(measured, request.words(trace), service.model.card)
    _check(trace, request, check, gradients.difference, measured)
    _files(trace, request, scores, measured)
    with st.expander("Where the four methods come from"):
        st.markdown(prose.block(PAGE, "Methods"))


def _settings(trace: VisionTrace) -> Request:
    classes = (ANSWER, *trace.classes)
    layers = tuple(str(layer + 1) for layer in range(trace.attention.shape[0]))
    with st.container(horizontal=True, gap="medium"):
        name = widgets.select("Explain", classes, "explain", width=200)
        layer = widgets.select("Up to layer", layers, "upto", layers[-1], width=120)
        about = "The mean, the largest or the least of the heads' weights on each patch."
        fusion = widgets.pick("Rollout fuses heads by", FUSIONS, "fusion", help=about)
    return Request(
        trace.answer if name == ANSWER else trace.classes.index(name),
        fusion,
        layers.index(layer),
    )


def _maps(trace: VisionTrace, request: Request, scores: dict[str, np.ndarray]) -> None:
    words, probability = request.words(trace), float(trace.probabilities[request.class_index])
    with st.container():  # one place whether the note is there or not, so that nothing below it is built anew
        st.markdown(f"Explained: **{words['name']}**, {percent(probability)}.")
        if probability < 0.1:
            st.info(prose.block(PAGE, "Little to explain").format(probability=percent(probability), **words))
    for column, (method, score) in zip(st.columns(len(scores), gap="medium"), scores.items(), strict=True):
        grid = score.reshape(trace.grid)
        row, place = np.unravel_index(grid.argmax(), trace.grid)
        shown = overlay.enlarged(overlay.overlay(trace.pixels, grid, inputs.theme()))
        with column:
            st.markdown(f"**{method[:1].upper()}{method[1:]}**")
            st.image(
                shown,
                width="stretch",
                output_format="PNG",
                alt=f"{method} over the picture; strongest in row {row + 1}, column {place + 1} of the patches.",
            )
            st.caption(prose.block(PAGE, method).format(**words))
    shares = (f"{method} {percent(float(score.min() / (score.max() or 1)))}" for method, score in scores.items())
    st.caption(prose.block(PAGE, "Scale").format(shares=", ".join(shares)))


def _check(trace: VisionTrace, request: Request, check: RolloutCheck, slope: float, measured: Measured) -> None:
    start = float(trace.probabilities[request.class_index])
    st.caption(
        prose.block(PAGE, "Proof").format(
            rollout=checks.said("rollout", check.max_difference),
            rows=checks.said("row sums", check.row_sum_error),
            slope=checks.said("slope of the logit", slope),
            start=three_digits(start),
            ends=checks.said("ends of curves", measured.largest_end_difference(start)),
        )
    )


def _files(trace: VisionTrace, request: Request, scores: dict[str, np.ndarray], measured: Measured) -> None:
    places = [(row + 1, column + 1) for row, column in np.ndindex(*trace.grid)]

    def rows() -> list[tuple]:
        values = zip(*(map(float, score) for score in scores.values()), strict=True)
        return [(*place, *value) for place, value in zip(places, values, strict=True)]

    header = ["row", "column", *METHODS]
    with st.container(horizontal=True):
        files.download("Scores as CSV", lambda: downloads.table_csv(header, rows()), "relevance.csv")
        files.download("Curves as CSV", measured.csv, "faithfulness.csv")
        files.download("Maps as PNG", lambda: _png(trace, scores), "maps.png")
        more = {"class": np.array(trace.classes[request.class_index]), "pixels": trace.pixels, **scores}
        files.download("All as NPZ", lambda: measured.npz(more), "through-the-layers.npz")
    files.numbers(lambda: pd.DataFrame(rows(), columns=header), key="scores", hide_index=True)


def _png(trace: VisionTrace, scores: dict[str, np.ndarray]) -> bytes:
    """The four maps side by side, on white."""
    maps = [overlay.overlay(trace.pixels, score.reshape(trace.grid), "light") for score in scores.values()]
    return overlay.to_png(overlay.enlarged(np.concatenate(maps, axis=1), 1536))
