"""Which source words does a target word rest on? Attention, rollout and gradients, judged by erasing each word."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import Trace
from model.attribution.agreement import METHODS
from pages.attribution.evidence import SHORT, Evidence, gather, recomputed
from pages.attribution.verdict import verdict
from pages.shared import checks, files
from pages.shared.opening import Request, opening
from pages.shared.runs import fragment
from views import maps
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, widgets
from views.html import bars, steps, tokens
from views.text import literal, prose
from views.text.numbers import three_digits

WAYS = {"Deleting it": "delete", "Hiding it": "mask"}
SCALES = ("Each row by its largest", "As they are")
TEXTS = ("The methods", "Erasing", "Why they disagree")


def main() -> None:
    """Read the inputs, trace, show."""
    request = opening("attribution")
    if not request.accepted:
        return
    st.html(bars.STYLE + steps.STYLE)
    trace = request.trace()
    st.html(tokens.label("Translation") + tokens.sentence(trace.target_text, "fr"))
    explore(request, trace)
    st.subheader("How to read it", anchor=False)
    for column, heading in zip(st.columns(len(TEXTS), gap="large"), TEXTS, strict=True):
        column.markdown(prose.block("attribution", heading))


@fragment
def explore(request: Request, trace: Trace) -> None:
    """Choosing a word, a way of erasing or a method runs only this part again."""
    with st.container(horizontal=True, gap="medium"):
        way = WAYS[widgets.pick("Erase a source word by", tuple(WAYS), "erase")]
        slot = st.container(width=320)
    found = gather(request, trace, way)
    names = maps.numbered(found.target)
    with slot:
        place = names.index(widgets.select("Target word", names, "target_word"))
    left, right = st.columns([4, 3], gap="medium")
    with left:
        one_word(found, place)
    with right:
        verdict(request, found, place, way)
    whole_sentence(found, place)
    check_line(request, found)
    with st.container(horizontal=True):
        files.download("This word as CSV", lambda: found.csv(place), f"rests-on-word-{place + 1}.csv")
        files.download("Everything as NPZ", lambda: found.npz(way), "rests-on.npz")


def one_word(found: Evidence, place: int) -> None:
    """What erasing says of the chosen word, as a strip, and every method beside it, as bars."""
    chosen = literal.visible(literal.token(found.target[place]))
    said = f"What \u201c{chosen}\u201d rests on: by how much its ln p falls without each source word"
    st.html(tokens.label(said) + steps.weights(found.source, [float(drop) for drop in found.drops[place]]))
    numbers = found.rows(place)
    largest = [max(abs(row[column]) for row in numbers) for column in range(1, len(METHODS) + 2)]
    header = ["source word", "erased: drop of ln p", *SHORT.values()]
    table = [
        [row[0], *(bars.bar(value, top, "cross") for value, top in zip(row[1:], largest, strict=True))]
        for row in numbers
    ]
    st.html(
        tokens.label("The same by every method; each column\u2019s longest bar is its largest number")
        + bars.table(header, table, f"Source words by every method, for {chosen}")
    )


def whole_sentence(found: Evidence, place: int) -> None:
    """The matrices of one method and of erasing, side by side."""
    st.subheader("The whole sentence", anchor=False)
    st.markdown(prose.block("attribution", "Matrices"))
    method = widgets.pick("Method", METHODS, "method_shown", METHODS[-1])
    scaled = widgets.pick("Numbers", SCALES, "numbers", help=prose.block("attribution", "Scales")) == SCALES[0]
    scores, drops = found.explained.scores[method], found.drops  # (target word, source word)
    if scaled:
        scores, drops = by_largest(scores), by_largest(drops)
    axes = {
        "kind": "cross",
        "rows": [literal.visible(word) for word in found.target],
        "columns": [literal.visible(word) for word in found.source],
    }
    items = [
        RowMatrix(method, scores, signed=False, cursor=(place, int(scores[place].argmax())), **axes),
        RowMatrix("Erasing: drop of ln p", drops, cursor=(place, int(drops[place].argmax())), **axes),
    ]
    matrix_row(items, inputs.theme(), "matrices", inputs.remember_theme, beside=2)
    with st.container(horizontal=True):
        files.matrices(items, "What each target word rests on", "rests-on")
    files.numbers(
        lambda: files.table(
            scores, maps.numbered(found.source), maps.numbered(found.target), "target word \\ source word"
        ),
        "rests_table",
    )


def by_largest(matrix: np.ndarray) -> np.ndarray:
    """Each row divided by its largest number, whatever its sign; a row of zeros stays."""
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    return matrix / np.where(largest > 0, largest, 1)


def check_line(request: Request, found: Evidence) -> None:
    """The checks, with their measured differences."""
    rolled, gradient = recomputed(request, found)
    st.caption(
        prose.block("attribution", "Proof").format(
            nothing=checks.said("nothing erased", found.left_out.nothing),
            word=literal.markdown(literal.token(found.source[found.left_out.checked])),
            alone=checks.said("erased alone", found.left_out.alone),
            rows=checks.said("row sums", found.explained.rollout.row_sum_error),
            rolled=checks.said("rollout", rolled),
            layer=gradient.layer + 1,
            head=gradient.head + 1,
            gradient=three_digits(gradient.gradient),
            slope=three_digits(gradient.slope),
            apart=checks.said("slope of ln p", gradient.relative_difference),
            batch=checks.said("relevance in a batch", gradient.relevance),
        )
    )


main()
