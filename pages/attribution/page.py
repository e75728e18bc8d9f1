"""Attribution: which source words a target word needs, by five methods, compared with leave-one-out."""

import numpy as np
import streamlit as st

from model import Trace
from model.attribution.agreement import METHODS
from model.attribution.leave_one_out import Way
from pages.attribution.attribution_scores import (
    NAMES,
    SOURCE_WORD,
    AttributionScores,
    compute_scores,
    method_name,
    run_checks,
    short_name,
)
from pages.attribution.method_agreement import render_agreement
from pages.shared import checks, code_values, files, tables
from pages.shared.code import render_program
from pages.shared.coreference_example import render_coreference
from pages.shared.fragments import fragment
from pages.shared.page_header import Request, render_translation_page
from pages.shared.texts import block, caption, how_to_read, paragraph
from views import attention_maps
from views.components.attention_map import attention_map
from views.components.matrix_row import RowMatrix
from views.controls import widgets
from views.html import bars, decoding_steps, generated_tokens
from views.text import literal
from views.text.catalogue import Message, say

SCALES = {
    "by-largest": Message("attribution.scale.by-largest", "Each row by its largest"),
    "as-they-are": Message("attribution.scale.as-they-are", "As they are"),
}


def render_matrices(evidence: AttributionScores, place: int) -> None:
    """Render the matrices of one method and of leave-one-out, side by side."""
    st.header(say("attribution.whole", "The whole sentence"), anchor=False)
    paragraph("attribution", "matrices")
    names = {id: name for id, (name, _) in NAMES.items()}
    chosen = widgets.pick(say("attribution.method", "Method"), names, "method_shown", "gradient")
    help = block("attribution", "scales")
    scaled = widgets.pick(say("attribution.scale", "Numbers"), SCALES, "numbers", help=help) == "by-largest"
    method = dict(zip(NAMES, METHODS, strict=True))[chosen]
    scores, drops = evidence.explained.scores[method], evidence.drops  # (target word, source word)
    if scaled:
        scores, drops = scale_rows(scores), scale_rows(drops)
    rows, columns = ([literal.visible(word) for word in words] for words in (evidence.target, evidence.source))
    axes = rows, columns, say("attribution.row", "target word"), SOURCE_WORD()
    strongest, largest_drop = ((place, int(table[place].argmax())) for table in (scores, drops))
    title = say("attribution.matrix", "Leave-one-out: drop of ln p")
    items = [
        RowMatrix(method_name(method), scores, "cross", *axes, signed=False, cursor=strongest),
        RowMatrix(title, drops, "cross", *axes, cursor=largest_drop),
    ]
    attention_map(items, "matrices", per_row=2)
    with st.container(horizontal=True):
        files.matrices(items, say("attribution.title", "Attribution of each target word"), "attribution")


def scale_rows(matrix: np.ndarray) -> np.ndarray:
    """Divide each row by its largest absolute number; a row of zeros stays."""
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    return matrix / np.where(largest > 0, largest, 1)


ERASURES: dict[Way, Message] = {
    "delete": Message("attribution.way.delete", "Deleting it"),
    "mask": Message("attribution.way.mask", "Masking it"),
}


def render(request: Request, trace: Trace) -> None:
    """Render the page below the translation."""
    render_coreference(request, trace.target_text)
    explore(request, trace)
    how_to_read(*(block("attribution", text) for text in ("methods", "leave-one-out", "why-they-disagree")))


@fragment
def explore(request: Request, trace: Trace) -> None:
    """Choosing a word, a way to leave words out or a method reruns only this fragment."""
    with st.container(horizontal=True, gap="medium"):
        way = widgets.pick(say("attribution.way", "Leave a source word out by"), ERASURES, "erase")
        slot = st.container(width=320)
    evidence = compute_scores(request, trace, way)
    with slot:
        label, words = say("attribution.target-word", "Target word"), attention_maps.token_options(evidence.target)
        place = int(widgets.select(label, words, "target_word")) - 1
    left, right = st.columns([4, 3], gap="medium")
    with left:
        render_word(evidence, place)
    with right:
        render_agreement(request, evidence, place, way)
    render_matrices(evidence, place)
    rolled, gradient = run_checks(request, evidence)
    caption(
        "attribution",
        "check",
        nothing=checks.format_difference("nothing erased", evidence.left_out.nothing),
        word=literal.markdown(literal.token(evidence.source[evidence.left_out.checked])),
        alone=checks.format_difference("erased alone", evidence.left_out.alone),
        rows=checks.format_difference("row sums", evidence.explained.rollout.row_sum_error),
        rolled=checks.format_difference("rollout", rolled),
        layer=gradient.layer + 1,
        head=gradient.head + 1,
        gradient=gradient.gradient,
        slope=gradient.slope,
        apart=checks.format_difference("slope of ln p", gradient.relative_difference),
        batch=checks.format_difference("relevance in a batch", gradient.relevance),
    )
    with st.container(horizontal=True):
        one, every = say("attribution.csv", "This word as CSV"), say("attribution.npz", "Everything as NPZ")
        drop = say("attribution.drop", "drop of ln p")
        files.csv(
            *tables.header_and_rows(evidence.columns_of_word(place, method_name, drop)),
            f"attribution-word-{place + 1}",
            one,
        )
        files.npz("attribution", lambda: evidence.arrays(way), every)
    render_programs(request, evidence, place, way)


def render_programs(request: Request, evidence: AttributionScores, place: int, way: Way) -> None:
    """Render programs for the chosen word: leave-one-out and three methods, the other two, the rank correlation."""
    word = evidence.explained.target[place]
    words = tuple((each.start, each.end) for each in evidence.explained.source)
    values = code_values.sentence(request) | {"words": words, "word": (word.start, word.end)}
    render_program("attribution", "attribution", **values, way=way)
    render_program("attribution", "rollout", say("attribution.rollout.code", "Rollout in PyTorch"), **values)
    title = say("attribution.relevance.code", "Gradient relevance in PyTorch")
    render_program("attribution", "relevance", title, **values)
    row = lambda matrix: tuple(matrix[place, evidence.columns].tolist())  # noqa: E731
    scores = {id: row(evidence.explained.scores[method]) for id, method in zip(NAMES, METHODS, strict=True)}
    title = say("attribution.agreement.code", "The rank correlation in PyTorch")
    render_program("attribution", "agreement", title, drops=row(evidence.drops), scores=scores)


def render_word(evidence: AttributionScores, place: int) -> None:
    """Render the leave-one-out scores of the chosen word as a strip, and the scores of every method as bars."""
    word = literal.visible(literal.token(evidence.target[place]))
    label = say(
        "attribution.drops",
        "Leave-one-out for \u201c{word}\u201d: by how much its ln p falls without each source word",
        word=word,
    )
    st.html(
        generated_tokens.label(label)
        + decoding_steps.weighted_tokens(evidence.source, [float(drop) for drop in evidence.drops[place]])
    )
    columns = evidence.columns_of_word(place, short_name, say("attribution.left-out", "left out: drop of ln p"))
    name = say("attribution.table", "Source words by every method, for {word}", word=word)
    title = say("attribution.bars", "The same by every method; each column\u2019s longest bar is its largest number")
    tables.render_table(columns, name, label=title)


render_translation_page("attribution", render, bars.STYLE + decoding_steps.STYLE)
