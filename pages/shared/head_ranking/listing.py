"""The list of ranked heads, which opens the one that is clicked, and its numbers as a table and as CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from pages.shared import files
from pages.shared.head_ranking import names, rows
from views.address import settings
from views.components.head_list import HeadList, HeadRow, head_list
from views.controls import widgets
from views.export import downloads
from views.text import literal
from views.text.catalogue import say, say_error

FIRST = "first"


def order(key: str) -> str:
    """How the list is sorted: one of `names.ORDERS`, by the setting `key`."""
    return widgets.pick(say("ranking.order", "Sort by"), names.ORDERS, key)


def chosen(heads: Sequence[rows.Head], key: str) -> rows.Head | None:
    """The head that is to be open, by the setting `key`; None for the first of the list."""
    options = {FIRST: say("ranking.first", "first in the list"), **{head.id: head.name for head in heads}}
    id = widgets.select(say("ranking.shown", "Head shown"), options, key)
    return next((head for head in heads if head.id == id), None)


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

    found: rows.Found
    map_of: Callable[[rows.Head], np.ndarray]
    headings: tuple[str, str, str]
    measured: str
    name: str
    selects: str
    causal: frozenset[str] = frozenset()
    underlay: np.ndarray | None = None
    opacity: float = 1.0


def show(listing: Listing, listed: list[rows.Head], opened: rows.Head) -> None:
    """Draw the heads in their order; a click opens one, and the page runs again."""
    content = [
        HeadRow(
            head.name,
            head.kind,
            head.change,
            rows.signed(head.change),
            rows.words(head.label),
            rows.words(head.often),
            listing.map_of(head),
            head.kind in listing.causal,
        )
        for head in listed
    ]
    ids = {head.name: head.id for head in listed}
    columns = (*listing.headings, listing.found.heading)
    head_list(
        HeadList(content, columns, say("ranking.title", "Heads, ranked"), listing.underlay, listing.opacity),
        opened.name,
        key=f"{listing.name} ranking",
        on_select=lambda name: settings.choose(listing.selects, ids[name]),
    )
    if listing.found.problem:
        st.caption(literal.markdown(say_error(listing.found.problem)))
    header, name = _header(listing.measured), f"{listing.name}.csv"
    files.download(say("heads.csv", "All heads as CSV"), lambda: downloads.table_csv(header, _table(listed)), name)
    key = f"{listing.name.replace('-', '_')}_table"
    files.numbers(lambda: files.table(_table(listed), header), key, hide_index=True)


def _header(change: str) -> list[str]:
    """Columns of `_table`; `change` names what was measured here."""
    return [
        say("column.head", "head"),
        change,
        say("column.label", "label"),
        say("column.pattern", "pattern"),
        say("column.score", "score"),
        say("ranking.uniform", "uniform attention"),
        say("ranking.often.label", "label over many"),
        say("ranking.often.score", "score over many"),
        say("ranking.often.change", "change of the loss over many"),
        say("ranking.often.spread", "its standard deviation"),
    ]


def _table(heads: list[rows.Head]) -> list[list]:
    """All of it with all digits; the columns are those of `_header`."""
    return [
        [
            head.name,
            head.change,
            *(
                names.PATTERNS[head.label.name](),
                names.PATTERNS[head.label.pattern](),
                head.label.score,
                head.label.chance,
            ),
            *(("", None) if head.often is None else (names.PATTERNS[head.often.name](), head.often.score)),
            *(head.effect or (None, None)),
        ]
        for head in heads
    ]
