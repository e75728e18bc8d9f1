"""The matrices of each of the seven steps, with the signs between them."""

from __future__ import annotations

import math

import numpy as np

from model.lessons.layer_steps import AttentionSteps
from pages.inside.chosen import Chosen
from views.components.matrix_row import RowMatrix
from views.text.catalogue import say
from views.text.numbers import three_digits

LETTERS = {"query": "Q", "key": "K", "value": "V"}


def of_step(step: int, steps: AttentionSteps, chosen: Chosen, projection: str) -> list[RowMatrix | str]:
    """The matrices of a step with the signs between them; the last one is its result."""
    queries, keys = chosen.axes
    kind = chosen.kind.name
    token, dimension = say("column.token", "token"), say("column.dimension", "dimension")

    def vectors(name: str, values: np.ndarray, tokens: tuple[str, ...]) -> RowMatrix:
        return RowMatrix(name, values, kind, tokens, row_title=token, column_title=dimension)

    def weight(name: str, projection: str) -> RowMatrix:
        values = steps.projections[projection].weight
        return RowMatrix(name, values, kind, row_title=say("column.row", "row"), column_title=dimension)

    def square(name: str, values: np.ndarray, **options) -> RowMatrix:
        titles = say("axis.query", "query"), say("axis.key", "key")
        return RowMatrix(name, values, kind, queries, keys, *titles, **options)

    root = math.sqrt(steps.queries.shape[1])
    scale = float(np.abs(steps.scores).max())
    if step == 0:
        of_queries = projection == "query"
        stream = steps.inputs.query_input if of_queries else steps.inputs.key_input
        letter = LETTERS[projection]
        labels = queries if of_queries else keys
        result = {"query": steps.queries, "key": steps.keys, "value": steps.values}[projection]
        return [
            vectors("X", stream, labels),
            "\u00d7",
            weight(f"W{letter.lower()}", projection),
            "+ b =",
            vectors(letter, result, labels),
        ]
    if step == 1:
        return [
            vectors("Q", steps.queries, queries),
            "\u00d7",
            RowMatrix("K\u1d40", steps.keys.T, kind, columns=keys, row_title=dimension, column_title=token),
            "=",
            square("Q K\u1d40", steps.products),
        ]
    if step == 2:
        sign = f"\u00f7 \u221a{steps.queries.shape[1]} = {three_digits(root)} \u2192"
        return [square("Q K\u1d40", steps.products), sign, square(say("inside.scores", "Scores"), steps.scores)]
    hidden = say("matrix.masked", "masked")
    name = say("inside.masked", "Masked scores")
    masked = square(name, steps.masked_scores, top=scale, masked=("\u2212\u221e", hidden))
    if step == 3:
        sign = say("inside.sign.mask", "mask \u2192")
        return [square(say("inside.scores", "Scores"), steps.scores), sign, masked]
    weights = np.where(np.isneginf(steps.masked_scores), np.float32(-np.inf), steps.weights)
    softmax = square(say("inside.weights", "Weights"), weights, signed=False, top=1.0, masked=("0", hidden))
    if step == 4:
        return [masked, say("inside.sign.softmax", "softmax \u2192"), softmax]
    if step == 5:
        output = vectors(say("inside.output", "Output"), steps.output, queries)
        return [softmax, "\u00d7", vectors("V", steps.values, keys), "=", output]
    return [
        vectors(say("inside.all-heads", "All heads"), steps.concatenated, queries),
        "\u00d7",
        weight("Wo", "output"),
        "+ b =",
        vectors(say("inside.sublayer-output", "Sub-layer output"), steps.inputs.sublayer_output, queries),
    ]
