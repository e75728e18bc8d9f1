"""The overview: every head of every layer as one small map, and the selected one large, drawn in the browser.

The payload contains the weights `(row, column, query, key)`. Up to `EXACT_BYTES` they are float32 and the read-out is
exact to every digit it shows; beyond that they are float16, whose 11 significant bits still give three digits down to
0.0001. The browser computes the means of exact weights itself.

The selection is in a mark next to the grid, so that it does not change the payload. The browser draws the selected map
at once and reports it to the server half a second after the last change.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from .. import kind_labels, map_labels, map_weights, palette
from ..controls import sentence_input
from ..kind_labels import Kind
from ..text import terms
from ..text.catalogue import Message, say
from ..viewer.attention_maps import KindMaps
from ..viewer.payload import EXACT_BYTES, Dtype, SentArray, dtype_of, pack
from . import component, controls, html_export

WORDS = controls.WORDS | {
    "masked": terms.MASKED,
    "axes": Message("grid.axes", "layer \u2193 \u2009head \u2192"),
    "mean": terms.MEAN,
    "own": terms.EACH_OWN,
    "blocks": terms.BLOCKS,
    "strongest": Message("grid.strongest", "{map}. Strongest: {cell}, {weight}"),
    "cell": map_labels.ATTENDS,
    "patch": map_labels.ROW_AND_COLUMN,
    "keys": Message("grid.keys", "{map}. Arrow keys read out the cells."),
    "table": terms.NUMBERS_AS_TABLE,
    "query": terms.QUERY,
    "key": terms.KEY,
}

MOUNT = component.Component("attention_grid", "grid-root")


@dataclass(frozen=True)
class Detail:
    """Texts around the selected map that is shown large: a heading with a placeholder `{map}`, and the axes."""

    heading: str
    query_axis: str
    key_axis: str


@dataclass(frozen=True)
class Sheet:
    """The maps of one kind of attention, for the overview."""

    weights: np.ndarray  # `(rows, columns, query, key)` float32; here rows are layers and columns heads, means included
    # `rows`, `columns`: their names, as `views.map_labels.ids_with_mean` gives them
    rows: Sequence[str]
    columns: Sequence[str]
    # `queries`, `keys`: names on the axes of each map
    queries: Sequence[str]
    keys: Sequence[str]
    kind: str  # decides the colours; `title` names it for screen readers
    title: str
    causal: bool  # cells above the diagonal are masked and drawn grey
    shared_scale: bool  # one colour scale for all maps; otherwise each map has its own, up to its own largest weight
    selected: tuple[int, int]  # row and column of the map shown in detail
    # `(height, width, 3)` uint8, a picture whose rows and columns of patches the maps show; queries are then its rows
    # and keys its columns
    underlay: np.ndarray | None = None
    opacity: float = 1.0  # of the maps over the picture, from 0 to 1
    log_scale: bool = False  # the shared scale is logarithmic and ends at 1; see `views.map_weights.shade`
    places: bool = False  # queries and keys are positions in a picture, whose labels all differ
    block: int = 1  # each weight is the largest of so many queries and keys; labels are then those of such blocks
    detail: Detail | None = None  # texts of the large map next to the overview; None if the page shows it otherwise
    # the tokens read at the queries, where their names state more; None where they are the names
    read: Sequence[str] | None = None
    # places of queries and of keys in the sequence, where some are left out; decide which are masked
    positions: tuple[Sequence[int], Sequence[int]] | None = None
    languages: tuple[str, str] = ("", "")  # of the tokens of queries and of keys; empty where unknown


def sheet_of(
    maps: KindMaps,
    scale: map_weights.Scale = "shared",
    selected: tuple[int, int] = (0, 0),
    picture: np.ndarray | None = None,
    with_detail: bool = True,
) -> Sheet:
    """The sheet of all maps of a kind, means included.

    Args:
        scale, selected: as in `Sheet`.
        picture: under the maps, whose queries are then rows of its patches and whose keys are columns.
        with_detail: the selected map is drawn large next to the overview.
    """
    kind = maps.kind
    return Sheet(
        maps.with_means(),  # (layers + 1, heads + 1, query, key)
        maps.layer_ids,
        maps.head_ids,
        maps.queries.names,
        maps.keys.names,
        kind.name,
        kind.title,
        kind.causal,
        scale != "own",
        selected,
        underlay=picture,
        log_scale=scale == "log",
        places=kind.places,
        detail=detail_of(kind) if with_detail else None,
        read=maps.queries.labels if maps.queries.chosen else None,
        positions=positions_of(maps),
        languages=kind.languages,
    )


def positions_of(maps: KindMaps) -> tuple[list[int], list[int]] | None:
    """The places of queries and keys of a causal kind in the sequence, where they are not the same ones."""
    if not maps.kind.causal or maps.is_square:
        return None
    return maps.queries.sequence.tolist(), maps.keys.sequence.tolist()


def block_sheet(
    maps: KindMaps, blocks: np.ndarray, block: int, scale: map_weights.Scale, selected: tuple[int, int]
) -> Sheet:
    """The sheet of maps that are too large to send: `blocks` as `views.map_weights.reduce_to_blocks` returns them."""
    queries, keys = (_block_labels(axis.names, block) for axis in (maps.queries, maps.keys))
    labels = blocks, maps.layer_ids, maps.head_ids, queries, keys, maps.kind.name, maps.kind.title
    causal, places, languages = maps.kind.causal, maps.kind.places, maps.kind.languages
    return Sheet(*labels, causal, scale != "own", selected, places=places, block=block, languages=languages)


def _block_labels(labels: Sequence[str], block: int) -> list[str]:
    """Label rows or columns of blocks by their first and last token."""
    if block == 1:
        return list(labels)
    runs = [labels[first : first + block] for first in range(0, len(labels), block)]
    ends = [(run[0], run[-1]) for run in runs]
    return [say("viewer.run", "{first} \u2026 {last}", first=first, last=last) for first, last in ends]


def detail_of(kind: Kind) -> Detail:
    """The texts around a large map of a kind."""
    return Detail(kind.heading("{map}"), kind.query_axis, kind.key_axis)


def payload(sheet: Sheet, theme: palette.Theme, exact_bytes: int = EXACT_BYTES) -> bytes:
    """The bytes that the script reads; see the module. Up to `exact_bytes` with every digit."""
    header = shared_header(theme) | {"kinds": {"": sheet_header(sheet)}}
    return pack(header, sheet_arrays("", sheet, dtype_of(sheet.weights, exact_bytes=exact_bytes)))


def sheet_arrays(
    kind: str, sheet: Sheet, dtype: Dtype, in_file: bool = False
) -> dict[str, SentArray | np.ndarray | None]:
    """The weights of a sheet, without means where the browser computes the same, and the picture under its maps.

    Args:
        in_file: means of rounded weights are left out too; the browser's then differ from them by rounding.
    """
    has_means = sheet.rows[-1] == sheet.columns[-1] == map_labels.MEAN and sheet.block == 1
    weights = sheet.weights[:-1, :-1] if has_means and (in_file or dtype == "float32") else sheet.weights
    causal = sheet.causal and sheet.positions is None
    return {kind: SentArray(weights, dtype, causal), f"{kind} picture": sheet.underlay}


def sheet_header(sheet: Sheet) -> dict[str, object]:
    """Header fields of a sheet."""
    return component.header_fields(
        sheet,
        selected=None,  # it is in the mark
        queries=component.labels(sheet.queries),
        keys=component.labels(sheet.keys),
        read=sheet.read and component.labels(sheet.read),
        scales=component.scales(sheet.kind),
    )


def shared_header(theme: palette.Theme) -> dict[str, object]:
    """Header fields that do not depend on a sheet."""
    return {
        "theme": theme,
        "masked": palette.MASKED,
        "cls": kind_labels.CLS,
        "decades": map_weights.DECADES,
        "words": component.translated(WORDS),
    }


def attention_grid(sheet: Sheet, key: str, on_select: Callable[[int, int], None]) -> None:
    """Mount the overview; `on_select` gets row and column of the map that the user selects."""
    handler = (
        partial(component.valid_cell, rows=len(sheet.rows), columns=len(sheet.columns)),
        lambda cell: on_select(*cell),
    )
    MOUNT(key, payload(sheet, sentence_input.theme()), sheet.selected, chosen=handler)


def snapshot(sheet: Sheet) -> html_export.ComponentSnapshot:
    """The overview for an HTML file or a notebook."""
    content = payload(sheet, "light", html_export.EXACT_BYTES)  # the browser uses its own theme
    exact = sheet.weights.nbytes <= html_export.EXACT_BYTES
    rounded = say("saved.rounded.half", "rounded to half precision: three digits down to 0.0001")
    numbers = html_export.EXACT() if exact else rounded
    if sheet.block > 1:
        numbers = say("saved.blocks", "the largest of each {block} \u00d7 {block} weights", block=sheet.block)
    return html_export.ComponentSnapshot("attention_grid", "grid-root", content, sheet.selected, numbers)
