"""Two attention maps with their difference, and how far every head's attention moved."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from pages.shared import files
from pages.shared.texts import block, paragraph
from views import kind_labels, map_labels, palette
from views.components.controls import fits
from views.components.linked_heatmaps import LinkedHeatmaps, MapSet, linked_heatmaps
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.export import downloads
from views.export.difference import ComparedMap, ComparedMaps, MapPair, difference_picture
from views.map_labels import join_ids
from views.text import terms
from views.text.catalogue import say
from views.text.numbers import three_digits
from views.viewer.attention_maps import Place

if TYPE_CHECKING:
    import pandas as pd


def render(
    compared: Mapping[str, ComparedMaps],
    key: str,
    name: str,
    first: str = "",
    shortcuts: Sequence[tuple[str, Mapping[str, str]]] = (),
) -> tuple[MapPair, Place]:
    """Render both maps of a chosen kind, layer and head side by side, their difference, and downloads.

    The browser has the maps of all heads and draws the chosen ones; the downloads below follow.

    Args:
        compared: the maps by kind.
        key: of the component, and of the table below it.
        name: begins the names of the files.
        first: the kind that is open by default; the first one where empty.
        shortcuts: label of a button above the maps, and what it chooses.

    Returns:
        The chosen pair, and its layer and head.
    """
    kind_choice = sentence_input.kind_choice({name: each.first.kind for name, each in compared.items()}, first)
    several = len(compared) > 1
    kind = kind_choice.in_component() if several else kind_choice.first
    maps = compared[kind].first
    layer, head = (choice.in_component() for choice in _head_choices(maps.layer_ids, maps.head_ids))
    sides = [each.first for each in compared.values()]
    head_choices = _head_choices(join_ids(each.layer_ids for each in sides), join_ids(each.head_ids for each in sides))
    choices = [*([kind_choice] if several else []), *head_choices]
    chosen = {kind_choice.key: kind} if several else {}
    chosen |= {choice.key: value for choice, value in zip(head_choices, (layer, head), strict=True)}
    place = maps.place(layer, head)
    pair = compared[kind].at(place)
    only_chosen = not fits(sum(each.cells for each in compared.values()))  # too many maps for the browser
    sets = {}
    for each in [kind] if only_chosen else compared:
        ids = compared[each].first.layer_ids, compared[each].first.head_ids
        places = [place] if only_chosen else [compared[each].first.place(*both) for both in product(*ids)]
        sets[each] = _map_set([compared[each].at(at) for at in places], ids, only_chosen)
    heatmaps = LinkedHeatmaps(
        sets,
        ("layer", "head"),
        choices,
        chosen,
        (),
        shortcuts,
        per_row=3,
        places=pair.kind.places,
        selected_only=only_chosen,
    )
    linked_heatmaps(heatmaps, key, sentence_input.store_selection)
    _render_notes(pair)
    file = f"{name}-{kind}-layer-{layer}-head-{head}"
    with st.container(horizontal=True):
        files.pictures(lambda: difference_picture(pair), file)
        files.download(files.CSV(), lambda: downloads.table_csv(*pair.rows(), pair.captions), f"{file}.csv")
        files.npz(file, pair.arrays())

    def table() -> "pd.DataFrame":
        header, rows = pair.rows(on_screen=True)
        return files.data_frame(rows, header)

    files.folded_table(table, key=f"{key}_table", hide_index=True)
    return pair, place


def _head_choices(layers: list[str], heads: list[str]) -> tuple[Choice, Choice]:
    """Choices of a layer and a head; by default the last layer and the mean over its heads."""
    return sentence_input.head_choices(layers, heads, (len(layers) - 2, len(heads) - 1))


def _render_notes(pair: MapPair) -> None:
    """Render how to read the maps."""
    notes = [block("compare", "axes", row=pair.kind.queries(), column=pair.kind.keys())]
    if pair.difference is None:
        notes.append(block("compare", "no-difference"))
    else:
        notes.append(block("compare", "colours"))
        if pair.chosen_differs:
            notes.append(block("compare", "chosen-on-both"))
        if any(side.weights.shape != pair.difference.weights.shape for side in (pair.first, pair.second)):
            rows, columns = pair.difference.weights.shape
            counts = {"first_rows": len(pair.first.queries), "first_columns": len(pair.first.keys)}
            counts |= {"second_rows": len(pair.second.queries), "second_columns": len(pair.second.keys)}
            notes.append(block("compare", "shared-tokens", rows=rows, columns=columns, **counts))
    st.caption(" ".join(notes))


def _map_set(pairs: Sequence[MapPair], names: Sequence[Sequence[str]], only_chosen: bool) -> MapSet:
    """Return all pairs of a kind, one for each layer and head, or the chosen pair alone."""
    kind = pairs[0].kind
    lead = (1, 1) if only_chosen else (len(names[0]), len(names[1]))
    weights = np.reshape([pair.top for pair in pairs], lead)
    items = [
        _matrices([getattr(pair, side) for pair in pairs], kind, kind.name, weights) for side in ("first", "second")
    ]
    differences = [pair.difference for pair in pairs if pair.difference is not None]  # of all pairs, or of none
    if differences:
        moved = np.reshape([pair.largest for pair in pairs], lead)
        items.append(_matrices(differences, kind, palette.DIFFERENCE, moved))
    queries, keys = pairs[0].queries, pairs[0].keys
    links: list[tuple[Sequence[int], Sequence[int]]] = [
        *zip(queries, keys, strict=True),
        (tuple(range(len(queries[0]))), tuple(range(len(keys[0])))),
    ]
    return MapSet(items, kind.heading("{map}"), names, links[: len(items)])


def _matrices(sides: Sequence[ComparedMap], kind: kind_labels.Kind, hue: str, top: np.ndarray) -> RowMatrix:
    """Return one side of all pairs."""
    values = np.stack([np.where(side.hidden, np.float32(-np.inf), side.weights) for side in sides])
    values = values.reshape(*top.shape, *values.shape[1:])  # (layer, head, query, key)
    named = sides[0].name, values, hue, sides[0].rows, sides[0].keys, kind.query_axis, kind.key_axis
    signed, masked, read = hue == palette.DIFFERENCE, ("0", terms.MASKED()), sides[0].queries
    return RowMatrix(*named, signed, top, masked, read=read, attends=True, languages=kind.languages)


def render_moved_heads(
    moved: Mapping[str, np.ndarray], keys: Mapping[str, int], numbers: Mapping[str, Sequence[int]] | None = None
) -> None:
    """Render how far every head's attention moved: matrices, the largest share, downloads and a table.

    Args:
        moved: kind -> `(layer, head)`, see `model.attribution.trace_comparison.attention_shift`.
        keys: kind -> number of keys of its maps, for the mean over single weights.
        numbers: kind -> numbers of its layers, from 0; None where all layers have it.
    """
    numbers = numbers or {kind: range(table.shape[0]) for kind, table in moved.items()}
    paragraph("compare", "every-head")
    top = max(float(table.max()) for table in moved.values())
    axes = say("column.layer", "layer"), say("column.head", "head")
    items = []
    for kind, table in moved.items():
        heads = [map_labels.to_id(head) for head in range(table.shape[1])]
        layers = [say("moved.layer", "layer {layer}", layer=number + 1) for number in numbers[kind]]
        items.append(
            RowMatrix(kind_labels.kind_named(kind).short(), table, kind, layers, heads, *axes, signed=False, top=top)
        )
    matrix_row(items, "moved")
    kind, layer, head = most_moved_head(moved)
    share = float(moved[kind][layer, head])
    values = {
        "kind": kind_labels.kind_named(kind).title,
        "place": map_labels.describe(str(numbers[kind][layer] + 1), map_labels.to_id(head)),
        "share": three_digits(share),
    }
    nothing = block("compare", "nothing-moved")
    st.caption(say("moved.most", "Moved most: {kind}, {place}, by {share}.", **values) if share else nothing)
    header = [
        say("column.kind", "kind"),
        *axes,
        say("moved.share", "share of attention that moved"),
        say("moved.mean", "mean |difference| of a weight"),
    ]
    rows = [
        # from half the sum over a row's keys to the mean over them
        [kind, numbers[name][at] + 1, head + 1, float(table[at, head]), 2 * float(table[at, head]) / max(1, keys[name])]
        for name, table in moved.items()
        for kind in [kind_labels.kind_named(name).title]
        for at, head in np.ndindex(*table.shape)
    ]
    with st.container(horizontal=True):
        title = say("moved.title", "Share of each head\u2019s attention that moved")
        files.matrices(items, title, "moved-heads", say("moved.all", "All heads"))
        files.csv(header, rows, "moved-heads", say("heads.csv", "All heads as CSV"))
    files.folded_table(lambda: files.data_frame(rows, header), key="moved_table", hide_index=True)


def most_moved_head(moved: Mapping[str, np.ndarray]) -> tuple[str, int, int]:
    """Return kind, layer and head whose attention moved most, counted from 0."""
    kind = max(moved, key=lambda name: moved[name].max())
    layer, head = np.unravel_index(moved[kind].argmax(), moved[kind].shape)
    return kind, int(layer), int(head)
