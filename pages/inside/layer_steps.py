"""Multi-head attention in seven steps, each with its matrices and its check."""

import math
from functools import partial

import numpy as np
import streamlit as st

from model.lessons.layer_steps import STEPS, AttentionSteps
from pages.inside.chosen_head import ChosenHead, choose_head
from pages.shared import checks, files, tables
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.texts import block, fold_check, paragraph
from views import map_labels
from views.components.matrix_row import Operation, RowMatrix, matrix_row
from views.components.player import player
from views.controls import widgets
from views.export import downloads
from views.text import terms
from views.text.catalogue import Message, Untranslated, say
from views.text.numbers import three_digits
from views.url_state import bound_settings

STEP_LABELS = {  # in the order of `STEPS`
    "projections": Message("inside.step.projections", "1 Q, K, V"),
    "products": Message("inside.step.products", "2 Q K\u1d40"),
    "scores": Message("inside.step.scores", "3 \u00f7 \u221ad\u2096"),
    "masked": Message("inside.step.masked", "4 Mask"),
    "weights": Message("inside.step.weights", "5 Softmax"),
    "output": Message("inside.step.output", "6 \u00d7 V"),
    "sublayer-output": Message("inside.step.sublayer-output", "7 Concat, W\u2092"),
}
MADE_FROM: dict[str, Operation] = {  # how the result of a step comes from its other matrices
    "projections": "product",
    "products": "product",
    "scores": "each",
    "masked": "each",
    "weights": "softmax",
    "output": "product",
    "sublayer-output": "product",
}
PROJECTIONS = {
    "query": Message("inside.projection.query", "Query"),
    "key": Message("inside.projection.key", "Key"),
    "value": Message("inside.projection.value", "Value"),
}
LETTERS = {"query": "Q", "key": "K", "value": "V"}
RESULT_FIELDS = (
    "queries",
    "keys",
    "values",
    "products",
    "scores",
    "masked_scores",
    "weights",
    "output",
    "concatenated",
)


@fragment
def render(request: Request) -> None:
    """Show one step at a time. A choice reruns only this section."""
    with st.container(horizontal=True, gap="medium"):
        chosen = choose_head(request)
    with st.container(horizontal=True, vertical_alignment="center"):
        id = widgets.pick(say("inside.step", "Step"), STEP_LABELS, "step", hidden=True)
        player()
    step = list(STEP_LABELS).index(id)
    steps = chosen.steps()
    text = block("inside", f"step-{id}", d_k=steps.queries.shape[1], place=chosen.heading)
    st.markdown(text)
    with st.container(key="formula"):  # shown also where prose is hidden
        paragraph("inside", f"formula-{id}")
    if step == 0:
        label = say("inside.without-projections", "The same without W^Q and W^K: x against x")
        query = bound_settings.shared_query() | {"part": "without-projections"}
        st.page_link("pages/history/page.py", label=label, query_params=query)
    projection = ""
    with st.container():  # present at every step, so that nothing below it moves
        if step == 0:
            label = say("inside.projection", "Projection")
            projection = widgets.pick(label, PROJECTIONS, "projection", hidden=True)
    items = step_matrices(step, steps, chosen, projection)
    matrix_row(items, "matrices", operation=MADE_FROM[id])
    fold_check(
        "inside", "check-step", difference=checks.format_difference("attention step", steps.differences[STEPS[step]])
    )
    result = next(item for item in reversed(items) if isinstance(item, RowMatrix))
    columns = map_labels.numbered(result.columns) or list(map(str, range(result.values.shape[1])))
    names, corner = map_labels.numbered(result.rows), f"{result.row_title} \\ {result.column_title}"
    name = f"{chosen.kind.name}-{id}"
    with st.container(horizontal=True):
        title = say("inside.step.title", "{step}: {place}", step=STEP_LABELS[id](), place=chosen.label)
        files.matrices(items, title, name)
        label = say("inside.step.csv", "{matrix} as CSV", matrix=result.name)
        table = partial(_table, chosen, result, [corner, *columns])
        files.download(label, lambda: downloads.table_csv(*table()), f"{name}.csv")
        streams = {name: getattr(steps.inputs, name) for name in ("query_input", "key_input", "sublayer_output")}
        arrays = streams | {name: getattr(steps, name) for name in RESULT_FIELDS}
        for projected, (weight, bias) in steps.projections.items():
            arrays |= {f"{projected}_weight": weight, f"{projected}_bias": bias}
        files.npz(f"{chosen.kind.name}-steps", arrays, say("inside.steps.npz", "All matrices as NPZ"))
    files.folded_table(lambda: files.data_frame(result.values, columns, names, corner), "steps_table")
    pairs = steps.scores
    results: list[tuple[np.ndarray, ...]] = [(steps.queries, steps.keys, steps.values), *[(pairs,)] * 4]
    results += [(steps.output,), (steps.inputs.sublayer_output,)]
    weights, last = chosen.trace.attention(chosen.kind.name), chosen.layer + 1  # (layer, head, query, key)
    largest = weights.max(axis=-1).mean(axis=(1, 2))  # (layer,)
    result_values = (
        {"layer": last, "last": float(largest[-1]), "first": float(largest[0])} if last == len(largest) else None
    )
    render_experiment("inside-seven-steps", {"layer": str(len(largest))}, result_values)
    shapes = [", ".join(" \u00d7 ".join(map(str, array.shape)) for array in arrays) for arrays in results]
    summary = [
        tables.TableColumn(say("column.step", "step"), [name() for name in STEP_LABELS.values()]),
        tables.name_column(say("column.result", "result"), shapes, "number"),
        tables.TableColumn(say("column.difference", "difference"), [steps.differences[step] for step in STEPS]),
    ]
    tables.render_table(summary, say("inside.steps.table", "All seven steps"), marked=step)


