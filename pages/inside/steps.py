"""Multi-head attention in seven steps, each with its matrices and its check."""

from __future__ import annotations

import streamlit as st

from model.lessons.layer_steps import STEPS, AttentionSteps
from pages.inside import matrices
from pages.inside.chosen import choose
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

NAMES = {  # in the order of `STEPS`
    "projections": Message("inside.step.projections", "1 Q, K, V"),
    "products": Message("inside.step.products", "2 Q K\u1d40"),
    "scores": Message("inside.step.scores", "3 \u00f7 \u221ad\u2096"),
    "masked": Message("inside.step.masked", "4 Mask"),
    "weights": Message("inside.step.weights", "5 Softmax"),
    "output": Message("inside.step.output", "6 \u00d7 V"),
    "sublayer-output": Message("inside.step.sublayer-output", "7 Concat, W\u2092"),
}


@fragment
def show(request: Request) -> None:
    """One step at a time. Choosing runs only this part again."""
    with st.container(horizontal=True, gap="medium"):
        chosen = choose(request)
    names = {id: called() for id, called in NAMES.items()}
    id = widgets.pick(say("inside.step", "Step"), names, "step", hidden=True)
    step = list(NAMES).index(id)
    steps = chosen.steps()
    text = prose.block("inside", f"step-{id}", d_k=steps.queries.shape[1], place=chosen.heading)
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
    items = matrices.of_step(step, steps, chosen, projection)
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
