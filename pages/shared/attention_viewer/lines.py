"""The view "Lines": attention as lines between tokens, any heads of any layers at once."""

from collections.abc import Mapping, Sequence

import streamlit as st
from numpy.typing import ArrayLike

from pages.shared import files
from pages.shared.attention_viewer import downsampled
from pages.shared.attention_viewer.export import SavedView, render_export, view_link
from pages.shared.attention_viewer.provenance import ViewedAttention, WordGrouping, prepare, select_layer
from pages.shared.texts import caption, paragraph
from views import map_weights
from views.components.attention_lines import (
    AttentionLines,
    LinesOfKinds,
    LinesView,
    WordLines,
    attention_lines,
    from_address,
    lines_of_kinds,
    snapshot,
    to_address,
)
from views.controls import sentence_input, widgets
from views.controls.widgets import Choice
from views.export import downloads
from views.text import literal, terms
from views.text.catalogue import say
from views.url_state import bound_settings

ADDRESS = "lines"  # setting in the address bar
FIRST = LinesView((0,), (0,))


def render(
    by_kind: Mapping[str, ViewedAttention], words: Mapping[str, WordGrouping], choices: Sequence[Choice]
) -> ViewedAttention:
    """Render the lines, among whose kinds and tokens the browser chooses, and downloads of those drawn.

    Arguments and result as of `overview.render`.
    """
    in_browser = not downsampled.is_large(by_kind)
    if in_browser:
        chosen = {choice.key: choice.in_component() for choice in choices}
    else:
        with st.container(horizontal=True, gap="medium"):
            chosen = {choice.key: choice.pick() for choice in choices}
    name = chosen.get("kind", next(iter(by_kind)))
    viewed = prepare(by_kind[name], words.get(name), chosen)
    if downsampled.is_large({"": viewed}):  # the browser draws one layer of many
        layers = viewed.layers[:-1]
        label = say("layer", "Layer")
        viewed = select_layer(viewed, layers.index(widgets.select(label, layers, "layer", width=110)))
    view = _stored_view(viewed.attention.shape)
    lines = _lines(viewed, view)
    paragraph("attention_viewer", "lines")
    if in_browser:
        whole = {name: WordLines(*each.axes, each.kind) for name, each in words.items()}
        special = frozenset(name for each in by_kind.values() for name in each.special)
        kinds = {name: _lines(each, view) for name, each in by_kind.items()}
        content = LinesOfKinds(kinds, whole, special, choices, chosen, view)
        lines_of_kinds(content, key="attention_lines", on_choose=sentence_input.store_selection, on_change=_store_view)
    else:
        attention_lines(lines, key="lines_of_one_kind", on_change=_store_view)
    _render_files(viewed, view)
    _render_export(viewed, view, lines)
    return viewed


def _lines(viewed: ViewedAttention, view: LinesView) -> AttentionLines:
    return AttentionLines(viewed.attention, viewed.queries, viewed.keys, viewed.kind, view, viewed.numbers)


def _render_files(viewed: ViewedAttention, view: LinesView) -> None:
    """Render how many lines are drawn, and downloads of them."""
    chosen = viewed.attention[list(view.layers)][:, list(view.heads)]  # (chosen layers, chosen heads, query, key)
    drawn = map_weights.strongest_keys(chosen, view.mass)
    layers, heads, queries, keys = chosen.shape
    unmasked = (~map_weights.causal_mask(queries, keys, viewed.kind.causal)).sum() * layers * heads
    caption("attention_viewer", "drawn-lines", drawn=int(drawn.sum()), all=int(unmasked))
    name = f"{viewed.kind.name}-lines"
    with st.container(horizontal=True):
        files.download(say("lines.csv", "Lines as CSV"), lambda: _line_csv(viewed, view), f"{name}.csv")
        files.npz(name, lambda: _line_arrays(viewed, view), say("lines.npz", "Lines as NPZ"))
    if chosen.size:
        index, columns = viewed.kind.names(viewed.queries), viewed.kind.names(viewed.keys)
        mean, corner = chosen.mean(axis=(0, 1)), viewed.kind.corner
        files.folded_table(lambda: files.data_frame(mean, columns, index, corner), key="lines_table")


def _stored_view(shape: tuple[int, int, int, int]) -> LinesView:
    """Return the view in the address, if it fits the attention; else the first head of the first layer."""
    view = from_address(bound_settings.stored_text(ADDRESS), shape) or FIRST
    _store_view(view)
    return view


def _store_view(view: LinesView) -> None:
    bound_settings.store_text(ADDRESS, "" if view == FIRST else to_address(view))


def _render_export(viewed: ViewedAttention, view: LinesView, lines: AttentionLines) -> None:
    settings = {
        "look": "lines",
        "layers": [viewed.numbers[layer] + 1 for layer in view.layers],
        "heads": [head + 1 for head in view.heads],
        "mass": view.mass,
    }
    arrays = lambda: downloads.arrays_npz(_line_arrays(viewed, view))  # noqa: E731
    makers = {"attention.npz": arrays, "lines.csv": lambda: _line_csv(viewed, view)}
    about = say("lines.csv.about", "every line that is drawn; attention.npz marks the same cells as drawn.")
    scale: map_weights.Scale = "own" if viewed.kind.places else "shared"
    make = lambda: snapshot(lines)  # noqa: E731
    link, descriptions = view_link(viewed), {"lines.csv": about}
    saved = SavedView(viewed, settings, link, scale, "file-of-lines", make, makers, descriptions)
    render_export(saved, pictures=False)


def _line_csv(viewed: ViewedAttention, view: LinesView) -> bytes:
    """Return a row for each line, layer by layer, counted from 1, with the tokens and the weight."""
    queries, keys = ([literal.token(name) for name in names] for names in (viewed.queries, viewed.keys))
    lines = []
    for layer in view.layers:
        for head in view.heads:
            weights = viewed.attention[layer, head]  # (query, key)
            for query, key in zip(*map_weights.strongest_keys(weights, view.mass).nonzero(), strict=True):
                place = (viewed.numbers[layer] + 1, head + 1, query + 1, queries[query], key + 1, keys[key])
                lines.append((*place, float(weights[query, key])))
    if viewed.kind.places:
        sides = viewed.kind.queries(), viewed.kind.keys()
    else:
        sides = say("column.query-token", "query token"), say("column.key-token", "key token")
    header = [say("column.layer", "layer"), say("column.head", "head")]
    header += [terms.QUERY(), sides[0], terms.KEY(), sides[1], terms.WEIGHT()]
    return downloads.table_csv(header, lines)


def _line_arrays(viewed: ViewedAttention, view: LinesView) -> dict[str, ArrayLike]:
    """Return all weights, and which of them are drawn."""
    drawn = map_weights.strongest_keys(viewed.attention, view.mass)
    for axis, numbers in enumerate((view.layers, view.heads)):
        for number in set(range(drawn.shape[axis])) - set(numbers):
            drawn[(slice(None),) * axis + (number,)] = False
    arrays: dict[str, ArrayLike] = {"attention": viewed.attention, "drawn": drawn}
    return arrays | {"query_tokens": list(viewed.queries), "key_tokens": list(viewed.keys), "kind": viewed.kind.name}
