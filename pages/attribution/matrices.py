"""The whole sentence: the matrix of one method beside that of leave-one-out."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.attribution.agreement import METHODS
from pages.attribution.evidence import NAMES, SOURCE_WORD, Evidence, name
from pages.shared import files
from pages.shared.charts import matrices
from pages.shared.texts import block, paragraph
from views import maps
from views.components.matrix_row import RowMatrix
from views.controls import widgets
from views.text import literal
from views.text.catalogue import Message, say

SCALES = {
    "by-largest": Message("attribution.scale.by-largest", "Each row by its largest"),
    "as-they-are": Message("attribution.scale.as-they-are", "As they are"),
}


def whole_sentence(found: Evidence, place: int) -> None:
    """The matrices of one method and of leave-one-out, side by side."""
    st.subheader(say("attribution.whole", "The whole sentence"), anchor=False)
    paragraph("attribution", "matrices")
    names = {id: said for id, (said, _) in NAMES.items()}
    shown = widgets.pick(say("attribution.method", "Method"), names, "method_shown", "gradient")
    help = block("attribution", "scales")
    scaled = widgets.pick(say("attribution.scale", "Numbers"), SCALES, "numbers", help=help) == "by-largest"
    method = dict(zip(NAMES, METHODS, strict=True))[shown]
    scores, drops = found.explained.scores[method], found.drops  # (target word, source word)
    if scaled:
        scores, drops = by_largest(scores), by_largest(drops)
    axes = {
        "kind": "cross",
        "rows": [literal.visible(word) for word in found.target],
        "columns": [literal.visible(word) for word in found.source],
        "row_title": say("attribution.row", "target word"),
        "column_title": SOURCE_WORD(),
    }
    strongest, dropped = ((place, int(table[place].argmax())) for table in (scores, drops))
    drop = say("attribution.matrix", "Leave-one-out: drop of ln p")
    items = [
        RowMatrix(name(method), scores, signed=False, cursor=strongest, **axes),
        RowMatrix(drop, drops, cursor=dropped, **axes),
    ]
    matrices(items, "matrices", beside=2)
    with st.container(horizontal=True):
        files.matrices(items, say("attribution.title", "Attribution of each target word"), "attribution")
    columns, rows = maps.numbered(found.source), maps.numbered(found.target)
    corner = " \\ ".join((axes["row_title"], axes["column_title"]))
    files.numbers(lambda: files.table(scores, columns, rows, corner), "attribution_table")


def by_largest(matrix: np.ndarray) -> np.ndarray:
    """Each row divided by its largest number, whatever its sign; a row of zeros stays."""
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    return matrix / np.where(largest > 0, largest, 1)
