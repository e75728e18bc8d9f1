"""Attention of networks that differ in their positions: the same kind, layer and head of each, side by side."""

from collections.abc import Mapping
from functools import partial

import streamlit as st
from numpy.typing import ArrayLike

from model.networks.config import PositionKind
from pages.positions.compared_networks import LABELS, ComparedNetworks
from pages.shared import files
from pages.shared.texts import paragraph
from views.components.controls import fits
from views.components.linked_heatmaps import LinkedHeatmaps, MapSet, linked_heatmaps
from views.components.matrix_row import RowMatrix
from views.controls import sentence_input
from views.map_labels import describe
from views.text.catalogue import say
from views.viewer.attention_maps import KindMaps, from_trace

Maps = Mapping[PositionKind, KindMaps]
PER_ROW = 3


def render_attention(networks: ComparedNetworks) -> None:
    """Choose kind, layer and head; draw the map of every network that accepts the sentence."""
    paragraph("positions", "compared-maps")
    if not networks.traces:
        return
    labelled = networks.request.service.kinds
    of_networks = {kind: from_trace(trace, labelled) for kind, trace in networks.traces.items()}
    by_kind = {name: {kind: maps[name] for kind, maps in of_networks.items()} for name in labelled}
    kind_choice = sentence_input.kind_choice(labelled)
    chosen_kind = kind_choice.in_component()
    first = next(iter(by_kind[chosen_kind].values()))
    ids = first.layer_ids, first.head_ids
    choices = sentence_input.head_choices(*ids, (len(ids[0]) - 2, len(ids[1]) - 1))
    layer, head = (choice.in_component() for choice in choices)
    chosen = {kind_choice.key: chosen_kind, choices[0].key: layer, choices[1].key: head}
    whole = fits(sum(maps.weight_count for each in by_kind.values() for maps in each.values()))
    place = None if whole else (layer, head)
    sets = {
        name: MapSet(_matrices(maps, place), _heading(maps), ids)
        for name, maps in by_kind.items()
        if whole or name == chosen_kind
    }
    heatmaps = LinkedHeatmaps(
        sets, ("layer", "head"), [kind_choice, *choices], chosen, per_row=PER_ROW, selected_only=not whole
    )
    linked_heatmaps(heatmaps, "positions_maps", sentence_input.store_selection)
    _render_map_files(by_kind[chosen_kind], layer, head)


def _heading(maps: Maps) -> str:
    return next(iter(maps.values())).kind.heading("{map}")


def _matrices(maps: Maps, place: tuple[str, str] | None) -> list[RowMatrix]:
    """One matrix for each network: `(layer, head, query, key)` with the means, or only the map of `place`."""
    items = []
    for kind, each in maps.items():
        values = each.with_means() if place is None else each.mean(*each.place(*place))[None, None]
        items.append(_matrix(kind, each)(values=values))
    return items


def _matrix(kind: PositionKind, maps: KindMaps) -> partial[RowMatrix]:
    return partial(
        RowMatrix,
        LABELS[kind](),
        kind=maps.kind.name,
        rows=maps.queries.names,
        columns=maps.keys.names,
        read=maps.queries.labels,
        attends=True,
        row_title=maps.kind.queries(),
        column_title=maps.kind.keys(),
        signed=False,
        top=1.0,
    )


def _render_map_files(maps: Maps, layer: str, head: str) -> None:
    """Offer the chosen maps as a picture, and all maps of the chosen kind as numbers."""
    first = next(iter(maps.values()))
    name, title = f"positions-{first.kind.name}", first.kind.heading(describe(layer, head))
    items = [_matrix(kind, each)(values=each.mean(*each.place(layer, head))) for kind, each in maps.items()]
    arrays: dict[str, ArrayLike] = {kind: each.weights for kind, each in maps.items()}
    arrays |= {"queries": list(first.queries.labels), "keys": list(first.keys.labels)}
    arrays |= {"chosen": list(first.queries.chosen)} if first.queries.chosen else {}
    with st.container(horizontal=True):
        files.matrices(items, title, name, say("positions-compared.maps", "Maps"))
        files.npz(name, arrays, say("positions-compared.maps.npz", "All heads as NPZ"))
