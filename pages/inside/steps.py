"""Multi-head attention in seven steps, each with its matrices and its check."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from model.lessons.layer_steps import STEPS, AttentionSteps
from pages.inside.chosen import Chosen, choose
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.runs import fragment
from views import maps
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, widgets
from views.export import downloads
from views.html import bars
from views.text import prose
from views.text.catalogue import Message, say
from views.text.numbers import three_digits

NAMES = {  # in the order of `STEPS`
    "projections": Message("inside.step.projections", "1 Q, K, V"),
    "products": Message("inside.step.products", "2 Q K\u1d40"),
    "scores": Message("inside.step.scores", "3 \u00f7 \u221ad\u2096"),
    "masked": Message("inside.step.masked", "4 Mask"),
    "weights": Message("inside.step.weights", "5 Softmax"),
    "output": Message("inside.step.output", "6 \u00d7 V"),
    "sublayer-output": Message("inside.step.sublayer-output", "7 Concat, W\u2092"),
}
LETTERS = {"query": "Q", "key": "K", "value": "V"}


@fragment
def show(request: Request) -> None:
    """One step at a time. Choosing runs only this part again."""
    with st.container(horizontal=True, gap="medium"):
        chosen = choose(request)
    names = {id: called() for id, called in NAMES.items()}
    id = widgets.pick(say("inside.step", "Step"), names, "step", hidden=True)
    step = list(NAMES).index(id)
    steps = chosen.steps()
    text = prose.block("inside", f"step-{id}", d_k=steps.queries.shape[1], place=chosen.place)
    st.markdown(f"{text}\n\n{prose.block('inside', f'formula-{id}')}")
    projection = ""
    with st.container():  # keeps its place, so that nothing below it moves with the step
        if step == 0:
            projections = {
                "query": say("inside.projection.query", "Query"),
                "key": say("inside.projection.key", "Key"),
                "value": say("inside.projection.value", "Value"),
            }
            label = say("inside.projection", "Projection")
            projection = widgets.pick(label, projections, "projection", hidden=True)
    items = picture(step, steps, chosen, projection)
    matrix_row(items, inputs.theme(), "matrices", inputs.remember_theme)
    difference = checks.said("attention step", steps.differences[STEPS[step]])
    st.caption(prose.block("inside", "check-step", difference=difference))
    result = next(item for item in reversed(items) if isinstance(item, RowMatrix))
    with st.container(horizontal=True):
        title = say("inside.step.title", "{step}: {place}", step=names[id], place=chosen.place)
        files.matrices(items, title, f"{chosen.kind.name}-{id}")
        label = say("inside.step.csv", "{matrix} as CSV", matrix=result.name)
        files.download(label, lambda: _csv(result), f"{chosen.kind.name}-{id}.csv")
        files.download(
            say("inside.steps.npz", "All matrices as NPZ"), lambda: _npz(steps), f"{chosen.kind.name}-steps.npz"
        )
    header, lines = _axes(result)
    files.numbers(lambda: files.table(result.values, header[1:], lines, header[0]), "steps_table")
    titles = (say("column.step", "step"), say("column.result", "result"), say("column.difference", "difference"))
    st.html(bars.table(titles, overview(steps), say("inside.steps.table", "All seven steps"), marked=step))


def picture(step: int, steps: AttentionSteps, chosen: Chosen, projection: str) -> list[RowMatrix | str]:
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


def overview(steps: AttentionSteps) -> list[list[bars.Value]]:
    """Every step with the shape of its result and its difference."""
    pairs = " \u00d7 ".join(map(str, steps.scores.shape))
    shapes = [
        ", ".join(" \u00d7 ".join(map(str, part.shape)) for part in (steps.queries, steps.keys, steps.values)),
        *(pairs,) * 4,
        " \u00d7 ".join(map(str, steps.output.shape)),
        " \u00d7 ".join(map(str, steps.inputs.sublayer_output.shape)),
    ]
    return [
        [name(), bars.data(shape, "number"), steps.differences[step]]
        for name, shape, step in zip(NAMES.values(), shapes, STEPS, strict=True)
    ]


def _csv(result: RowMatrix) -> bytes:
    header, names = _axes(result)
    lines = zip(names, result.values, strict=True)
    return downloads.table_csv(header, ([name, *map(float, line)] for name, line in lines))


def _axes(result: RowMatrix) -> tuple[list[str], list[str]]:
    """The header of a table of the result, with what stands above the rows' names, and these names."""
    columns = maps.numbered(result.columns) or list(map(str, range(result.values.shape[1])))
    return [f"{result.row_title} \\ {result.column_title}", *columns], maps.numbered(result.rows)


def _npz(steps: AttentionSteps) -> bytes:
    names = ("queries", "keys", "values", "products", "scores", "masked_scores", "weights", "output", "concatenated")
    arrays = {name: getattr(steps, name) for name in names}
    for name, (weight, bias) in steps.projections.items():
        arrays |= {f"{name}_weight": weight, f"{name}_bias": bias}
    streams = {name: getattr(steps.inputs, name) for name in ("query_input", "key_input", "sublayer_output")}
    return downloads.arrays_npz(**streams, **arrays)
