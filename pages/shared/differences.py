"""Two attention maps with their difference, and how far every head moved: for every page that compares."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from pages.shared import files
from pages.shared.texts import block, paragraph
from views import maps, palette
from views.components.attention_map import attention_map
from views.components.matrix_row import RowMatrix, matrix_row
from views.export import downloads
from views.export.difference import MapPair, Side, difference_picture
from views.text import terms
from views.text.catalogue import say
from views.text.numbers import three_digits


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
    shared = pair.queries, pair.keys
    links = [*zip(*shared, strict=True), tuple(tuple(range(len(first))) for first, _ in shared)]
    attention_map(items, key, beside=3, links=links[: len(items)], places=pair.kind.places)
    notes = [block("compare", "axes", row=pair.kind.queries(), column=pair.kind.keys())]
    if pair.difference is None:
        notes.append(block("compare", "no-difference"))
    else:
        notes.append(block("compare", "colours"))
        if any(side.weights.shape != pair.difference.weights.shape for side in (pair.first, pair.second)):
            rows, columns = pair.difference.weights.shape
            counts = {"first_rows": len(pair.first.queries), "first_columns": len(pair.first.keys)}
            counts |= {"second_rows": len(pair.second.queries), "second_columns": len(pair.second.keys)}
            notes.append(block("compare", "shared-tokens", rows=rows, columns=columns, **counts))
    st.caption(" ".join(notes))
    with st.container(horizontal=True):
        files.pictures(lambda: difference_picture(pair), name)
        files.download(files.CSV(), lambda: downloads.table_csv(*pair.rows()), f"{name}.csv")
        files.npz(name, pair.arrays())
    files.numbers(lambda: files.table(*reversed(pair.rows())), key=f"{key}_table", hide_index=True)


def _matrix(side: Side, pair: MapPair, kind: str, top: float) -> RowMatrix:
    axes, signed = (pair.kind.query_axis, pair.kind.key_axis), kind == palette.DIFFERENCE
    values = np.where(side.hidden, np.float32(-np.inf), side.weights)
    return RowMatrix(side.name, values, kind, side.queries, side.keys, *axes, signed, top, ("0", terms.MASKED()))


def moved_heads(found: Mapping[str, np.ndarray], keys: Mapping[str, int]) -> None:
    """The cells, which of them is largest, and the numbers.

    Args:
        found: kind -> `(layer, head)`, see `model.attribution.comparison.moved`.
        keys: kind -> how many keys its maps have, for the mean over single weights.
    """
    paragraph("compare", "every-head")
    top = max(float(table.max()) for table in found.values())
    axes = say("column.layer", "layer"), say("column.head", "head")
    items = []
    for kind, table in found.items():
        layers, heads = ([str(number + 1) for number in range(count)] for count in table.shape)
        layers = [say("moved.layer", "layer {layer}", layer=layer) for layer in layers]
        items.append(RowMatrix(maps.named(kind).short(), table, kind, layers, heads, *axes, signed=False, top=top))
    matrix_row(items, "moved")
    kind, layer, head = farthest(found)
    moved = float(found[kind][layer, head])
    most = {
        "kind": maps.named(kind).title,
        "place": maps.describe(str(layer + 1), str(head + 1)),
        "share": three_digits(moved),
    }
    nothing = block("compare", "nothing-moved")
    st.caption(say("moved.most", "Moved most: {kind}, {place}, by {share}.", **most) if moved else nothing)
    header = [
        say("column.kind", "kind"),
        *axes,
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
        files.csv(header, rows, "moved-heads", say("heads.csv", "All heads as CSV"))
    files.numbers(lambda: files.table(rows, header), key="moved_table", hide_index=True)


def farthest(found: Mapping[str, np.ndarray]) -> tuple[str, int, int]:
    """Kind, layer and head whose attention moved most, counted from 0."""
    kind = max(found, key=lambda name: found[name].max())
    layer, head = np.unravel_index(found[kind].argmax(), found[kind].shape)
    return kind, int(layer), int(head)
