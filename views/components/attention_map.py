"""Maps of weights side by side, each large: drawn, read out and compared in the browser.

Every cell says its tokens and its number under the pointer, to a finger and by the arrow keys, and the numbers stand in
a table below a fold. What is pointed at in one map is marked in all of them. `attention_map.map.js` draws a map; the
overview in `attention_grid` shows its chosen one with it.
"""

from collections.abc import Sequence

from ..controls import sentence_input
from ..text import terms
from . import component, matrix_row

MOUNT = component.Component("attention_map", "maps")
WORDS = {"read": matrix_row.WORDS["read"], "table": terms.NUMBERS_AS_TABLE}
Links = Sequence[tuple[Sequence[int], Sequence[int]]]


def attention_map(
    items: Sequence[matrix_row.RowMatrix], key: str, beside: int = 1, links: Links | None = None, places: bool = False
) -> None:
    """Mount the maps.

    Args:
        beside: how many share the width of a wide screen.
        links: for each map, which of its rows and which of its columns all maps have, in the same order; those are
            marked together. None where all maps have the same axes.
        places: labels are places, which need no number to tell them apart.
    """
    more = {"links": links, "places": places, "words": component.translated(WORDS)}
    MOUNT(key, matrix_row.payload(items, sentence_input.theme(), beside, **more))