def _table(chosen: ChosenHead, result: RowMatrix, header: list[str]) -> tuple[list[str], list[list[object]]]:
    """Return header and rows of a matrix for a file; rows of queries have the token that was chosen there, too."""
    names = map_labels.numbered(result.read or result.rows)
    rows = [[name, *map(float, line)] for name, line in zip(names, result.values, strict=True)]
    return downloads.with_chosen(header, rows, chosen.trace.chosen_at(chosen.kind.name) if result.read else ())


def step_matrices(step: int, steps: AttentionSteps, chosen: ChosenHead, projection: str) -> list[RowMatrix | str]:
    """Return the matrices of a step with the signs between them; the last matrix is its result."""
    queries, keys = chosen.axes
    kind, d_k = chosen.kind.name, steps.queries.shape[1]
    token, dimension = terms.TOKEN(), say("column.dimension", "dimension")
    languages = chosen.kind.languages

    def vectors(name: str, values: np.ndarray, tokens: tuple[str, ...]) -> RowMatrix:
        read, language = (chosen.read, languages[0]) if tokens is queries else ((), languages[1])
        sides = tokens, (), token, dimension
        return RowMatrix(name, values, kind, *sides, read=read, languages=(language, ""))

    def weight(name: str, projection: str) -> RowMatrix:
        values = steps.projections[projection].weight
        return RowMatrix(name, values, kind, row_title=terms.ROW(), column_title=dimension)

    def square(name: str, values: np.ndarray, **options) -> RowMatrix:
        sides = queries, keys, terms.QUERY(), terms.KEY()
        return RowMatrix(name, values, kind, *sides, **options, read=chosen.read, languages=languages)

    if step == 0:
        letter = LETTERS[projection]
        labels, stream = (
            (queries, steps.inputs.query_input) if projection == "query" else (keys, steps.inputs.key_input)
        )
        result = {"query": steps.queries, "key": steps.keys, "value": steps.values}[projection]
        matrix = weight(Untranslated(f"W{letter.lower()}")(), projection)
        return [vectors("X", stream, labels), "\u00d7", matrix, "+ b =", vectors(letter, result, labels)]
    products = square("Q K\u1d40", steps.products)
    if step == 1:
        sides = (), keys, dimension, token
        transposed = RowMatrix("K\u1d40", steps.keys.T, kind, *sides, languages=("", languages[1]))
        return [vectors("Q", steps.queries, queries), "\u00d7", transposed, "=", products]
    scores = square(say("inside.scores", "Scores"), steps.scores)
    if step == 2:
        return [products, f"\u00f7 \u221a{d_k} = {three_digits(math.sqrt(d_k))} \u2192", scores]
    hidden, top = say("matrix.masked", "masked"), float(np.abs(steps.scores).max())
    name = say("inside.masked", "Masked scores")
    masked = square(name, steps.masked_scores, top=top, masked=("\u2212\u221e", hidden))
    if step == 3:
        return [scores, say("inside.sign.mask", "mask \u2192"), masked]
    weights = np.where(np.isneginf(steps.masked_scores), np.float32(-np.inf), steps.weights)
    softmax = square(
        say("inside.weights", "Weights"), weights, signed=False, top=1.0, masked=("0", hidden), attends=True
    )
    if step == 4:
        return [masked, say("inside.sign.softmax", "softmax \u2192"), softmax]
    if step == 5:
        output = vectors(say("inside.output", "Output"), steps.output, queries)
        return [softmax, "\u00d7", vectors("V", steps.values, keys), "=", output]
    joined = vectors(say("inside.all-heads", "All heads"), steps.concatenated, queries)
    output = vectors(say("inside.sublayer-output", "Sub-layer output"), steps.inputs.sublayer_output, queries)
    return [joined, "\u00d7", weight("Wo", "output"), "+ b =", output]
