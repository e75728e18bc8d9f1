"""All maps of one kind where they are too many to travel whole: the overview in blocks, the chosen map exact."""

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from pages.shared.attention_viewer.provenance import ViewedAttention, WordGrouping, prepare
from pages.shared.texts import paragraph
from server.result_cache import ResultCache, compute_lock
from server.singleton import singleton
from views import attention_maps
from views.components.attention_grid import Sheet, attention_grid
from views.components.attention_map import attention_map
from views.components.matrix_row import RowMatrix
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.text import terms
from views.text.catalogue import say

WHOLE_BYTES = 5_000_000  # that maps may travel with whole, in half precision
OVERVIEW_BYTES = 2_500_000  # that an overview in blocks takes at most
MOST_CELLS = 64  # a side of a small map at most


def is_large(subjects: Mapping[str, ViewedAttention]) -> bool:
    """Whether the maps of all kinds together are too many for the browser."""
    shapes = (subject.attention.shape for subject in subjects.values())
    return sum(2 * (layers + 1) * (heads + 1) * q * k for layers, heads, q, k in shapes) > WHOLE_BYTES


def render(
    subjects: Mapping[str, ViewedAttention], words: Mapping[str, WordGrouping], choices: Sequence[Choice]
) -> tuple[ViewedAttention, str, str, attention_maps.Scale]:
    """Overview left, the chosen map right; every choice goes through the server.

    Arguments as of `overview.show`.

    Returns:
        What is chosen, as it was wanted; its layer, its head, and the colour scale.
    """
    with st.container(horizontal=True, gap="medium"):
        chosen = {choice.key: choice.pick() for choice in choices}
        name = chosen.get("kind", next(iter(subjects)))
        subject = subjects[name]
        layer, head = sentence_input.head(subject.layers, subject.heads)
        scale = sentence_input.scale_choice("own" if subject.kind.places else "shared", log=False).pick()
    subject = prepare(subject, words.get(name), chosen)
    place = subject.layers.index(layer), subject.heads.index(head)
    overview, detail = st.columns([3, 2], gap="large")
    with overview:
        choose = lambda row, column: sentence_input.choose_head(subject.layers[row], subject.heads[column])  # noqa: E731
        shown = block_sheet(subject, scale, place)
        attention_grid(shown, key="large-grid", on_select=choose)
        paragraph("attention_viewer", "overview")
    with detail:
        _render_detail(subject, place, scale, float(shown.weights.max()))
    return subject, layer, head, scale


def reduce_to_blocks(attention: np.ndarray) -> tuple[np.ndarray, int]:
    """The maps of all heads and their means, each cell the largest of a block of weights.

    Args:
        attention: `(layer, head, query, key)`.

    Returns:
        `(layer + 1, head + 1, row, column)` float32, and the side of a block.
    """
    layers, heads, queries, keys = attention.shape
    side = min(MOST_CELLS, int((OVERVIEW_BYTES / 2 / (layers + 1) / (heads + 1)) ** 0.5))
    block = -(-max(queries, keys) // side)
    over_layers = np.zeros((heads + 1, queries, keys), dtype=np.float32)
    found = []
    for layer in attention:  # one after another: all of them with their means would take twice the memory of a trace
        wide = np.concatenate([layer, layer.mean(axis=0, keepdims=True, dtype=np.float32)], dtype=np.float32)
        over_layers += wide
        found.append(attention_maps.largest_of_blocks(wide, block))
    return np.stack([*found, attention_maps.largest_of_blocks(over_layers / layers, block)]), block


def cached_blocks(subject: ViewedAttention) -> tuple[np.ndarray, int]:
    """`reduce_to_blocks` of what is shown, computed once."""
    key = (subject.weights_sha256, *subject.key)
    return _overviews().get_or_compute(key, lambda: reduce_to_blocks(subject.attention), compute_lock())


def block_sheet(subject: ViewedAttention, scale: attention_maps.Scale, place: tuple[int, int]) -> Sheet:
    """The overview in blocks."""
    found, block = cached_blocks(subject)
    queries, keys = (_block_labels(labels, block) for labels in (subject.queries, subject.keys))
    named = found, subject.layers, subject.heads, queries, keys, subject.kind.name, subject.kind.title
    looks = {"places": subject.kind.places, "block": block}
    return Sheet(*named, subject.kind.causal, scale != "own", place, **looks)


def _block_labels(labels: Sequence[str], block: int) -> list[str]:
    """What a row or a column of blocks is called: its first and its last token."""
    if block == 1:
        return list(labels)
    runs = [labels[first : first + block] for first in range(0, len(labels), block)]
    ends = [(run[0], run[-1]) for run in runs]
    return [say("viewer.run", "{first} \u2026 {last}", first=first, last=last) for first, last in ends]


def _render_detail(
    subject: ViewedAttention, place: tuple[int, int], scale: attention_maps.Scale, largest: float
) -> None:
    """The chosen map with every weight exact."""
    kind, weights = subject.kind, attention_maps.single_map(subject.attention, *place)
    values = np.where(attention_maps.causal_mask(*weights.shape, kind.causal), -np.inf, weights)
    top = float(weights.max()) if scale == "own" else largest
    title = kind.heading(attention_maps.describe(subject.layers[place[0]], subject.heads[place[1]]))
    named = title, values, kind.name, subject.queries, subject.keys, kind.query_axis, kind.key_axis
    attention_map([RowMatrix(*named, False, top, ("0", terms.MASKED()))], "large-map", places=kind.places)


@singleton
def _overviews() -> ResultCache:
    """Of this process."""
    return ResultCache(6)
