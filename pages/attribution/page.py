"""Attribution: which source words a target word needs, by five methods, compared with leave-one-out."""

from __future__ import annotations

import streamlit as st

from model import Trace
from model.attribution.agreement import METHODS
from pages.attribution.evidence import SOURCE_WORD, Evidence, gather, name, recomputed, short
from pages.attribution.matrices import whole_sentence
from pages.attribution.verdict import verdict
from pages.shared import checks, files
from pages.shared.opening import Request, opening, translated
from pages.shared.runs import fragment
from pages.shared.texts import block, caption, how_to_read
from views import maps
from views.controls import widgets
from views.html import bars, steps, tokens
from views.text import literal
from views.text.catalogue import Message, say

WAYS = {
    "delete": Message("attribution.way.delete", "Deleting it"),
    "mask": Message("attribution.way.mask", "Masking it"),
}


def main() -> None:
    """Read the inputs, trace, show."""
    request = opening("attribution")
    if not request.accepted:
        return
    st.html(bars.STYLE + steps.STYLE)
    trace = request.trace()
    translated(trace)
    explore(request, trace)
    texts = block("attribution", "methods"), block("attribution", "leave-one-out")
    how_to_read(*texts, block("attribution", "why-they-disagree"))


@fragment
def explore(request: Request, trace: Trace) -> None:
    """Choosing a word, a way to leave words out or a method runs only this part again."""
    with st.container(horizontal=True, gap="medium"):
        way = widgets.pick(say("attribution.way", "Leave a source word out by"), WAYS, "erase")
        slot = st.container(width=320)
    found = gather(request, trace, way)
    with slot:
        label, words = say("attribution.target-word", "Target word"), maps.places(found.target)
        place = int(widgets.select(label, words, "target_word")) - 1
    left, right = st.columns([4, 3], gap="medium")
    with left:
        one_word(found, place)
    with right:
        verdict(request, found, place, way)
    whole_sentence(found, place)
    check_line(request, found)
    with st.container(horizontal=True):
        one, every = say("attribution.csv", "This word as CSV"), say("attribution.npz", "Everything as NPZ")
        header = [SOURCE_WORD(), say("attribution.drop", "drop of ln p"), *map(name, METHODS)]
        files.csv(header, lambda: found.rows(place), f"attribution-word-{place + 1}", one)
        files.npz("attribution", lambda: found.arrays(way), every)


def one_word(found: Evidence, place: int) -> None:
    """What leave-one-out says of the chosen word, as a strip, and every method beside it, as bars."""
    chosen = literal.visible(literal.token(found.target[place]))
    label = say(
        "attribution.drops",
        "Leave-one-out for \u201c{word}\u201d: by how much its ln p falls without each source word",
        word=chosen,
    )
    st.html(tokens.label(label) + steps.weights(found.source, [float(drop) for drop in found.drops[place]]))
    numbers = found.rows(place)
    largest = [max(abs(row[column]) for row in numbers) for column in range(1, len(METHODS) + 2)]
    header = [SOURCE_WORD(), say("attribution.left-out", "left out: drop of ln p"), *map(short, METHODS)]
    table = [
        [bars.data(word, "token"), *(bars.bar(value, top, "cross") for value, top in zip(row, largest, strict=True))]
        for word, *row in numbers
    ]
    title = say("attribution.bars", "The same by every method; each column\u2019s longest bar is its largest number")
    described = say("attribution.table", "Source words by every method, for {word}", word=chosen)
    st.html(tokens.label(title) + bars.table(header, table, described))


def check_line(request: Request, found: Evidence) -> None:
    """The checks, with their measured differences."""
    rolled, gradient = recomputed(request, found)
    caption(
        "attribution",
        "check",
        nothing=checks.said("nothing erased", found.left_out.nothing),
        word=literal.markdown(literal.token(found.source[found.left_out.checked])),
        alone=checks.said("erased alone", found.left_out.alone),
        rows=checks.said("row sums", found.explained.rollout.row_sum_error),
        rolled=checks.said("rollout", rolled),
        layer=gradient.layer + 1,
        head=gradient.head + 1,
        gradient=gradient.gradient,
        slope=gradient.slope,
        apart=checks.said("slope of ln p", gradient.relative_difference),
        batch=checks.said("relevance in a batch", gradient.relevance),
    )


main()
