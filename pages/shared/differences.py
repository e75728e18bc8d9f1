"""Two attention maps with their difference, and how far every head moved: for every page that compares."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import streamlit as st

from pages.shared import files
from pages.shared.texts import block, paragraph
from views import attention_maps, palette
from views.components.controls import fits
from views.components.linked_heatmaps import LinkedHeatmaps, MapSet, linked_heatmaps
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import sentence_input
from views.export import downloads
from views.export.difference import ComparedMap, MapPair, difference_picture
from views.text import terms
from views.text.catalogue import say
from views.text.numbers import three_digits


def render(
    kinds: Mapping[str, attention_maps.Kind],
    shapes: Mapping[str, tuple[int, ...]],
    pair_of: Callable[[attention_maps.Kind, int, int], MapPair],
    key: str,
    name: str,
    first: str = "",
    shortcuts: Sequence[tuple[str, Mapping[str, str]]] = (),
) -> tuple[MapPair, str, str]:
    """Let the reader choose a kind, a layer and a head: its maps side by side, their difference, and the files.

    The browser has the maps of all heads and draws what is chosen; the files below follow.

    Args:
        kinds: of attention, by name.
        shapes: kind -> of its attention, `(layer, head, query, key)`.
        pair_of: of a kind, a layer and a head; those behind the last one stand for the mean.
        key: of the component, and of the table below it.
        name: begins the names of the files.
        first: the kind that is open until a person chooses; the first one where empty.
        shortcuts: what a button above the maps says, and what it chooses.

    Returns:
        The pair that is chosen, its layer and its head.
    """
    of_kind = sentence_input.kind_choice(kinds, first)
    kind = kinds[of_kind.inside() if len(kinds) > 1 else of_kind.first]
    names = {each: [attention_maps.ids_with_mean(count) for count in shape[:2]] for each, shape in shapes.items()}
    start = len(names[kind.name][0]) - 2, len(names[kind.name][1]) - 1
    layer, head = (choice.inside() for choice in sentence_input.head_choices(*names[kind.name], start))
    most = max(names.values(), key=lambda both: [len(each) for each in both])
    offered = [of_kind] * (len(kinds) > 1)
    offered += sentence_input.head_choices(*most, (len(most[0]) - 2, len(most[1]) - 1))
    chosen = {choice.key: value for choice, value in zip(offered[-2:], (layer, head), strict=True)}
    chosen = ({of_kind.key: kind.name} if len(kinds) > 1 else {}) | chosen
    place = tuple(options.index(value) for options, value in zip(names[kind.name], (layer, head), strict=True))
    pair = pair_of(kind, *place)
    count = sum(3 * (layers + 1) * (heads + 1) * queries * keys for layers, heads, queries, keys in shapes.values())
    held = not fits(count)
    sets = {}
    for each in [kind] if held else kinds.values():
        places = [place] if held else list(np.ndindex(*(len(options) for options in names[each.name])))
        sets[each.name] = _map_set(each, [pair_of(each, *at) for at in places], names[each.name], held)
    about = {"shortcuts": shortcuts, "beside": 3, "places": kind.places, "held": held}
    linked_heatmaps(
        LinkedHeatmaps(sets, ("layer", "head"), offered, chosen, **about), key, sentence_input.store_selection
    )
    _render_notes(pair)
    file = f"{name}-{kind.name}-layer-{layer}-head-{head}"
    with st.container(horizontal=True):
        files.pictures(lambda: difference_picture(pair), file)
        files.download(files.CSV(), lambda: downloads.table_csv(*pair.rows()), f"{file}.csv")
        files.npz(file, pair.arrays())
    files.folded_table(lambda: files.data_frame(*reversed(pair.rows())), key=f"{key}_table", hide_index=True)
    return pair, layer, head


def _render_notes(pair: MapPair) -> None:
    """How to read the maps."""
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


def _map_set(kind: attention_maps.Kind, pairs: Sequence[MapPair], names: Sequence[Sequence[str]], held: bool) -> MapSet:
    """All pairs of a kind, one for each layer and head."""
    lead = (1, 1) if held else tuple(map(len, names))
    weights = np.reshape([pair.top for pair in pairs], lead)
    items = [
        _matrices([getattr(pair, side) for pair in pairs], kind, kind.name, weights) for side in ("first", "second")
    ]
    if pairs[0].difference is not None:
        moved = np.reshape([pair.largest for pair in pairs], lead)
        items.append(_matrices([pair.difference for pair in pairs], kind, palette.DIFFERENCE, moved))
    shared = pairs[0].queries, pairs[0].keys
    links = [*zip(*shared, strict=True), tuple(tuple(range(len(first))) for first, _ in shared)]
    return MapSet(items, kind.heading("{map}"), names, links[: len(items)])


def _matrices(sides: Sequence[ComparedMap], kind: attention_maps.Kind, hue: str, top: np.ndarray) -> RowMatrix:
    """One side of all pairs."""
    values = np.stack([np.where(side.hidden, np.float32(-np.inf), side.weights) for side in sides])
    values = values.reshape(*top.shape, *values.shape[1:])  # (layer, head, query, key)
    named = sides[0].name, values, hue, sides[0].queries, sides[0].keys, kind.query_axis, kind.key_axis
    return RowMatrix(*named, hue == palette.DIFFERENCE, top, ("0", terms.MASKED()))


def render_moved_heads(found: Mapping[str, np.ndarray], keys: Mapping[str, int]) -> None:
    """The cells, which of them is largest, and the numbers.

    Args:
        found: kind -> `(layer, head)`, see `model.attribution.trace_comparison.moved`.
        keys: kind -> how many keys its maps have, for the mean over single weights.
    """
    paragraph("compare", "every-head")
    top = max(float(table.max()) for table in found.values())
    axes = say("column.layer", "layer"), say("column.head", "head")
    items = []
    for kind, table in found.items():
        layers, heads = ([str(number + 1) for number in range(count)] for count in table.shape)
        layers = [say("moved.layer", "layer {layer}", layer=layer) for layer in layers]
        items.append(
            RowMatrix(attention_maps.kind_named(kind).short(), table, kind, layers, heads, *axes, signed=False, top=top)
        )
    matrix_row(items, "moved")
    kind, layer, head = most_moved_head(found)
    moved = float(found[kind][layer, head])
    most = {
        "kind": attention_maps.kind_named(kind).title,
        "place": attention_maps.describe(str(layer + 1), str(head + 1)),
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
    files.folded_table(lambda: files.data_frame(rows, header), key="moved_table", hide_index=True)


def most_moved_head(found: Mapping[str, np.ndarray]) -> tuple[str, int, int]:
    """Kind, layer and head whose attention moved most, counted from 0."""
    kind = max(found, key=lambda name: found[name].max())
    layer, head = np.unravel_index(found[kind].argmax(), found[kind].shape)
    return kind, int(layer), int(head)
