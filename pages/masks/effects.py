"""What a mask does: losses, probabilities, and one head's matrices before it, with it and after softmax."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from model import Trace
from model.lessons.masking import MaskEffect, mask_effect
from pages.shared import checks, files
from pages.shared.opening import Request
from views import maps
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, widgets
from views.export import downloads
from views.html import bars, tokens
from views.text import literal, prose
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
    one, two, three = st.columns(3)
    one.metric(say("masks.loss.causal", "Loss, causal mask"), three_digits(causal.loss))
    two.metric(say("masks.loss.this", "Loss, this mask"), three_digits(effect.loss))
    change = say("masks.loss.change", "Change")
    three.metric(change, three_digits(effect.loss - causal.loss) if effect.loss != causal.loss else "0")


def next_tokens(trace: Trace, causal: MaskEffect, effect: MaskEffect) -> None:
    """Probabilities of the tokens that should follow, before and after."""
    names = maps.numbered(trace.next_tokens)
    numbers = [
        (
            names[place],
            float(causal.probabilities[place]),
            float(effect.probabilities[place]),
            f"{literal.token(effect.best[place])} {three_digits(float(effect.best_probability[place]))}",
        )
        for place in range(len(names))
    ]
    header = [
        say("masks.next.token", "token that should follow"),
        say("masks.next.causal", "probability, causal mask"),
        say("masks.next.this", "probability, this mask"),
        say("masks.next.best", "most probable now"),
    ]
    lines = [
        [bars.data(name, "token"), *(bars.bar(p, 1, "decoder") for p in both), bars.data(best, "token")]
        for name, *both, best in numbers
    ]
    name = say("masks.next.table", "Next tokens")
    forced = say("masks.next.forced", "Every token of the translation, by teacher forcing")
    st.html(tokens.label(forced) + bars.table(header, lines, name))
    files.download(
        say("masks.next.csv", "Probabilities as CSV"), lambda: downloads.table_csv(header, numbers), "mask.csv"
    )


def matrices(trace: Trace, causal: MaskEffect, effect: MaskEffect, place: str) -> None:
    """The head's scores, the same with minus infinity, its weights, and the weights it had."""
    st.markdown(prose.block("masks", "one-head", place=place))
    target_tokens = trace.target_tokens
    shared = {"kind": "decoder", "rows": target_tokens, "columns": target_tokens}
    shared |= {"row_title": say("axis.query", "query"), "column_title": say("axis.key", "key")}
    weights = {"signed": False, "top": 1.0, "masked": ("0", say("masks.cell.masked", "masked"))}
    items = [
        RowMatrix(say("masks.step.scores", "1 Scores"), effect.scores, **shared),
        RowMatrix(
            say("masks.step.infinity", "2 With \u2212\u221e"),
            effect.masked_scores,
            top=float(np.abs(effect.scores).max()),
            **shared,
        ),
        RowMatrix(say("masks.step.weights", "3 Weights"), hidden(effect), **weights, **shared),
        RowMatrix(say("masks.step.causal", "Weights with the causal mask"), hidden(causal), **weights, **shared),
    ]
    matrix_row(items, inputs.theme(), "steps", inputs.remember_theme, beside=2)
    one_row(trace, effect)
    scores = effect.masked_scores.astype(np.float64)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    difference = np.abs(exponentials / exponentials.sum(axis=1, keepdims=True) - effect.weights).max()
    st.caption(
        prose.block(
            "masks",
            "weights-check",
            difference=checks.said("masked weights", float(difference)),
            masked_weight=checks.said("mask leak", effect.masked_weight),
        )
    )
    labels = maps.numbered(target_tokens)
    title = say("masks.matrices.title", "Decoder self-attention under a mask, {place}", place=place)
    with st.container(horizontal=True):
        files.matrices(items, title, "mask", say("masks.matrices", "Matrices"))
        files.download(
            say("masks.matrices.npz", "Matrices as NPZ"),
            lambda: downloads.arrays_npz(
                scores=effect.scores, allowed=effect.allowed, weights=effect.weights, causal_weights=causal.weights
            ),
            "mask.npz",
        )
    files.numbers(lambda: files.table(effect.weights, labels, labels, maps.KINDS["decoder"].corner), "mask_table")


def hidden(effect: MaskEffect) -> np.ndarray:
    """The weights with hidden cells marked as masked."""
    return np.where(effect.allowed, effect.weights, np.float32(-np.inf))


def one_row(trace: Trace, effect: MaskEffect) -> None:
    """The numbers of one query, on their way from score to weight."""
    names = tuple(maps.numbered(trace.target_tokens))
    label = say("masks.row", "One row in numbers: query")
    query = widgets.number(label, "query", len(names), 1, len(names), varies=True, width=230)
    place = int(query) - 1
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
        say("axis.key", "key"),
        say("masks.row.score", "score"),
        say("masks.row.masked", "with the mask"),
        say("masks.row.weight", "weight"),
    ]
    st.html(bars.table(header, lines, say("masks.row.table", "Row of query {query}", query=names[place])))
