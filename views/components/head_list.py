"""A ranked list of heads: the effect of ablating each, its label and small map, and the open head's large map.

The payload contains the texts of the rows, the maps of each kind, from which the browser draws the small ones too, and
the picture under them, if any. Many maps are float16, and the open one is sent again as float32. Of too many only that
is sent, and all as one byte per cell, each scaled to its own largest weight: they show a pattern, not numbers. The
browser sorts the list and opens a head without the server. Labels repeat but for their scores: each distinct text is
sent once, and a row contains its index and the score. A row is one text, its fields divided by "|".
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from .. import map_labels, map_weights, palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..text import terms
from ..viewer.payload import SentArray, dtype_of, pack
from . import component, controls, matrix_row

MOST_CELLS = 48  # a side of one map; larger ones show the largest weight of each block of cells

FIRST = "first"  # the option for the head that is first in the list
_SCORE = re.compile(r"\d(?:[\d.e+-]*\d)?")

WORDS = controls.WORDS | {
    "read": matrix_row.WORDS["read"],
    "table": terms.NUMBERS_AS_TABLE,
    "masked": terms.MASKED,
    "cell": map_labels.ATTENDS,
}

_MOUNT = component.Component("head_list", "list-root")


@dataclass(frozen=True, eq=False)
class HeadRow:
    """One head."""

    id: str  # its option in the URL; all different
    name: str  # its name on the page; all different
    kind: str  # decides the colours; a key of `HeadList.axes`
    # `layer`, `head`: its position, counted from 1
    layer: str
    head: str
    effect: float  # length of the bar, signed; `effect_words` is written on it
    effect_words: str
    # `here`, `often`: its label on this input and on many, with the reason; `often` may be empty
    here: str
    often: str
    weights: np.ndarray  # `(query, key)`, of its map
    causal: bool = False  # cells above the diagonal are masked


@dataclass(frozen=True)
class HeadAxes:
    """Texts around the large map of a head of one kind."""

    heading: str  # above it, with a placeholder `{map}`
    # `queries`, `keys`: names of its rows and columns; `query_axis` and `key_axis` name both, `corner` in a table
    queries: Sequence[str]
    keys: Sequence[str]
    query_axis: str
    key_axis: str
    corner: str
    places: bool = False  # rows and columns are positions in a picture
    read: Sequence[str] | None = None  # the tokens read at the rows, where their names state more
    languages: tuple[str, str] = ("", "")  # of the tokens of rows and of columns; empty where unknown


@dataclass(frozen=True, eq=False)
class HeadList:
    """The heads, their orders and the choices of the list."""

    rows: Sequence[HeadRow]  # every head, by layer and head; those of one kind have maps of one shape
    orders: Mapping[str, Sequence[int]]  # for each way to sort them, the indices of all rows
    axes: Mapping[str, HeadAxes]  # by kind
    # `choices`, `chosen`: the choices, and the selected option of each
    choices: Sequence[Choice]
    chosen: Mapping[str, str]
    # the choices that sort, that open a head, and that list one kind only ("sort", "shown", "of"). Options of "shown"
    # are `FIRST` and the ids of all rows, labelled with their names.
    roles: Mapping[str, str]
    open: int  # index of the open row
    # headings of map and name, effect, label on this input, label on many; the last may be empty
    columns: tuple[str, str, str, str]
    title: str  # names the list for screen readers
    every: str = "all"  # the option of the last one that lists all kinds
    underlay: np.ndarray | None = None  # `(height, width, 3)` uint8, a picture under all maps
    opacity: float = 1.0  # of the maps over it


def payload(ranking: HeadList, theme: palette.Theme) -> bytes:
    """The bytes that the script reads."""
    rows, opened = ranking.rows, ranking.rows[ranking.open]
    kinds = list(dict.fromkeys(row.kind for row in rows))
    causal = {row.kind for row in rows if row.causal}
    dtype = dtype_of(*(row.weights for row in rows))
    whole = controls.fits(sum(row.weights.size for row in rows))
    arrays: dict[str, np.ndarray | SentArray | None] = {"picture": ranking.underlay}
    arrays["effects"] = SentArray(np.array([row.effect for row in rows]), "float24")  # lengths of bars
    for kind in kinds:
        maps = [row.weights for row in rows if row.kind == kind]
        arrays[kind] = SentArray(np.stack(maps), dtype, kind in causal) if whole else None
        arrays[f"small {kind}"] = None if whole else np.stack([small_map(weights) for weights in maps])
    if dtype != "float32" or not whole:
        arrays["open"] = opened.weights
    templates: dict[str, int] = {}  # the text of a label -> its index
    axes_of_kinds = {
        kind: component.header_fields(
            axes,
            queries=component.labels(axes.queries),
            keys=component.labels(axes.keys),
            read=axes.read and component.labels(axes.read),
        )
        for kind, axes in ranking.axes.items()
    }
    header = component.header_fields(
        ranking,
        theme=theme,
        largest=max((abs(row.effect) for row in rows), default=0.0),
        kinds=kinds,
        causal=sorted(causal),
        rows=["|".join((str(kinds.index(row.kind)), row.layer, row.head, *_texts(row, templates))) for row in rows],
        labels=list(templates),
        orders={name: order for name, order in ranking.orders.items() if list(order) != list(range(len(rows)))},
        axes=axes_of_kinds,
        choices=None,
        chosen=None,  # it is in the mark
        controls=controls.control_specs(ranking.choices),
        scales={kind: component.scales(kind) for kind in kinds},
        hues={kind: palette.hue_of(kind) for kind in kinds},
        negative=palette.signed_hues(kinds[0])[0] if len(kinds) == 1 else palette.NEGATIVE,  # as maps of the same kind
        masked=palette.MASKED,
        words=component.translated(WORDS),
    )
    return pack(header, arrays)


def _texts(row: HeadRow, templates: dict[str, int]) -> tuple[str, ...]:
    return row.effect_words, *_split_label(row.here, templates), *_split_label(row.often, templates)


def _split_label(label: str, templates: dict[str, int]) -> tuple[str, str]:
    """Return the index of the label's text in `templates`, with `{score}` for its first number, and that number."""
    score = _SCORE.search(label)
    template = label[: score.start()] + "{score}" + label[score.end() :] if score else label
    return str(templates.setdefault(template, len(templates))), score.group() if score else ""


def small_map(weights: np.ndarray) -> np.ndarray:
    """`(query, key)` uint8 of at most `MOST_CELLS` a side, 255 being the largest weight."""
    weights = map_weights.largest_of_blocks(weights, -(-max(weights.shape) // MOST_CELLS))
    top = float(weights.max()) or 1.0
    return (weights.astype(np.float64) / top * 255).round().clip(0, 255).astype(np.uint8)


def head_list(ranking: HeadList, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount the list; `on_choose` gets the selected options, half a second after the last change."""
    handler = partial(controls.valid_selection, choices=ranking.choices), on_choose
    _MOUNT(key, payload(ranking, sentence_input.theme()), dict(ranking.chosen), chosen=handler)
