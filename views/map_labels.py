"""Labels of layers, heads, queries and keys for users: the one place where numbers become labels.

Numbers in code count from 0; ids and labels count from 1.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from .text import literal, terms
from .text.catalogue import Message, Untranslated, say

MEAN = "mean"
ROW_AND_COLUMN = Message("patch.place", "row {row}, column {column}")
LAYER_AND_HEAD = Message("map.one", "layer {layer}, head {head}")
ROW_NAME = "{read} \u2192 {chosen}"
ATTENDS = Message("grid.cell", "{query} attends to {key}")
OVER_HEADS = Message("map.mean.heads", "layer {layer}, mean over heads")
OVER_LAYERS = Message("map.mean.layers", "head {head}, mean over layers")
OVER_ALL = Message("map.mean.all", "mean over all layers and heads")


def to_id(index: int) -> str:
    """The id of a layer, a head or a position: that of the first is `1`."""
    return str(index + 1)


def index_of(id: str | int) -> int:
    """The index of what has this id, from 0."""
    return int(id) - 1


def ids_with_mean(numbers: int | Sequence[int]) -> list[str]:
    """Ids of layers or heads and of their mean: `["1", "2", ..., "mean"]`.

    Args:
        numbers: how many they are, or their numbers, from 0.
    """
    return [*map(to_id, range(numbers) if isinstance(numbers, int) else numbers), MEAN]


def join_ids(ids: Iterable[Sequence[str]]) -> list[str]:
    """All ids of layers, or of heads, that occur in some kind of attention, in order; kinds may be in other layers."""
    joined = {id for each in ids for id in each}
    return [*sorted(joined - {MEAN}, key=int), *(joined & {MEAN})]


def option_labels(names: Sequence[str]) -> dict[str, str]:
    """Id -> label on a control, for ids of layers or heads."""
    return {name: terms.MEAN() if name == MEAN else name for name in names}


def describe(layer: str, head: str) -> str:
    """Name the map of a layer and a head."""
    if layer == MEAN and head == MEAN:
        return OVER_ALL()
    if head == MEAN:
        return OVER_HEADS(layer=layer)
    if layer == MEAN:
        return OVER_LAYERS(head=head)
    return LAYER_AND_HEAD(layer=layer, head=head)


def patch_names(grid: tuple[int, int]) -> tuple[str, ...]:
    """Labels of the patches of a picture on an axis: `row 1, column 1`, row by row."""
    return tuple(patch_name(row, column) for row, column in np.ndindex(*grid))


def patch_name(row: int, column: int) -> str:
    """The label of the patch in this row and column, which count from 0: `row 1, column 1` is the first."""
    return ROW_AND_COLUMN(row=row + 1, column=column + 1)


def grid_names(grid: tuple[int, int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels of the rows and of the columns of patches: `row 1` and `column 1` are the first."""
    rows, columns = grid
    return (
        tuple(say("patch.row", "row {row}", row=row + 1) for row in range(rows)),
        tuple(say("patch.column", "column {column}", column=column + 1) for column in range(columns)),
    )


def position_ids(count: int, grid: tuple[int, int] | None) -> list[str]:
    """Ids of the positions of an axis: a token's number, a patch's row and column, `cls` and `register-1`."""
    if grid is None:
        return [to_id(place) for place in range(count)]
    patches = [f"{row + 1}-{column + 1}" for row, column in np.ndindex(*grid)]
    leading = count - len(patches)
    return ["cls", *(f"register-{number}" for number in range(1, leading))][:leading] + patches


def row_name(read: str, chosen: str) -> str:
    """The name of a row on screen: the token read at it and, where a decoder chose one there, that token.

    `chat \u2192 noir` is the row at which "noir" was chosen after "chat" was read. Columns are named by tokens read
    alone, those of decoder self-attention too, and so is every row of a text that is only read.
    """
    if not chosen:
        return read
    first, second = (literal.isolated(literal.visible(literal.token(token))) for token in (read, chosen))
    return ROW_NAME.format(read=first, chosen=second)


def row_pattern(chosen: Sequence[str]) -> str:
    """The pattern by which a browser names rows that it gets as tokens, see `row_name`."""
    return ROW_NAME if any(chosen) else "{read}"


def row_names(read: Sequence[str], chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """The names of all rows, see `row_name`; `chosen` has a token for each of them, or none."""
    return tuple(map(row_name, read, chosen)) if chosen else tuple(read)


def numbered(labels: Sequence[str]) -> list[str]:
    """Labels that are all different and never start a spreadsheet formula: `1 I`, `2 want`."""
    return [f"{index + 1} {literal.isolated(literal.token(label))}" for index, label in enumerate(labels)]


def token_options(labels: Sequence[str]) -> dict[str, Untranslated]:
    """Options of a choice among tokens: their positions from 1, each labelled as by `numbered`."""
    return {str(position): Untranslated(label) for position, label in enumerate(numbered(labels), 1)}
