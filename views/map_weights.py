"""Attention weights as arrays: means, blocks, the strongest keys, and their places on a colour scale.

The axes of arrays are layer, head, query, key; rows are queries, columns are keys.
"""

from typing import Literal

import numpy as np

Scale = Literal["shared", "own", "log"]  # one linear scale for all maps, one for each map, one logarithmic for all
OVERVIEW_BYTES = 2_500_000  # limit for an overview in blocks, in half precision
MOST_CELLS = 64  # a side of a small map in it at most
DECADES = 4  # that a logarithmic scale spans below its largest weight


def with_means(attention: np.ndarray) -> np.ndarray:
    """`(layers, heads, query, key)` with the average over layers as a last layer and that over heads as a last head.

    Returns:
        `(layers + 1, heads + 1, query, key)` float32; `[-1, -1]` averages everything.
    """
    over_heads = attention.mean(axis=1, keepdims=True, dtype=np.float32)  # (layers, 1, query, key)
    wide = np.concatenate([attention.astype(np.float32, copy=False), over_heads], axis=1)
    over_layers = wide.mean(axis=0, keepdims=True, dtype=np.float32)  # (1, heads + 1, query, key)
    return np.concatenate([wide, over_layers], axis=0)


def single_map(attention: np.ndarray, layer: int, head: int) -> np.ndarray:
    """`with_means(attention)[layer, head]`, `(query, key)` float32, without computing the other maps."""
    layers = attention if layer == attention.shape[0] else attention[layer][None]
    both = layers if head == attention.shape[1] else layers[:, head][:, None]
    return both.mean(axis=(0, 1), dtype=np.float32)


def shade(weights: np.ndarray, top: float, log: bool = False) -> np.ndarray:
    """Positions of weights on a colour scale that ends at `top`: 0 at its first colour, 1 at its last; same shape.

    On a logarithmic scale equal factors are equal distances, and everything below `top / 10 ** DECADES` is 0.
    """
    share = np.clip(weights / (top or 1), 0, 1)
    if not log:
        return share
    return np.clip(1 + np.log10(np.maximum(share, 10.0**-DECADES)) / DECADES, 0, 1)


def largest_of_blocks(weights: np.ndarray, block: int) -> np.ndarray:
    """The largest of each `block` x `block` cells of `(..., query, key)`; the last blocks may hold fewer."""
    for axis in (-2, -1):  # rows first, which are contiguous: that leaves fewer cells for the columns
        blocks = np.moveaxis(weights, axis, 0)
        largest = blocks[::block].copy()
        for offset in range(1, block):
            part = blocks[offset::block]
            np.maximum(largest[: len(part)], part, out=largest[: len(part)])
        weights = np.moveaxis(largest, 0, axis)
    return np.ascontiguousarray(weights)


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
        reduced.append(largest_of_blocks(wide, block))
    return np.stack([*reduced, largest_of_blocks(over_layers / layers, block)]), block


def strongest_keys(attention: np.ndarray, mass: float) -> np.ndarray:
    """Of each query and head the fewest keys, largest weights first, whose sum is at least `mass` of the query's.

    Bool of the same shape as `attention`, `(..., key)`; the same rule as in `web/src/views/attention_lines/payload.ts`.
    """
    order = np.argsort(-attention, axis=-1, kind="stable")
    ordered = np.take_along_axis(attention, order, axis=-1).astype(np.float64)
    before = np.cumsum(ordered, axis=-1) - ordered  # the sum of stronger keys
    threshold = mass * ordered.sum(axis=-1, keepdims=True) - 1e-6  # weights have about seven digits
    selected = np.zeros(attention.shape, dtype=bool)
    np.put_along_axis(selected, order, (before < threshold) & (ordered > 0), axis=-1)
    return selected


def causal_mask(queries: int, keys: int, causal: bool) -> np.ndarray:
    """`(query, key)` bool: True where the causal mask hides the key from the query."""
    return np.triu(np.full((queries, keys), causal), k=1)
