"""The list of ranked heads, which opens the one that is clicked, with its numbers; and the scores of that head."""

from collections.abc import Callable, Collection

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


def show(
    listed: list[Head],
    opened: Head,
    found: Found,
    map_of: Callable[[Head], np.ndarray],
    headings: tuple[str, str, str],
    measured: str,
    *,
    name: str,
    selects: str,
    causal: Collection[str] = (),
    **looks,
) -> None:
    """Draw the heads in their order; a click opens one, and the page runs again.

    Args:
        found: statistics over many inputs, or why there are none.
        map_of: a head's map, `(query, key)`, or `(row, column)` over a picture.
        headings: of the column of maps, of the change, and of the label on this input.
        measured: names the change in tables.
        name: of the CSV, and told apart from other lists by it.
        selects: widget that holds the id of the head that is open.
        causal: kinds whose maps have a causal mask.
        looks: go to `HeadList`.
    """
    rows = [
        HeadRow(
            head.name,
            head.kind,
            head.change,
            signed(head.change),
            words(head.label),
            words(head.often),
            map_of(head),
            head.kind in causal,
        )
        for head in listed
    ]
    ids = {head.name: head.id for head in listed}
    shown = HeadList(rows, (*headings, found.heading), say("ranking.title", "Heads, ranked"), **looks)
    open_ = lambda head: settings.choose(selects, ids[head])  # noqa: E731
    head_list(shown, opened.name, key=f"{name} ranking", on_select=open_)
    if found.problem:
        st.caption(literal.markdown(say_error(found.problem)))
    key, label = f"{name.replace('-', '_')}_table", say("heads.csv", "All heads as CSV")
    files.sheet(*content(_columns(measured, listed)), name, label, key)


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
