"""Add & Norm: the residual stream before and after every sub-layer, and how much each of them adds."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.lessons.residual import SubLayer, sub_layers
from pages.inside.feed_forward import stack_choice
from pages.shared import checks, files
from pages.shared.charts import matrices
from pages.shared.opening import Request
from pages.shared.runs import fragment
from pages.shared.texts import caption, paragraph
from views import maps
from views.components.matrix_row import RowMatrix
from views.controls import widgets
from views.html import bars
from views.text import literal, terms
from views.text.catalogue import Message, say

SUB_LAYERS = {  # what they are called, behind the number of their layer
    "self": Message("inside.sub-layer.self", "{layer} self-attention"),
    "cross": Message("inside.sub-layer.cross", "{layer} cross-attention"),
    "ffn": Message("inside.sub-layer.ffn", "{layer} feed-forward"),
}
SUB_LAYER = Message("column.sub-layer", "sub-layer")
# fields of `SubLayer` and their columns
LENGTHS = {
    "before": Message("inside.length.before", "|x|"),
    "sublayer_output": Message("inside.length.output", "|output|"),
    "added": Message("inside.length.added", "|x + output|"),
    "after": Message("inside.length.after", "|after norm|"),
}
SHARES = {"share": Message("inside.share", "output \u00f7 x"), "cosine": Message("column.cosine", "cosine")}
MOMENTS = {
    "added_mean": Message("inside.mean.before", "mean before"),
    "added_variance": Message("inside.variance.before", "variance before"),
    "normal_mean": Message("inside.mean.normalised", "mean normalised"),
    "normal_variance": Message("inside.variance.normalised", "variance normalised"),
    "after_mean": Message("inside.mean.after", "mean after"),
    "after_variance": Message("inside.variance.after", "variance after"),
}
ALL = LENGTHS | SHARES | MOMENTS


@fragment
def show(request: Request) -> None:
    """Every sub-layer of a stack. Choosing runs only this part again."""
    trace = request.trace()
    with st.container(horizontal=True, gap="medium"):
        stack = stack_choice()
        tokens = trace.source_tokens if stack == "encoder" else trace.target_tokens
        names = maps.numbered(tokens)
        label = say("inside.norm-place", "Token at place, 0 for the mean")
        place = int(widgets.number(label, "norm_place", 0, 0, len(names), width=230))
    found = request.service.lesson(("sub-layers", trace.source_ids, trace.target_ids, stack), sub_layers, trace, stack)
    labels = [SUB_LAYERS[sub_layer.step](layer=sub_layer.layer + 1) for sub_layer in found]
    paragraph("inside", "shares")
    share = np.stack([sub_layer.share for sub_layer in found], axis=1)  # (position, sub-layer)
    name = say("inside.shares", "Output \u00f7 stream")
    items = [RowMatrix(name, share, stack, tokens, labels, terms.TOKEN(), SUB_LAYER(), signed=False)]
    matrices(items, "shares")
    tables(found, labels, place, stack, names)
    mean = max(float(np.abs(sub_layer.normal_mean).max()) for sub_layer in found)
    variance = max(float(np.abs(sub_layer.normal_variance - 1).max()) for sub_layer in found)
    caption(
        "inside",
        "check-add-norm",
        difference=checks.said("Add & Norm", max(sub_layer.difference for sub_layer in found)),
        mean=checks.said("means", mean),
        variance=checks.said("variances", variance),
    )
    header = (SUB_LAYER(), say("column.position", "position"), terms.TOKEN(), *(column() for column in ALL.values()))
    titles = {
        "encoder": say("inside.shares.encoder", "Output of each encoder sub-layer over the residual stream"),
        "decoder": say("inside.shares.decoder", "Output of each decoder sub-layer over the residual stream"),
    }
    with st.container(horizontal=True):
        files.matrices(items, titles[stack], f"{stack}-residual")
        rows = lambda: list(_everything(found, labels, tokens))  # noqa: E731
        files.csv(header, rows, f"{stack}-residual", say("download.numbers.csv", "All numbers as CSV"))


def tables(found: list[SubLayer], labels: list[str], place: int, stack: str, names: list[str]) -> None:
    """Lengths, then means and variances, of one token or of the mean over all."""

    def value(sub_layer: SubLayer, name: str) -> float:
        numbers = getattr(sub_layer, name)
        number = float(numbers.mean() if place == 0 else numbers[place - 1])
        return 0.0 if name.startswith("normal") and abs(number) < 1e-12 else number  # rounding of double precision

    longest = max(value(sub_layer, "share") for sub_layer in found)
    lengths = [
        [label, *(value(s, name) for name in LENGTHS), bars.bar(value(s, "share"), longest, stack), value(s, "cosine")]
        for label, s in zip(labels, found, strict=True)
    ]
    moments = [
        [label, *(value(sub_layer, name) for name in MOMENTS)] for label, sub_layer in zip(labels, found, strict=True)
    ]
    token = names[place - 1]
    if place == 0:
        called = say("inside.lengths.mean", "Lengths. Mean over all tokens")
        of_moments = say("inside.moments.mean", "Means and variances. Mean over all tokens")
    else:
        called = say("inside.lengths.token", "Lengths. Token {token}", token=token)
        of_moments = say("inside.moments.token", "Means and variances. Token {token}", token=token)
    paragraph("inside", "lengths")
    st.html(bars.table((SUB_LAYER(), *(column() for column in (LENGTHS | SHARES).values())), lengths, called))
    paragraph("inside", "moments")
    st.html(bars.table((SUB_LAYER(), *(column() for column in MOMENTS.values())), moments, of_moments))


def _everything(found: list[SubLayer], labels: list[str], tokens: tuple[str, ...]):
    for label, sub_layer in zip(labels, found, strict=True):
        for at, token in enumerate(tokens):
            numbers = (getattr(sub_layer, what)[at] for what in ALL)
            yield [label, at + 1, literal.token(token), *map(float, numbers)]
