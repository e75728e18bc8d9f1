"""Heads replaced in other ways, and pairs of them: the ones that matter most, both matrices, files and the check."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from model.causal.head_replacement import HeadAblation, HeadPlace, Replacement
from pages.shared import files, tables
from views.components.linked_heatmaps import attention_map
from views.components.matrix_row import RowMatrix
from views.controls import widgets
from views.text.catalogue import Message, say

OFF = "off"
NAMES: dict[Replacement, Message] = {
    "zero": Message("heads.replaced.zero", "Zero"),
    "mean": Message("heads.replaced.mean", "Mean"),
    "resample": Message("heads.replaced.resample", "Other sentences"),
}


def choose_replacement(names: Mapping[Replacement, Message]) -> Replacement | None:
    """Render the choice of a replacement; None until the user chooses one."""
    options: dict[str, Message] = {OFF: Message("heads.replaced.off", "Not computed")}
    options |= {str(name): title for name, title in names.items()}
    label = say("heads.replaced.by", "Replace the output of heads by")
    chosen = widgets.pick(label, options, "replacement", varies=True)
    return next((name for name in names if name == chosen), None)


def render_replaced_heads(result: HeadAblation, names: Mapping[str, str], change: str, note: str) -> None:
    """Render a result.

    Args:
        names: kind of attention -> its name.
        change: what effects are, such as "change of the loss".
        note: by what heads were replaced, as Markdown.
    """
    labels = [head_name(place, names) for place in result.leading]
    left, right = st.columns([2, 3], gap="large")
    with left:
        _render_leading(result, labels, change)
    with right:
        what = say("heads.replaced.head", "head"), say("heads.replaced.other", "second head")
        pairs = RowMatrix(
            say("heads.replaced.pairs", "Change without both"), result.pairs, "decoder", labels, labels, *what
        )
        title = say("heads.replaced.interactions", "Change beyond the sum of both")
        apart = RowMatrix(title, result.interactions, "decoder", labels, labels, *what)
        attention_map([pairs, apart], "replaced-pairs", per_row=2)
    st.caption(note)
    with st.container(horizontal=True):
        header, rows = all_rows(result, change)
        name = f"heads-{result.replacement}"
        files.csv(header, rows, name, say("heads.replaced.csv", "All heads as CSV"))
        arrays = {table: each.values for table, each in result.tables.items()}
        files.npz(name, arrays, say("heads.replaced.npz", "Heads and pairs as NPZ"))


def head_name(place: HeadPlace, names: Mapping[str, str]) -> str:
    """A head as in the list, such as "Cross 4.7"."""
    kind, layer, head = place
    return f"{names[kind]} {layer + 1}.{head + 1}"


def _render_leading(result: HeadAblation, labels: list[str], change: str) -> None:
    """Render the heads with the largest effects, strongest first."""
    effects = [float(result.effects[kind][layer, head]) for kind, layer, head in result.leading]
    largest = max(map(abs, effects))
    columns = [tables.name_column(say("column.head", "head"), labels), tables.bar_column(change, effects, largest)]
    if result.standard_errors is not None:
        errors = [float(result.standard_errors[kind][layer, head]) for kind, layer, head in result.leading]
        columns.append(tables.TableColumn(say("circuits.column.error", "standard error"), errors))
    title = say("heads.replaced.leading", "Heads whose replacement matters most")
    tables.render_table(columns, title, label=title)


def all_rows(result: HeadAblation, change: str) -> tuple[list[str], list[list[object]]]:
    """All heads as rows of a table, below a header."""
    header = [
        say("column.kind", "kind"),
        say("column.layer", "layer"),
        say("column.head", "head"),
        change,
    ]
    if result.standard_errors is not None:
        header.append(say("circuits.column.error", "standard error"))
    rows: list[list[object]] = []
    for kind, values in result.effects.items():
        for layer, head in np.ndindex(*values.shape):
            row: list[object] = [kind, layer + 1, head + 1, float(values[layer, head])]
            if result.standard_errors is not None:
                row.append(float(result.standard_errors[kind][layer, head]))
            rows.append(row)
    return header, rows
