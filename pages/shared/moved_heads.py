"""How far the attention of every head moved between two passes: a cell a head, for every page that compares."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from pages.shared import files
from views import maps
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs
from views.export import downloads
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import three_digits


def show(found: Mapping[str, np.ndarray], keys: Mapping[str, int]) -> None:
    """The cells, which of them is largest, and the numbers.

    Args:
        found: kind -> `(layer, head)`, see `model.attribution.comparison.moved`.
        keys: kind -> how many keys its maps have, for the mean over single weights.
    """
    st.markdown(prose.block("compare", "every-head"))
    top = max(float(table.max()) for table in found.values())
    names = inputs.kind_names() | {maps.VISION.name: say("kind.vision.short", "Vision")}
    items = [
        RowMatrix(
            names[kind],
            table,
            kind,
            [say("moved.layer", "layer {layer}", layer=number + 1) for number in range(table.shape[0])],
            [str(number + 1) for number in range(table.shape[1])],
            say("column.layer", "layer"),
            say("column.head", "head"),
            signed=False,
            top=top,
        )
        for kind, table in found.items()
    ]
    matrix_row(items, inputs.theme(), "moved", inputs.remember_theme)
    kind, layer, head = farthest(found)
    moved = float(found[kind][layer, head])
    most = {"kind": _title(kind), "place": maps.describe(str(layer + 1), str(head + 1)), "share": three_digits(moved)}
    nothing = prose.block("compare", "nothing-moved")
    st.caption(say("moved.most", "Moved most: {kind}, {place}, by {share}.", **most) if moved else nothing)
    header = [
        say("column.kind", "kind"),
        say("column.layer", "layer"),
        say("column.head", "head"),
        say("moved.share", "share of attention that moved"),
        say("moved.mean", "mean |difference| of a weight"),
    ]
    rows = [
        # from half the sum over a row's keys to the mean over them
        [name, place[0] + 1, place[1] + 1, float(table[place]), 2 * float(table[place]) / max(1, keys[name])]
        for name, table in found.items()
        for place in np.ndindex(table.shape)
    ]
    with st.container(horizontal=True):
        title = say("moved.title", "Share of each head\u2019s attention that moved")
        files.matrices(items, title, "moved-heads", say("moved.all", "All heads"))
        files.download(
            say("heads.csv", "All heads as CSV"), lambda: downloads.table_csv(header, rows), "moved-heads.csv"
        )
    files.numbers(lambda: files.table(rows, header), key="moved_table", hide_index=True)


def _title(kind: str) -> str:
    return (maps.VISION if kind == maps.VISION.name else maps.KINDS[kind]).title


def farthest(found: Mapping[str, np.ndarray]) -> tuple[str, int, int]:
    """Kind, layer and head whose attention moved most, counted from 0."""
    kind = max(found, key=lambda name: found[name].max())
    layer, head = np.unravel_index(found[kind].argmax(), found[kind].shape)
    return kind, int(layer), int(head)
