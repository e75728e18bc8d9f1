"""Two attention maps and their difference on a page, with files: for every page that compares."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.shared import files
from views import palette
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs
from views.export import downloads
from views.export.difference import MapPair, Side, difference_picture
from views.figures.matrix import ChartMatrix as Scale
from views.figures.matrix import legend
from views.text import terms
from views.text.catalogue import say


def show(pair: MapPair, key: str, name: str) -> None:
    """The maps side by side with one colour scale, the difference beside them, and the files.

    Args:
        key: of the component, and of the table below it.
        name: of the files, without what follows the dot.
    """
    st.markdown(f"**{pair.title}**")
    items = [_matrix(side, pair, pair.kind.name, pair.top) for side in (pair.first, pair.second)]
    if pair.difference is not None:
        items.append(_matrix(pair.difference, pair, palette.DIFFERENCE, pair.largest))
    matrix_row(items, inputs.theme(), key, inputs.remember_theme, beside=3)
    st.html(_legends(pair))
    notes = [
        say("difference.axes", "Row: {row}. Column: {column}.", row=pair.kind.query_side, column=pair.kind.key_side)
    ]
    if pair.difference is None:
        notes.append(say("difference.none", "No difference is drawn: the two share no token on one of the axes."))
    else:
        notes.append(say("difference.colours", "In the difference blue is more, orange is less, no colour is 0."))
        if any(len(side) > len(found) for side, found in _lengths(pair)):
            notes.append(_shared(pair))
    st.caption(" ".join(notes))
    with st.container(horizontal=True):
        files.pictures(lambda: difference_picture(pair), name)
        files.download(files.CSV(), lambda: downloads.table_csv(*pair.rows()), f"{name}.csv")
        files.download(files.NPZ(), lambda: downloads.arrays_npz(pair.arrays()), f"{name}.npz")
    files.numbers(lambda: files.table(*reversed(pair.rows())), key=f"{key}_table", hide_index=True)


def _shared(pair: MapPair) -> str:
    rows, columns = pair.difference.weights.shape
    return say(
        "difference.shared",
        "It is drawn for tokens that both have: {rows} of {first_rows} and {second_rows} rows, {columns} of "
        "{first_columns} and {second_columns} columns.",
        rows=rows,
        first_rows=len(pair.first.queries),
        second_rows=len(pair.second.queries),
        columns=columns,
        first_columns=len(pair.first.keys),
        second_columns=len(pair.second.keys),
    )


def _legends(pair: MapPair) -> str:
    """What the colours mean."""
    shown = [Scale(pair.first.weights, "", "", terms.WEIGHT(), kind=pair.kind.name, low=0.0, high=pair.top)]
    if pair.difference is not None and pair.largest:  # without any difference there is no colour to explain
        scale = {"kind": palette.DIFFERENCE, "low": -pair.largest, "high": pair.largest}
        shown.append(Scale(pair.difference.weights, "", "", say("difference", "difference"), **scale))
    parts = "".join(legend(one, inputs.theme()) for one in shown)
    return f'<div style="display:flex;flex-wrap:wrap;gap:.25rem 2.5rem">{parts}</div>'


def _lengths(pair: MapPair):
    """Each axis of each side with the places that are shared."""
    yield from zip((pair.first.queries, pair.second.queries), pair.queries, strict=True)
    yield from zip((pair.first.keys, pair.second.keys), pair.keys, strict=True)


def _matrix(side: Side, pair: MapPair, kind: str, top: float) -> RowMatrix:
    signed = kind == palette.DIFFERENCE
    return RowMatrix(
        side.name,
        np.where(side.hidden, np.float32(-np.inf), side.weights),
        kind,
        side.queries,
        side.keys,
        pair.kind.query_axis,
        pair.kind.key_axis,
        signed=signed,
        top=top,
        masked=("0", ""),
    )
