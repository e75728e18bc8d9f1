"""The list of ranked heads, which opens the one that is clicked, with its numbers; and the scores of that head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from model.attribution.head_labels import DIFFUSE, HALF, SPREAD, TIMES
from pages.shared import files
from pages.shared.head_ranking.rows import ORDERS, PATTERNS, Found, Head, ordered, signed, words
from pages.shared.tables import Column, content
from pages.shared.texts import block, caption, how_to_read
from views.address import settings
from views.components.head_list import HeadList, HeadRow, head_list
from views.controls import widgets
from views.html import bars
from views.text import literal
from views.text.catalogue import say, say_error
from views.text.numbers import three_digits

FIRST = "first"


def arranged(heads: list[Head], sort: str, selects: str, only: str = "") -> tuple[list[Head], Head]:
    """Let the reader choose an order, by the setting `sort`, and a head, by `selects`; the list, and the head to open.

    Args:
        only: the kind that is listed; empty for all.
    """
    by = widgets.pick(say("ranking.order", "Sort by"), ORDERS, sort)
    options = {FIRST: say("ranking.first", "first in the list"), **{head.id: head.name for head in heads}}
    id = widgets.select(say("ranking.shown", "Head shown"), options, selects)
    listed = ordered([head for head in heads if only in ("", head.kind)], by)
    return listed, next((head for head in heads if head.id == id), listed[0])


@dataclass(frozen=True, eq=False)
class Listing:
    """What the list of a page is about.

    Attributes:
        found: statistics over many inputs, or why there are none.
        map_of: a head's map, `(query, key)`, or `(row, column)` over a picture.
        headings: of the column of maps, of the change, and of the label on this input.
        measured: names the change in tables.
        causal: kinds whose maps have a causal mask.
        underlay: picture below all maps, `(height, width, 3)` uint8; `opacity` is theirs over it.
        name: of the CSV, and told apart from other lists by it.
        selects: widget that holds the id of the head that is open.
    """

    found: Found
    map_of: Callable[[Head], np.ndarray]
    headings: tuple[str, str, str]
    measured: str
    name: str
    selects: str
    causal: frozenset[str] = frozenset()
    underlay: np.ndarray | None = None
    opacity: float = 1.0


def show(listing: Listing, listed: list[Head], opened: Head) -> None:
    """Draw the heads in their order; a click opens one, and the page runs again."""
    rows = [
        HeadRow(
            head.name,
            head.kind,
            head.change,
            signed(head.change),
            words(head.label),
            words(head.often),
            listing.map_of(head),
            head.kind in listing.causal,
        )
        for head in listed
    ]
    ids = {head.name: head.id for head in listed}
    columns, title = (*listing.headings, listing.found.heading), say("ranking.title", "Heads, ranked")
    head_list(
        HeadList(rows, columns, title, listing.underlay, listing.opacity),
        opened.name,
        key=f"{listing.name} ranking",
        on_select=lambda name: settings.choose(listing.selects, ids[name]),
    )
    if listing.found.problem:
        st.caption(literal.markdown(say_error(listing.found.problem)))
    header, lines = content(_columns(listing.measured, listed))
    key = f"{listing.name.replace('-', '_')}_table"
    files.sheet(header, lines, listing.name, say("heads.csv", "All heads as CSV"), key)


def _columns(change: str, heads: list[Head]) -> list[Column]:
    """All of it with all digits; `change` names what was measured here."""
    many, effects = [head.often for head in heads], [head.effect or (None, None) for head in heads]
    labels = ["" if label is None else PATTERNS[label.name]() for label in many]
    return [
        Column(say("column.head", "head"), [head.name for head in heads]),
        Column(change, [head.change for head in heads]),
        Column(say("column.label", "label"), [PATTERNS[head.label.name]() for head in heads]),
        Column(say("column.pattern", "pattern"), [PATTERNS[head.label.pattern]() for head in heads]),
        Column(say("column.score", "score"), [head.label.score for head in heads]),
        Column(say("ranking.uniform", "uniform attention"), [head.label.chance for head in heads]),
        Column(say("ranking.often.label", "label over many"), labels),
        Column(say("ranking.often.score", "score over many"), [label and label.score for label in many]),
        Column(say("ranking.often.change", "change of the loss over many"), [mean for mean, _ in effects]),
        Column(say("ranking.often.spread", "its standard deviation"), [spread for _, spread in effects]),
    ]


def scores(head: Head, found: Found) -> None:
    """Every pattern's score as a table, and what the head's ablation does over many inputs, where that is known."""
    header = [
        say("column.pattern", "pattern"),
        say("ranking.score", "score here"),
        say("ranking.uniform", "uniform attention"),
        say("ranking.times", "times uniform"),
    ]
    if found.statistics:
        header.append(found.heading)
    rows = []
    for name, (score, chance, many) in head.scores.items():
        uniform = ["", ""] if name == DIFFUSE else [three_digits(chance), three_digits(score / chance)]
        row = [PATTERNS[name](), bars.bar(score, 1, head.kind), *uniform]
        if found.statistics:
            row.append("" if many is None else f"{three_digits(many[0])} \u00b1 {three_digits(many[1])}")
        rows.append(row)
    st.html(bars.table(header, rows, say("ranking.scores", "Scores of {head}", head=head.name)))
    if head.effect is not None:
        caption("heads", "often", heading=found.heading, mean=signed(head.effect[0]), spread=head.effect[1])


def below(page: str, label: str) -> None:
    """How to read effects and labels, with the thresholds in use; what each pattern is, under `label`."""
    thresholds = {"half": f"{HALF:g}", "times": f"{TIMES:g}", "spread": f"{SPREAD:g}"}
    how_to_read(block(page, "effects"), block("heads", "labels", **thresholds))
    with st.expander(label):
        st.markdown(block(page, "patterns"))
