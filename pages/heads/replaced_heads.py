"""Heads replaced by zero, by their mean over a corpus, or by outputs from other sentences; and pairs of heads."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import streamlit as st

from model import Trace
from model.causal.head_replacement import SAMPLES, HeadAblation, HeadPlace, Replacement
from model.runtime.progress import InSteps
from pages.shared import checks, files, tables
from pages.shared.fragments import fragment
from pages.shared.service import Service
from pages.shared.texts import caption, fold_check, paragraph
from views.components.linked_heatmaps import attention_map
from views.components.matrix_row import RowMatrix
from views.controls import sentence_input, widgets
from views.text.catalogue import Message, say

REPLACEMENTS: dict[Replacement, Message] = {
    "zero": Message("heads.replaced.zero", "Zero"),
    "mean": Message("heads.replaced.mean", "Mean"),
    "resample": Message("heads.replaced.resample", "Other sentences"),
}


def replace_heads(service: Service, trace: Trace, replacement: Replacement) -> HeadAblation:
    """Replace every head, and pairs of those that matter most; cached."""

    def compute(model) -> InSteps[HeadAblation]:
        texts = [text for text in sentence_input.EXAMPLES if tuple(model.read_ids(text)) != trace.source_ids]
        others = [model.trace(text) for text in texts] if replacement == "resample" else ()
        return (yield from model.replace_heads_in_steps(trace, replacement, others=others))

    return service.analysis_in_steps(("heads replaced", trace.source_ids, trace.next_ids, replacement), compute)


@fragment
def render_replaced(service: Service, trace: Trace) -> None:
    """Render the choice of a replacement, and once there is one the heads that matter most, and their pairs."""
    st.header(say("heads.replaced", "Other replacements, and pairs"), anchor=False)
    paragraph("heads", "replaced")
    options: dict[Replacement | Literal["off"], str | Message] = {"off": say("heads.replaced.off", "Not computed")}
    for name, text in REPLACEMENTS.items():
        options[name] = text
    if service.model.head_means is None:
        options.pop("mean")
    chosen = widgets.pick(
        say("heads.replaced.by", "Replace the output of heads by"), options, "replacement", varies=True
    )
    if chosen == "off":
        return
    result = replace_heads(service, trace, chosen)
    names = sentence_input.kind_names(service.kinds)
    labels = [head_name(place, names) for place in result.leading]
    left, right = st.columns([2, 3], gap="large")
    with left:
        render_leading(result, labels)
    with right:
        what = say("heads.replaced.head", "head"), say("heads.replaced.other", "second head")
        pairs = RowMatrix(
            say("heads.replaced.pairs", "Change without both"), result.pairs, "decoder", labels, labels, *what
        )
        title = say("heads.replaced.interactions", "More than the sum of both")
        apart = RowMatrix(title, result.interactions, "decoder", labels, labels, *what)
        attention_map([pairs, apart], "replaced-pairs", per_row=2)
    inputs = service.model.head_means.inputs if chosen == "mean" else 0
    caption("heads", f"replaced-{chosen}", inputs=inputs, samples=SAMPLES, loss=result.reference)
    with st.container(horizontal=True):
        header, rows = all_rows(result)
        files.csv(header, rows, f"heads-{chosen}", say("heads.replaced.csv", "All heads as CSV"))
        arrays = {name: table.values for name, table in result.tables.items()}
        files.npz(f"heads-{chosen}", arrays, say("heads.replaced.npz", "Heads and pairs as NPZ"))
    fold_check("heads", "replaced-check", nothing=checks.format_difference("head by its own output", result.nothing))


def head_name(place: HeadPlace, names: Mapping[str, str]) -> str:
    """A head as in the list, such as "Cross 4.7"."""
    kind, layer, head = place
    return f"{names[kind]} {layer + 1}.{head + 1}"


def render_leading(result: HeadAblation, labels: list[str]) -> None:
    """Render the heads with the largest effects, strongest first."""
    effects = [float(result.effects[kind][layer, head]) for kind, layer, head in result.leading]
    largest = max(map(abs, effects))
    change = say("heads.replaced.change", "change of the loss")
    columns = [tables.name_column(say("column.head", "head"), labels), tables.bar_column(change, effects, largest)]
    if result.standard_errors is not None:
        errors = [float(result.standard_errors[kind][layer, head]) for kind, layer, head in result.leading]
        columns.append(tables.TableColumn(say("circuits.column.error", "standard error"), errors))
    title = say("heads.replaced.leading", "Heads whose replacement changes the loss most")
    tables.render_table(columns, title, label=title)


def all_rows(result: HeadAblation) -> tuple[list[str], list[list[object]]]:
    """All heads as rows of a table, below a header."""
    header = [
        say("column.kind", "kind"),
        say("column.layer", "layer"),
        say("column.head", "head"),
        say("heads.replaced.change", "change of the loss"),
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
