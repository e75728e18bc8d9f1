"""Attention of one kind as a sheet of maps: every head of every layer, and their averages.

Axis words are always layer, head, query, key; rows are queries, columns are keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from views.text import literal

MEAN = "mean"
Scale = Literal["shared", "own", "log"]  # one linear scale for all maps, one for each map, one logarithmic for all
DECADES = 4  # that a logarithmic scale spans below its largest weight


@dataclass(frozen=True)
class Kind:
    """One of the places where attention happens.

    Attributes:
        name: what the address bar and the model call it.
        title: what a page calls it.
        query_side, key_side: whose tokens the rows and the columns are.
        causal: True where a query may only look at itself and earlier tokens.
        axes: what one row and one column is, in files.
        places: True where rows and columns are places of a picture: their names all differ and need no number.
    """

    name: str
    title: str
    query_side: str
    key_side: str
    causal: bool = False
    axes: tuple[str, str] = ("query", "key")
    places: bool = False

    @property
    def query_axis(self) -> str:
        return f"Query: {self.query_side}"

    @property
    def key_axis(self) -> str:
        return f"Key: {self.key_side}"

    @property
    def corner(self) -> str:
        """What stands above the names of the rows and before those of the columns, in a table or a file."""
        return " \\ ".join(self.axes)

    def names(self, labels: Sequence[str]) -> list[str]:
        """Labels of an axis for a table, a file or a list to choose from: all different."""
        return list(labels) if self.places else numbered(labels)


KINDS = {
    "encoder": Kind("encoder", "encoder self-attention", "English piece that looks", "English piece looked at"),
    "decoder": Kind(
        "decoder", "masked decoder self-attention", "French piece that looks", "French piece looked at", causal=True
    ),
    "cross": Kind("cross", "cross-attention", "French piece that looks", "English piece looked at"),
}

VISION = Kind("vision", "ViT self-attention", "position that looks", "position looked at", places=True)
GRID = Kind(
    "vision",
    "ViT self-attention",
    "row of patches",
    "column of patches",
    axes=("row of patches", "column of patches"),
    places=True,
)
PATCHES = Kind("vision", "similarity of position vectors", "patch", "patch", axes=("patch", "patch"), places=True)
CLS = "CLS"


def with_means(attention: np.ndarray) -> np.ndarray:
    """Append the average over layers as a last layer and the average over heads as a last head.

    Args:
        attention: `(layers, heads, query, key)`.

    Returns:
        `(layers + 1, heads + 1, query, key)` float32. `[-1, h]` averages head h over the layers, `[l, -1]` averages
        layer l over its heads, `[-1, -1]` averages everything.
    """
    over_heads = attention.mean(axis=1, keepdims=True, dtype=np.float32)  # (layers, 1, query, key)
    wide = np.concatenate([attention.astype(np.float32, copy=False), over_heads], axis=1)
    over_layers = wide.mean(axis=0, keepdims=True, dtype=np.float32)  # (1, heads + 1, query, key)
    return np.concatenate([wide, over_layers], axis=0)


def one(attention: np.ndarray, layer: int, head: int) -> np.ndarray:
    """`with_means(attention)[layer, head]`, `(query, key)` float32, without making the others."""
    layers = attention if layer == attention.shape[0] else attention[layer][None]
    both = layers if head == attention.shape[1] else layers[:, head][:, None]
    return both.mean(axis=(0, 1), dtype=np.float32)


def shade(weights: np.ndarray, top: float, log: bool = False) -> np.ndarray:
    """Where weights lie on a colour scale that ends at `top`: 0 at its first colour, 1 at its last; same shape.

    On a logarithmic scale equal factors are equal distances, and everything below `top / 10 ** DECADES` is 0.
    """
    share = np.clip(weights / (top or 1), 0, 1)
    if not log:
        return share
    return np.clip(1 + np.log10(np.maximum(share, 10.0**-DECADES)) / DECADES, 0, 1)


def names(count: int) -> list[str]:
    """Names of `count` layers or heads and of their mean: `["1", "2", ..., "mean"]`."""
    return [*(str(number + 1) for number in range(count)), MEAN]


def describe(layer: str, head: str) -> str:
    """The map of a layer and a head in words."""
    if layer == MEAN and head == MEAN:
        return "mean over all layers and heads"
    if head == MEAN:
        return f"layer {layer}, mean over heads"
    if layer == MEAN:
        return f"head {head}, mean over layers"
    return f"layer {layer}, head {head}"


def masked(queries: int, keys: int, causal: bool) -> np.ndarray:
    """`(query, key)` bool: True where the causal mask forbids a look."""
    if not causal:
        return np.zeros((queries, keys), dtype=bool)
    return np.triu(np.ones((queries, keys), dtype=bool), k=1)


def patch_names(grid: tuple[int, int]) -> tuple[str, ...]:
    """What the patches of a picture are called wherever they stand on an axis: `row 1, column 1`, row by row.

    Args:
        grid: rows and columns of patches.
    """
    return tuple(f"row {row + 1}, column {column + 1}" for row, column in np.ndindex(*grid))


def grid_names(grid: tuple[int, int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the rows and of the columns of patches: `row 1` and `column 1` are the first ones."""
    rows, columns = grid
    return tuple(f"row {row + 1}" for row in range(rows)), tuple(f"column {column + 1}" for column in range(columns))


def numbered(labels: Sequence[str]) -> list[str]:
    """Labels that are all different and never start a spreadsheet formula: `1 I`, `2 want`."""
    return [f"{place + 1} {literal.token(label)}" for place, label in enumerate(labels)]
