"""The list of ranked heads, which opens the one that is clicked, and its numbers as a table and as CSV."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from pages.shared import files
from pages.shared.head_ranking import rows
from views.address import settings
from views.components.head_list import HeadList, HeadRow, head_list
from views.controls import inputs
from views.export import downloads
from views.text import literal


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
        selects: widget that holds the name of the head that is open.
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
    columns = (*listing.headings, listing.found.heading)
    head_list(
        HeadList(content, columns, "Heads, ranked", inputs.theme(), listing.underlay, listing.opacity),
        opened.name,
        key=f"{listing.name} ranking",
        on_select=lambda name: settings.choose(listing.selects, name),
        on_theme=inputs.remember_theme,
    )
    if listing.found.problem:
        st.caption(literal.markdown(listing.found.problem))
    header, name = rows.header(listing.measured), f"{listing.name}.csv"
    files.download("All heads as CSV", lambda: downloads.table_csv(header, rows.table(listed)), name)
    key = f"{listing.name.replace('-', '_')}_table"
    files.numbers(lambda: files.table(rows.table(listed), header), key, hide_index=True)
