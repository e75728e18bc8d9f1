"""The whole sentence: the matrix of one method beside that of leave-one-out."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.attribution.evidence import BY_ID, NAMES, Evidence, name
from pages.shared import files
from views import maps
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, widgets
from views.text import literal, prose
from views.text.catalogue import Message, say

SCALES = {
    "by-largest": Message("attribution.scale.by-largest", "Each row by its largest"),
    "as-they-are": Message("attribution.scale.as-they-are", "As they are"),
}


def whole_sentence(found: Evidence, place: int) -> None:
    """The matrices of one method and of leave-one-out, side by side."""
    st.subheader(say("attribution.whole", "The whole sentence"), anchor=False)
    st.markdown(prose.block("attribution", "matrices"))
    names = {method: said() for method, (said, _) in NAMES.items()}
    method = BY_ID[widgets.pick(say("attribution.method", "Method"), names, "method_shown", "gradient")]
    scales = {scale: said() for scale, said in SCALES.items()}
    described = prose.block("attribution", "scales")
    scaled = widgets.pick(say("attribution.scale", "Numbers"), scales, "numbers", help=described) == "by-largest"
    scores, drops = found.explained.scores[method], found.drops  # (target word, source word)
    if scaled:
        scores, drops = by_largest(scores), by_largest(drops)
    axes = {
        "kind": "cross",
        "rows": [literal.visible(word) for word in found.target],
        "columns": [literal.visible(word) for word in found.source],
        "row_title": say("attribution.row", "target word"),
        "column_title": say("attribution.source-word", "source word"),
    }
    items = [
        RowMatrix(name(method), scores, signed=False, cursor=(place, int(scores[place].argmax())), **axes),
        RowMatrix(
            say("attribution.matrix", "Leave-one-out: drop of ln p"),
            drops,
            cursor=(place, int(drops[place].argmax())),
            **axes,
        ),
    ]
    corner = " \\ ".join((axes["row_title"], axes["column_title"]))
    matrix_row(items, inputs.theme(), "matrices", inputs.remember_theme, beside=2)
    with st.container(horizontal=True):
        files.matrices(items, say("attribution.title", "Attribution of each target word"), "attribution")
    files.numbers(
        lambda: files.table(scores, maps.numbered(found.source), maps.numbered(found.target), corner),
        "attribution_table",
    )


def by_largest(matrix: np.ndarray) -> np.ndarray:
    """Each row divided by its largest number, whatever its sign; a row of zeros stays."""
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    return matrix / np.where(largest > 0, largest, 1)
