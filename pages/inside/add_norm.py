"""Add & Norm: the residual stream before and after every sub-layer, and how much each of them writes."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.lessons.residual import SubLayer, sub_layers
from pages.inside.feed_forward import stack_choice
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.runs import fragment
from views import maps
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, widgets
from views.export import downloads
from views.html import bars
from views.text import literal, prose

NAMES = {"self": "self-attention", "cross": "cross-attention", "ffn": "feed-forward"}
MEAN = "mean"
LENGTHS = ("before", "sublayer_output", "added", "after")
MOMENTS = ("added_mean", "added_variance", "normal_mean", "normal_variance", "after_mean", "after_variance")


@fragment
def show(request: Request) -> None:
    """Every sub-layer of a stack. Choosing runs only this part again."""
    trace = request.trace()
    with st.container(horizontal=True, gap="medium"):
        stack = stack_choice()
        tokens = trace.source_tokens if stack == "encoder" else trace.target_tokens
        names = maps.numbered(tokens)
        place = int(widgets.number("Piece at place, 0 for the mean", "norm_place", 0, 0, len(names), width=230))
    found = request.service.lesson(("sub-layers", trace.source_ids, trace.target_ids, stack), sub_layers, trace, stack)
    labels = [f"{sub_layer.layer + 1} {NAMES[sub_layer.step]}" for sub_layer in found]
    st.markdown(prose.block("inside", "How much each writes"))
    share = np.stack([sub_layer.share for sub_layer in found], axis=1)  # (position, sub-layer)
    items = [RowMatrix("Written \u00f7 stream", share, stack, tokens, labels, column_title="sub-layer", signed=False)]
    matrix_row(items, inputs.theme(), "shares", inputs.remember_theme)
    tables(found, labels, place, stack, names)
    st.caption(
        prose.block("inside", "Proof of Add & Norm").format(
            difference=checks.said("Add & Norm", max(sub_layer.difference for sub_layer in found)),
            mean=checks.said("means", max(float(np.abs(sub_layer.normal_mean).max()) for sub_layer in found)),
            variance=checks.said(
                "variances", max(float(np.abs(sub_layer.normal_variance - 1).max()) for sub_layer in found)
            ),
        )
    )
    header = ("sub-layer", "position", "piece", *LENGTHS, "share", "cosine", *MOMENTS)
    with st.container(horizontal=True):
        files.matrices(items, f"How much each sub-layer of the {stack} writes", f"{stack}-residual")
        files.download(
            "All numbers as CSV",
            lambda: downloads.table_csv(header, _everything(found, labels, tokens)),
            f"{stack}-residual.csv",
        )


def tables(found: list[SubLayer], labels: list[str], place: int, stack: str, names: list[str]) -> None:
    """Lengths, then means and variances, of one token or of the mean over all."""

    def value(sub_layer: SubLayer, name: str) -> float:
        numbers = getattr(sub_layer, name)
        return float(numbers.mean() if place == 0 else numbers[place - 1])

    whose = "Mean over all pieces" if place == 0 else f"Piece {names[place - 1]}"
    longest = max(value(sub_layer, "share") for sub_layer in found)
    lengths = [
        [label, *(value(s, name) for name in LENGTHS), bars.bar(value(s, "share"), longest, stack), value(s, "cosine")]
        for label, s in zip(labels, found, strict=True)
    ]
    header = ("sub-layer", "|x|", "|written|", "|x + written|", "|after norm|", "written \u00f7 x", "cosine")
    st.markdown(prose.block("inside", "Lengths"))
    st.html(bars.table(header, lengths, f"Lengths. {whose}"))
    moments = [
        [label, *(value(s, name) for name in MOMENTS[:2]), *map(_rounded, (value(s, MOMENTS[2]), value(s, MOMENTS[3])))]
        + [value(s, name) for name in MOMENTS[4:]]
        for label, s in zip(labels, found, strict=True)
    ]
    header = ("sub-layer", "mean before", "variance before", "mean normalised", "variance normalised", "mean after")
    st.markdown(prose.block("inside", "Means and variances"))
    st.html(bars.table((*header, "variance after"), moments, f"Means and variances. {whose}"))


def _rounded(number: float) -> float:
    """Rounding errors of double precision are 0 here."""
    return 0.0 if abs(number) < 1e-12 else number


def _everything(found: list[SubLayer], labels: list[str], tokens: tuple[str, ...]):
    for label, sub_layer in zip(labels, found, strict=True):
        for at, token in enumerate(tokens):
            numbers = (getattr(sub_layer, what)[at] for what in (*LENGTHS, "share", "cosine", *MOMENTS))
            yield [label, at + 1, literal.token(token), *map(float, numbers)]
