"""A ranked list of heads, and the map of the open one: what ablating each does, its label, its map in small and large.

The payload (`views.components.component.pack`) holds what the rows say, then their maps as one byte a cell, each
scaled to
its own largest weight: they show a pattern, not numbers. Behind them comes the picture that they lie on, if there is
one, and the maps with their numbers; float16 where they are many, and then the open one again as float32. The browser
orders the list, and opens a head, by itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from .. import attention_maps, palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..text import terms
from . import component, controls, matrix_row

MOST_CELLS = 48  # a side of one map; larger ones show the largest weight of each block of cells

FIRST = "first"  # the option of whichever head is first in the list
WORDS = controls.WORDS | {"read": matrix_row.WORDS["read"], "table": terms.NUMBERS_AS_TABLE, "masked": terms.MASKED}

_MOUNT = component.Component("head_list", "list-root")


@dataclass(frozen=True, eq=False)
class HeadRow:
    """One head.

    Attributes:
        id: what is chosen for it in the address; all different.
        name: how the page calls it; all different.
        kind: decides the colours, and is one of `HeadList.axes`.
        layer, head: its place, counted from 1.
        effect: length of the bar, signed; `effect_words` stands on it.
        here, often: its label on this input and over many, with what earned them; `often` may be empty.
        weights: `(query, key)`, what the small map shows.
        causal: cells above the diagonal are masked.
    """

    id: str
    name: str
    kind: str
    layer: str
    head: str
    effect: float
    effect_words: str
    here: str
    often: str
    weights: np.ndarray
    causal: bool = False


@dataclass(frozen=True)
class HeadAxes:
    """What stands around the large map of a head of one kind.

    Attributes:
        heading: above it, with a place for `{map}`.
        queries, keys: labels of its rows and columns; `query_axis` and `key_axis` name both, `corner` in a table.
        places: they are places of a picture.
    """

    heading: str
    queries: Sequence[str]
    keys: Sequence[str]
    query_axis: str
    key_axis: str
    corner: str
    places: bool = False


@dataclass(frozen=True, eq=False)
class HeadList:
    """What is shown.

    Attributes:
        rows: every head, in the order of their places.
        orders: for each way to sort them, the places of all rows.
        axes: by kind.
        choices, chosen: what can be chosen, and the option that is.
        roles: the choices that sort, that open a head, and that list a kind alone ("sort", "shown", "of").
        every: the option of the last one that lists all.
        open: place of the open row.
        columns: headings of map and name, effect, label here, label over many; the last may be empty.
        title: names the list for screen readers.
        underlay: `(height, width, 3)` uint8, a picture that all maps lie on.
        opacity: of the maps over it.
    """

    rows: Sequence[HeadRow]
    orders: Mapping[str, Sequence[int]]
    axes: Mapping[str, HeadAxes]
    choices: Sequence[Choice]
    chosen: Mapping[str, str]
    roles: Mapping[str, str]
    open: int
    columns: tuple[str, str, str, str]
    title: str
    every: str = "all"
    underlay: np.ndarray | None = None
    opacity: float = 1.0


def payload(shown: HeadList, theme: palette.Theme) -> bytes:
    """The bytes that `head_list.js` reads."""
    pictures = [small_map(row.weights) for row in shown.rows]
    whole = controls.fits(sum(row.weights.size for row in shown.rows))
    sent = [place for place in range(len(shown.rows)) if whole or place == shown.open]
    form, maps_ = controls.encode_maps([shown.rows[place].weights for place in sent])
    exact = form != "float32"
    kinds = dict.fromkeys(row.kind for row in shown.rows)
    rows = [
        component.header_fields(row, weights=cells.shape, cells=row.weights.shape if place in sent else None)
        for place, (row, cells) in enumerate(zip(shown.rows, pictures, strict=True))
    ]
    axes = {
        kind: component.header_fields(each, queries=component.labels(each.queries), keys=component.labels(each.keys))
        for kind, each in shown.axes.items()
    }
    header = component.header_fields(
        shown,
        theme=theme,
        largest=max((abs(row.effect) for row in shown.rows), default=0.0),
        rows=rows,
        axes=axes,
        choices=None,
        chosen=None,  # it stands in the mark
        open=None,
        form=form,
        exact=shown.open if exact else None,
        controls=controls.control_specs(shown.choices),
        scales={kind: component.scales(kind) for kind in kinds},
        hues={kind: palette.hue_of(kind) for kind in kinds},
        negative=palette.NEGATIVE,
        masked=palette.MASKED,
        words=component.translated(WORDS),
    )
    again = [shown.rows[shown.open].weights.astype("<f4")] if exact else []
    return component.pack(header, *pictures, shown.underlay, *maps_, *again)


def small_map(weights: np.ndarray) -> np.ndarray:
    """`(query, key)` uint8 of at most `MOST_CELLS` a side, 255 being the largest weight."""
    weights = attention_maps.largest_of_blocks(weights, -(-max(weights.shape) // MOST_CELLS))
    top = float(weights.max()) or 1.0
    return (weights.astype(np.float64) / top * 255).round().clip(0, 255).astype(np.uint8)


def head_list(shown: HeadList, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount the list; `on_choose` gets what is chosen of each choice, a moment after the last one."""
    chosen = partial(controls.valid_selection, choices=shown.choices), on_choose
    _MOUNT(key, payload(shown, sentence_input.theme()), dict(shown.chosen), chosen=chosen)
