"""A ranked list of heads: what ablating each does, its label, and its map in small, each row one that opens.

The payload (`views.components.parts.pack`) holds what the rows say, then their maps as one byte a cell, each scaled to
its own largest weight: they show a pattern, not numbers. Which row is selected stands in a mark beside the list.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from views import maps, palette
from views.components import parts
from views.controls import inputs

MOST_CELLS = 48  # a side of one map; larger ones show the largest weight of each block of cells

_MOUNT = parts.Component("head_list", "list-root")


@dataclass(frozen=True, eq=False)
class HeadRow:
    """One head.

    Attributes:
        name: how the page calls it; all different.
        kind: decides the colours.
        effect: length of the bar, signed; `effect_words` stands on it.
        here, often: its label on this input and over many, with what earned them; `often` may be empty.
        weights: `(query, key)`, what the small map shows.
        causal: cells above the diagonal are masked.
    """

    name: str
    kind: str
    effect: float
    effect_words: str
    here: str
    often: str
    weights: np.ndarray
    causal: bool = False


@dataclass(frozen=True, eq=False)
class HeadList:
    """What is shown.

    Attributes:
        columns: headings of map and name, effect, label here, label over many; the last may be empty.
        title: names the list for screen readers.
        underlay: `(height, width, 3)` uint8, a picture that all maps lie on.
        opacity: of the maps over it.
    """

    rows: Sequence[HeadRow]
    columns: tuple[str, str, str, str]
    title: str
    underlay: np.ndarray | None = None
    opacity: float = 1.0


def payload(shown: HeadList, theme: palette.Theme) -> bytes:
    """The bytes that `head_list.js` reads."""
    pictures = [small(row.weights) for row in shown.rows]
    kinds = dict.fromkeys(row.kind for row in shown.rows)
    header = parts.fields(
        shown,
        theme=theme,
        largest=max((abs(row.effect) for row in shown.rows), default=0.0),
        rows=[parts.fields(row, weights=cells.shape) for row, cells in zip(shown.rows, pictures, strict=True)],
        scales={kind: parts.scales(kind) for kind in kinds},
        hues={kind: palette.hue_of(kind) for kind in kinds},
        negative=palette.NEGATIVE,
        masked=palette.MASKED,
    )
    return parts.pack(header, *pictures, shown.underlay)


def small(weights: np.ndarray) -> np.ndarray:
    """`(query, key)` uint8 of at most `MOST_CELLS` a side, 255 being the largest weight."""
    weights = maps.largest_of_blocks(weights, -(-max(weights.shape) // MOST_CELLS))
    top = float(weights.max()) or 1.0
    return (weights.astype(np.float64) / top * 255).round().clip(0, 255).astype(np.uint8)


def head_list(shown: HeadList, selected: str, key: str, on_select: Callable[[str], None]) -> None:
    """Mount the list; `selected` is shown in detail, and `on_select` gets the name of the row that a person chooses."""
    names = [row.name for row in shown.rows]
    _MOUNT(key, payload(shown, inputs.theme()), selected, chosen=(partial(parts.one_of, names=names), on_select))
