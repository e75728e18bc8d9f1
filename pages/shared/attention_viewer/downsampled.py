"""The view "Maps" for maps too large to send: the overview in blocks, the chosen map exact."""

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from pages.shared.attention_viewer.provenance import ViewedAttention, WordGrouping, prepare
from pages.shared.texts import paragraph
from server.result_cache import ResultCache, compute_lock
from server.singleton import singleton
from views import map_labels, map_weights
from views.components.attention_grid import Sheet, attention_grid
from views.components.attention_map import attention_map
from views.components.matrix_row import RowMatrix
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.text import terms
from views.text.catalogue import say

WHOLE_BYTES = 5_000_000  # limit for sending all maps, in half precision
OVERVIEW_BYTES = 2_500_000  # limit for an overview in blocks
MOST_CELLS = 64  # a side of a small map at most


def is_large(by_kind: Mapping[str, ViewedAttention]) -> bool:
    """Whether the maps of all kinds together are too many for the browser."""
    shapes = (viewed.attention.shape for viewed in by_kind.values())
    return sum(2 * (layers + 1) * (heads + 1) * q * k for layers, heads, q, k in shapes) > WHOLE_BYTES


def render(
    by_kind: Mapping[str, ViewedAttention], words: Mapping[str, WordGrouping], choices: Sequence[Choice]
) -> tuple[ViewedAttention, str, str, map_weights.Scale]:
    """Render the overview left and the chosen map right; every choice reruns the fragment.

    Arguments as of `overview.render`.

    Returns:
        The chosen attention, prepared as chosen; its layer, its head, and the colour scale.
    """
    with st.container(horizontal=True, gap="medium"):
        chosen = {choice.key: choice.pick() for choice in choices}
        name = chosen.get("kind", next(iter(by_kind)))
        viewed = by_kind[name]
        layer, head = sentence_input.head(viewed.layers, viewed.heads)
        scale = sentence_input.scale_choice("own" if viewed.kind.places else "shared", log=False).pick()
    viewed = prepare(viewed, words.get(name), chosen)
    place = viewed.layers.index(layer), viewed.heads.index(head)
    overview, detail = st.columns([3, 2], gap="large")
    with overview:
        choose = lambda row, column: sentence_input.choose_head(viewed.layers[row], viewed.heads[column])  # noqa: E731
        sheet = block_sheet(viewed, scale, place)
        attention_grid(sheet, key="large-grid", on_select=choose)
        paragraph("attention_viewer", "overview")
    with detail:
        _render_detail(viewed, place, scale, float(sheet.weights.max()))
    return viewed, layer, head, scale


def reduce_to_blocks(attention: np.ndarray) -> tuple[np.ndarray, int]:
    """Reduce the maps of all heads and their means: each cell is the largest of a block of weights.

    Args:
        attention: `(layer, head, query, key)`.

    Returns:
        `(layer + 1, head + 1, row, column)` float32, and the side of a block.
    """
    layers, heads, queries, keys = attention.shape
    side = min(MOST_CELLS, int((OVERVIEW_BYTES / 2 / (layers + 1) / (heads + 1)) ** 0.5))
    block = -(-max(queries, keys) // side)
    over_layers = np.zeros((heads + 1, queries, keys), dtype=np.float32)
    reduced = []
    for layer in attention:  # one at a time: all of them with their means would take twice the memory of a trace
        wide = np.concatenate([layer, layer.mean(axis=0, keepdims=True, dtype=np.float32)], dtype=np.float32)
        over_layers += wide
        reduced.append(map_weights.largest_of_blocks(wide, block))
    return np.stack([*reduced, map_weights.largest_of_blocks(over_layers / layers, block)]), block


def cached_blocks(viewed: ViewedAttention) -> tuple[np.ndarray, int]:
    """`reduce_to_blocks` of the viewed attention, computed once."""
    key = (viewed.weights_sha256, *viewed.key)
    return _overviews().get_or_compute(key, lambda: reduce_to_blocks(viewed.attention), compute_lock())


def block_sheet(viewed: ViewedAttention, scale: map_weights.Scale, place: tuple[int, int]) -> Sheet:
    """Return the overview in blocks."""
    reduced, block = cached_blocks(viewed)
    queries, keys = (_block_labels(labels, block) for labels in (viewed.queries, viewed.keys))
    kind, shared_scale = viewed.kind, scale != "own"
    labels = reduced, viewed.layers, viewed.heads, queries, keys, kind.name, kind.title
    return Sheet(*labels, kind.causal, shared_scale, place, places=kind.places, block=block)


def _block_labels(labels: Sequence[str], block: int) -> list[str]:
    """Label rows or columns of blocks by their first and last token."""
    if block == 1:
        return list(labels)
    runs = [labels[first : first + block] for first in range(0, len(labels), block)]
    ends = [(run[0], run[-1]) for run in runs]
    return [say("viewer.run", "{first} \u2026 {last}", first=first, last=last) for first, last in ends]


def _render_detail(viewed: ViewedAttention, place: tuple[int, int], scale: map_weights.Scale, largest: float) -> None:
    """Render the chosen map with every weight exact."""
    kind, weights = viewed.kind, map_weights.single_map(viewed.attention, *place)
    queries, keys = weights.shape
    values = np.where(map_weights.causal_mask(queries, keys, kind.causal), -np.inf, weights)
    top = float(weights.max()) if scale == "own" else largest
    title = kind.heading(map_labels.describe(viewed.layers[place[0]], viewed.heads[place[1]]))
    named = title, values, kind.name, viewed.queries, viewed.keys, kind.query_axis, kind.key_axis
    attention_map([RowMatrix(*named, False, top, ("0", terms.MASKED()))], "large-map", places=kind.places)


@singleton
def _overviews() -> ResultCache:
    """Return the cache of this process."""
    return ResultCache(6)
