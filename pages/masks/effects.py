"""What a mask does: losses, probabilities, and one head's matrices before it, with it and after softmax."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from model import Trace
from model.lessons.masking import MaskEffect, mask_effect
from pages.shared import checks, files
from pages.shared.charts import matrices as draw
from pages.shared.charts import metrics
from pages.shared.opening import Request
from pages.shared.texts import caption, paragraph
from views import maps
from views.components.matrix_row import RowMatrix
from views.controls import widgets
from views.html import bars, tokens
from views.text import literal, terms
from views.text.catalogue import say
from views.text.numbers import three_digits


def effect_of(
    request: Request, trace: Trace, allowed: np.ndarray, used: Sequence[int], layer: int, head: int
) -> MaskEffect:
    """What a mask does, computed once."""
    key = ("mask", trace.source_ids, trace.target_ids, allowed.tobytes(), used, layer, head)
    return request.service.lesson(key, mask_effect, trace, allowed, used, layer, head)


def losses(causal: MaskEffect, effect: MaskEffect) -> None:
    """The loss of the target, before and after."""
    metrics(
        (say("masks.loss.causal", "Loss, causal mask"), causal.loss),
        (say("masks.loss.this", "Loss, this mask"), effect.loss),
        (say("masks.loss.change", "Change"), effect.loss - causal.loss),
    )


def next_tokens(trace: Trace, causal: MaskEffect, effect: MaskEffect) -> None:
    """Probabilities of the tokens that should follow, before and after."""
    taken = zip(effect.best, effect.best_probability, strict=True)
    best = [f"{literal.token(token)} {three_digits(float(probability))}" for token, probability in taken]
    probabilities = (map(float, side.probabilities) for side in (causal, effect))
    rows = list(zip(maps.numbered(trace.next_tokens), *probabilities, best, strict=True))
    header = [
        say("masks.next.token", "token that should follow"),
        say("masks.next.causal", "probability, causal mask"),
        say("masks.next.this", "probability, this mask"),
        say("masks.next.best", "most probable now"),
    ]
    lines = [
        [bars.data(name, "token"), *(bars.bar(p, 1, "decoder") for p in both), bars.data(best, "token")]
        for name, *both, best in rows
    ]
    forced = say("masks.next.forced", "Every token of the translation, by teacher forcing")
    st.html(tokens.label(forced) + bars.table(header, lines, say("masks.next.table", "Next tokens")))
    files.csv(header, rows, "mask", say("masks.next.csv", "Probabilities as CSV"))


def matrices(trace: Trace, causal: MaskEffect, effect: MaskEffect, place: str) -> None:
    """The head's scores, the same with minus infinity, its weights, and the weights it had."""
    paragraph("masks", "one-head", place=place)
    target_tokens = trace.target_tokens
    shared = {"kind": "decoder", "rows": target_tokens, "columns": target_tokens}
    shared |= {"row_title": terms.QUERY(), "column_title": terms.KEY()}
    weights = shared | {"signed": False, "top": 1.0, "masked": ("0", say("masks.cell.masked", "masked"))}
    top = float(np.abs(effect.scores).max())
    items = [
        RowMatrix(say("masks.step.scores", "1 Scores"), effect.scores, **shared),
        RowMatrix(say("masks.step.infinity", "2 With \u2212\u221e"), effect.masked_scores, top=top, **shared),
        RowMatrix(say("masks.step.weights", "3 Weights"), hidden(effect), **weights),
        RowMatrix(say("masks.step.causal", "Weights with the causal mask"), hidden(causal), **weights),
    ]
    draw(items, "steps", beside=2)
    labels = maps.numbered(target_tokens)
    one_row(labels, effect)
    scores = effect.masked_scores.astype(np.float64)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    difference = np.abs(exponentials / exponentials.sum(axis=1, keepdims=True) - effect.weights).max()
    difference = checks.said("masked weights", float(difference))
    leak = checks.said("mask leak", effect.masked_weight)
    caption("masks", "weights-check", difference=difference, masked_weight=leak)
    title = say("masks.matrices.title", "Decoder self-attention under a mask, {place}", place=place)
    arrays = {name: getattr(effect, name) for name in ("scores", "allowed", "weights")}
    with st.container(horizontal=True):
        files.matrices(items, title, "mask", say("masks.matrices", "Matrices"))
        all = say("masks.matrices.npz", "Matrices as NPZ")
        files.npz("mask", arrays | {"causal_weights": causal.weights}, all)
    files.numbers(lambda: files.table(effect.weights, labels, labels, maps.KINDS["decoder"].corner), "mask_table")


def hidden(effect: MaskEffect) -> np.ndarray:
    """The weights with hidden cells marked as masked."""
    return np.where(effect.allowed, effect.weights, np.float32(-np.inf))


def one_row(names: list[str], effect: MaskEffect) -> None:
    """The numbers of one query, on their way from score to weight."""
    label = say("masks.row", "One row in numbers: query")
    place = int(widgets.number(label, "query", len(names), 1, len(names), varies=True, width=230)) - 1
    lines = [
        [
            bars.data(key, "token"),
            float(effect.scores[place, at]),
            float(effect.scores[place, at]) if effect.allowed[place, at] else "\u2212\u221e",
            bars.bar(float(effect.weights[place, at]), 1, "decoder"),
        ]
        for at, key in enumerate(names)
    ]
    header = [
        terms.KEY(),
        say("masks.row.score", "score"),
        say("masks.row.masked", "with the mask"),
        say("masks.row.weight", "weight"),
    ]
    st.html(bars.table(header, lines, say("masks.row.table", "Row of query {query}", query=names[place])))
