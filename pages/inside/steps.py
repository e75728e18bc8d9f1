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
from views.text.numbers import three_digits

NAMES = ("1 Q, K, V", "2 Q K\u1d40", "3 \u00f7 \u221ad\u2096", "4 Mask", "5 Softmax", "6 \u00d7 V", "7 Concat, W\u2092")
PROJECTIONS = {"Query": "query", "Key": "key", "Value": "value"}


@fragment
def show(request: Request) -> None:
    """One step at a time. Choosing runs only this part again."""
    with st.container(horizontal=True, gap="medium"):
        chosen = choose(request)
    name = widgets.pick("Step", NAMES, "step", hidden=True)
    step = NAMES.index(name)
    steps = chosen.steps()
    text = prose.block("inside", STEPS[step]).format(d_k=steps.queries.shape[1], place=chosen.place)
    st.markdown(f"{text}\n\n{prose.block('inside', f'{STEPS[step]}, formula')}")
    projection = ""
    with st.container():  # keeps its place, so that nothing below it moves with the step
        if step == 0:
            projection = PROJECTIONS[widgets.pick("Projection", tuple(PROJECTIONS), "projection", hidden=True)]
    items = picture(step, steps, chosen, projection)
    matrix_row(items, inputs.theme(), "matrices", inputs.remember_theme)
    difference = checks.said("attention step", steps.differences[STEPS[step]])
    st.caption(prose.block("inside", "Proof of a step").format(difference=difference))
    result = next(item for item in reversed(items) if isinstance(item, RowMatrix))
    with st.container(horizontal=True):
        files.matrices(items, f"{name}: {chosen.place}", f"{chosen.kind.name}-{STEPS[step]}")
        files.download(f"{result.name} as CSV", lambda: _csv(result), f"{chosen.kind.name}-{STEPS[step]}.csv")
        files.download("All matrices as NPZ", lambda: _npz(steps), f"{chosen.kind.name}-steps.npz")
    header, names = _axes(result)
    files.numbers(lambda: files.table(result.values, header[1:], names, header[0]), "steps_table")
    st.html(bars.table(("step", "result", "difference"), overview(steps), "All seven steps", marked=step))


def picture(step: int, steps: AttentionSteps, chosen: Chosen, projection: str) -> list[RowMatrix | str]:
    """The matrices of a step with the signs between them; the last one is its result."""
    queries, keys = chosen.axes
    kind = chosen.kind.name

    def square(name: str, values: np.ndarray, **options) -> RowMatrix:
        return RowMatrix(name, values, kind, queries, keys, **options)

    root = math.sqrt(steps.queries.shape[1])
    scale = float(np.abs(steps.scores).max())
    if step == 0:
        of_queries = projection == "query"
        stream = steps.inputs.query_input if of_queries else steps.inputs.key_input
        letter = projection[0].upper()
        labels = queries if of_queries else keys
        result = {"query": steps.queries, "key": steps.keys, "value": steps.values}[projection]
        return [
            RowMatrix("X", stream, kind, labels, column_title="dimension"),
            "\u00d7",
            RowMatrix(f"W{letter.lower()}", steps.projections[projection].weight, kind, column_title="dimension"),
            "+ b =",
            RowMatrix(letter, result, kind, labels, column_title="dimension"),
        ]
    if step == 1:
        return [
            RowMatrix("Q", steps.queries, kind, queries, column_title="dimension"),
            "\u00d7",
            RowMatrix("K\u1d40", steps.keys.T, kind, columns=keys, row_title="dimension"),
            "=",
            square("Q K\u1d40", steps.products),
        ]
    if step == 2:
        sign = f"\u00f7 \u221a{steps.queries.shape[1]} = {three_digits(root)} \u2192"
        return [square("Q K\u1d40", steps.products), sign, square("Scores", steps.scores)]
    masked = square("Masked scores", steps.masked_scores, top=scale)
    if step == 3:
        return [square("Scores", steps.scores), "mask \u2192", masked]
    weights = np.where(np.isneginf(steps.masked_scores), np.float32(-np.inf), steps.weights)
    softmax = square("Weights", weights, signed=False, top=1.0, masked=("0", "masked"))
    if step == 4:
        return [masked, "softmax \u2192", softmax]
    if step == 5:
        value = RowMatrix("V", steps.values, kind, keys, column_title="dimension")
        return [
            softmax,
            "\u00d7",
            value,
            "=",
            RowMatrix("Output", steps.output, kind, queries, column_title="dimension"),
        ]
    return [
        RowMatrix("All heads", steps.concatenated, kind, queries, column_title="dimension"),
        "\u00d7",
        RowMatrix("Wo", steps.projections["output"].weight, kind, column_title="dimension"),
        "+ b =",
        RowMatrix("Written", steps.inputs.sublayer_output, kind, queries, column_title="dimension"),
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
    return [[name, shape, steps.differences[step]] for name, shape, step in zip(NAMES, shapes, STEPS, strict=True)]


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
