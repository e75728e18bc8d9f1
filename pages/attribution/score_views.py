"""Views of attribution scores: one target word by every method, and the matrices of the whole sentence."""

import numpy as np
import streamlit as st

from model.attribution.integrated_source import INTEGRATED
from pages.attribution.attribution_scores import NAMES, SOURCE_WORD, AttributionScores, method_name, short_name
from pages.shared import files, tables
from pages.shared.texts import block, paragraph
from views.components.linked_heatmaps import attention_map
from views.components.matrix_row import RowMatrix
from views.controls import widgets
from views.html import decoding_steps, generated_tokens
from views.text import literal
from views.text.catalogue import Message, say

SCALES = {
    "by-largest": Message("attribution.scale.by-largest", "Each row by its largest"),
    "as-they-are": Message("attribution.scale.as-they-are", "As they are"),
}


def render_word(evidence: AttributionScores, place: int) -> None:
    """Render the leave-one-out scores of the chosen word as a strip, and the scores of every method as bars."""
    word = literal.visible(literal.token(evidence.target[place]))
    label = say(
        "attribution.drops",
        "Leave-one-out for “{word}”: decrease of its ln p without each source word",
        word=word,
    )
    st.html(
        generated_tokens.label(label)
        + decoding_steps.weighted_tokens(
            evidence.source, [float(drop) for drop in evidence.drops[place]], language="en"
        )
    )
    columns = evidence.columns_of_word(place, short_name, say("attribution.left-out", "left out: drop of ln p"))
    name = say("attribution.table", "Source words by every method, for {word}", word=word)
    title = say("attribution.bars", "The same by every method; each column\u2019s longest bar is its largest number")
    tables.render_table(columns, name, label=title)


def render_matrices(evidence: AttributionScores, place: int) -> None:
    """Render the matrices of one method and of leave-one-out, side by side."""
    st.header(say("attribution.whole", "The whole sentence"), anchor=False)
    paragraph("attribution", "matrices")
    names = {id: NAMES[id][0] for id in evidence.ids}
    chosen = widgets.pick(say("attribution.method", "Method"), names, "method_shown", "gradient")
    help = block("attribution", "scales")
    scaled = widgets.pick(say("attribution.scale", "Numbers"), SCALES, "numbers", help=help) == "by-largest"
    method = dict(zip(evidence.ids, evidence.methods, strict=True))[chosen]
    scores, drops = evidence.explained.scores[method], evidence.drops  # (target word, source word)
    if scaled:
        scores, drops = scale_rows(scores), scale_rows(drops)
    rows, columns = ([literal.token(word) for word in words] for words in (evidence.target, evidence.source))
    axes = rows, columns, say("attribution.row", "target word"), SOURCE_WORD()
    strongest, largest_drop = ((place, int(table[place].argmax())) for table in (scores, drops))
    title = say("attribution.matrix", "Leave-one-out: drop of ln p")
    name, signed, languages = method_name(method), method == INTEGRATED, ("fr", "en")
    items = [
        RowMatrix(name, scores, "cross", *axes, signed=signed, cursor=strongest, languages=languages),
        RowMatrix(title, drops, "cross", *axes, cursor=largest_drop, languages=languages),
    ]
    attention_map(items, "matrices", per_row=2)
    with st.container(horizontal=True):
        files.matrices(items, say("attribution.title", "Attribution of each target word"), "attribution")


def scale_rows(matrix: np.ndarray) -> np.ndarray:
    """Divide each row by its largest absolute number; a row of zeros stays."""
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    return matrix / np.where(largest > 0, largest, 1)
