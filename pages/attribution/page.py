"""Attribution: which source words a target word needs, by five methods, compared with leave-one-out."""

from __future__ import annotations

import streamlit as st

from model import Trace
from model.attribution.agreement import METHODS
from pages.attribution import matrices
from pages.attribution.evidence import Evidence, gather, recomputed, short
from pages.attribution.verdict import verdict
from pages.shared import checks, files
from pages.shared.opening import Request, opening
from pages.shared.runs import fragment
from views import maps
from views.controls import widgets
from views.html import bars, steps, tokens
from views.text import literal, prose
from views.text.catalogue import Message, say
from views.text.numbers import three_digits

WAYS = {
    "delete": Message("attribution.way.delete", "Deleting it"),
    "mask": Message("attribution.way.mask", "Masking it"),
}
TEXTS = ("methods", "leave-one-out", "why-they-disagree")


def main() -> None:
    """Read the inputs, trace, show."""
    request = opening("attribution")
    if not request.accepted:
        return
    st.html(bars.STYLE + steps.STYLE)
    trace = request.trace()
    st.html(tokens.label(say("translation", "Translation")) + tokens.sentence(trace.target_text, "fr"))
    explore(request, trace)
    st.subheader(say("how-to-read", "How to read it"), anchor=False)
    for column, block in zip(st.columns(len(TEXTS), gap="large"), TEXTS, strict=True):
        column.markdown(prose.block("attribution", block))


@fragment
def explore(request: Request, trace: Trace) -> None:
    """Choosing a word, a way to leave words out or a method runs only this part again."""
    with st.container(horizontal=True, gap="medium"):
        label = say("attribution.way", "Leave a source word out by")
        way = widgets.pick(label, {way: said() for way, said in WAYS.items()}, "erase")
        slot = st.container(width=320)
    found = gather(request, trace, way)
    names = maps.numbered(found.target)
    with slot:
        words = {str(number): word for number, word in enumerate(names, 1)}
        place = int(widgets.select(say("attribution.target-word", "Target word"), words, "target_word")) - 1
    left, right = st.columns([4, 3], gap="medium")
    with left:
        one_word(found, place)
    with right:
        verdict(request, found, place, way)
    matrices.whole_sentence(found, place)
    check_line(request, found)
    with st.container(horizontal=True):
        one, every = say("attribution.csv", "This word as CSV"), say("attribution.npz", "Everything as NPZ")
        files.download(one, lambda: found.csv(place), f"attribution-word-{place + 1}.csv")
        files.download(every, lambda: found.npz(way), "attribution.npz")


def one_word(found: Evidence, place: int) -> None:
    """What leave-one-out says of the chosen word, as a strip, and every method beside it, as bars."""
    chosen = literal.visible(literal.token(found.target[place]))
    said = say(
        "attribution.drops",
        "Leave-one-out for \u201c{word}\u201d: by how much its ln p falls without each source word",
        word=chosen,
    )
    st.html(tokens.label(said) + steps.weights(found.source, [float(drop) for drop in found.drops[place]]))
    numbers = found.rows(place)
    largest = [max(abs(row[column]) for row in numbers) for column in range(1, len(METHODS) + 2)]
    header = [
        say("attribution.source-word", "source word"),
        say("attribution.left-out", "left out: drop of ln p"),
        *(short(method) for method in METHODS),
    ]
    table = [
        [
            bars.data(row[0], "token"),
            *(bars.bar(value, top, "cross") for value, top in zip(row[1:], largest, strict=True)),
        ]
        for row in numbers
    ]
    title = say("attribution.bars", "The same by every method; each column\u2019s longest bar is its largest number")
    described = say("attribution.table", "Source words by every method, for {word}", word=chosen)
    st.html(tokens.label(title) + bars.table(header, table, described))


def check_line(request: Request, found: Evidence) -> None:
    """The checks, with their measured differences."""
    rolled, gradient = recomputed(request, found)
    st.caption(
        prose.block(
            "attribution",
            "check",
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
