"""Large maps of weights side by side: drawn, read out and compared in the browser.

The tokens and the number of a cell are shown on hover, touch and by the arrow keys; a fold contains all numbers as a
table. The cell that is pointed at is marked in all maps. `WeightMap` of web/src/core/weight_map.ts draws a map; the
overview in `attention_grid` uses it for the selected one.
"""

from collections.abc import Sequence

from ..controls import sentence_input
from ..text import terms
from . import component, matrix_row

MOUNT = component.Component("attention_map", "maps")
WORDS = {"read": matrix_row.WORDS["read"], "table": terms.NUMBERS_AS_TABLE}
Links = Sequence[tuple[Sequence[int], Sequence[int]]]


def attention_map(
    items: Sequence[matrix_row.RowMatrix], key: str, per_row: int = 1, links: Links | None = None, places: bool = False
) -> None:
    """Mount the maps.

    Args:
        per_row: how many share the width of a wide screen.
        links: for each map, which of its rows and columns all maps have, in the same order; those are marked together.
            None if all maps have the same axes.
        places: labels are positions in a picture, which all differ.
    """
    more = {"links": links, "places": places, "words": component.translated(WORDS)}
    MOUNT(key, matrix_row.payload(items, sentence_input.theme(), per_row, **more))
