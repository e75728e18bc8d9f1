"""Lay out all heads as small maps in one picture for a paper or a slide, like the grid on the page, on white."""

from dataclasses import dataclass

import numpy as np

from .. import palette
from ..map_labels import option_labels
from ..map_weights import DECADES, Scale, causal_mask, largest_of_blocks, shade
from ..text import terms
from ..text.catalogue import say
from ..text.numbers import three_digits
from ..viewer.attention_maps import KindMaps
from .drawing import Box, Drawing, Pixels, TextLine, text_width
from .matrix_image import MARGIN, shades

MOST_DOTS = 64  # per side of a map, as on the page; longer inputs show the largest weight of each block of cells
_SUM = 900  # target width in pixels of all maps of a row
_TILE = (56, 120)  # smallest and largest width of a map in pixels
_GAP = 5
_FRAME = "#B9BDC4"


@dataclass(frozen=True, eq=False)
class Overview:
    """Maps with the weights to draw: `(layers + 1, heads + 1, query, key)` float32, means included."""

    maps: KindMaps
    weights: np.ndarray
    scale: Scale

    @property
    def block(self) -> int:
        """Side of the block of cells that one dot represents."""
        return -(-max(self.weights.shape[2:]) // MOST_DOTS)


def overview(maps: KindMaps, scale: Scale, blocks: np.ndarray | None = None) -> Drawing:
    """Lay out title, names, maps and legend. A map is one small picture, so the file stays small for any input.

    Args:
        scale: how weights become shades.
        blocks: the maps reduced by `views.map_weights.reduce_to_blocks`, where all weights are too many.
    """
    return layout(Overview(maps, maps.with_means() if blocks is None else blocks, scale))


def layout(shown: Overview) -> Drawing:
    """The drawing of an overview."""
    queries, keys = shown.weights.shape[2:]
    width = min(_TILE[1], max(_TILE[0], _SUM / len(shown.maps.head_ids)))
    height = width / min(2, max(0.5, keys / queries))  # bounded, so that a short side next to a long one is visible
    layers, heads = (list(option_labels(ids).values()) for ids in (shown.maps.layer_ids, shown.maps.head_ids))
    left, top = MARGIN + 24 + max(text_width(name, 12) for name in layers) + 6, MARGIN + 84
    across, down = width + _GAP, height + _GAP
    right, bottom = left + len(shown.maps.head_ids) * across - _GAP, top + len(shown.maps.layer_ids) * down - _GAP
    title = shown.maps.kind.heading(say("overview.all", "all heads"))
    sides = {"query": shown.maps.kind.queries(), "key": shown.maps.kind.keys()}
    axes = say("overview.axes", "In each map a row is a query ({query}), a column a key ({key}).", **sides)
    legend = _legend(shown, left, bottom + 22)
    items = (
        TextLine(MARGIN, MARGIN + 8, title, size=15),
        TextLine(MARGIN, MARGIN + 30, axes),
        TextLine((left + right) / 2, top - 30, terms.HEAD(), anchor="middle"),
        TextLine(MARGIN + 6, (top + bottom) / 2, terms.LAYER(), anchor="middle", angle=-90),
        *(TextLine(left - 8, top + index * down + height / 2, name, anchor="end") for index, name in enumerate(layers)),
        *(
            TextLine(left + index * across + width / 2, top - 12, name, anchor="middle")
            for index, name in enumerate(heads)
        ),
        *_map_items(shown, (left, top), (width, height)),
        *legend,
    )
    ends = [item.x + text_width(item.text, item.size) for item in (*items[:2], *legend) if isinstance(item, TextLine)]
    return Drawing(max(right, *ends) + MARGIN, bottom + 34 + MARGIN, title, items)


def _map_items(shown: Overview, start: tuple[float, float], size: tuple[float, float]) -> list[Box | Pixels]:
    (left, top), (width, height) = start, size
    items: list[Box | Pixels] = []
    for row, column in np.ndindex(shown.weights.shape[:2]):
        x, y = left + column * (width + _GAP), top + row * (height + _GAP)
        items.append(Box(x - 1, y - 1, width + 2, height + 2, _FRAME))
        items.append(Pixels(x, y, width, height, dots(shown, shown.weights[row, column])))
    return items


def dots(shown: Overview, weights: np.ndarray) -> np.ndarray:
    """One map `(query, key)` as pixels `(rows, columns, 3)` uint8, at most `MOST_DOTS` a side."""
    queries, keys = weights.shape
    whole = weights.shape == shown.maps.weights.shape[2:]
    hidden = shown.maps.masked if whole else causal_mask(queries, keys, shown.maps.kind.causal)  # of blocks
    largest = largest_of_blocks(np.where(hidden, -1, weights), shown.block)  # -1: everything in the block is masked
    top = float(weights.max()) if shown.scale == "own" else _shared_top(shown)
    share = shade(np.maximum(largest, 0), top, shown.scale == "log")
    return shades(share, palette.scale(shown.maps.kind.name, "light"), 0, 1, hidden=largest < 0)


def _shared_top(shown: Overview) -> float:
    return 1.0 if shown.scale == "log" else float(shown.weights.max())


def _legend(shown: Overview, left: float, y: float) -> list[Box | TextLine]:
    scale = palette.scale(shown.maps.kind.name, "light")
    top = _shared_top(shown)
    foot = f"\u2264 {top / 10**DECADES:.3g}" if shown.scale == "log" else "0"
    head = terms.EACH_OWN() if shown.scale == "own" else three_digits(top)
    items: list[Box | TextLine] = [TextLine(left, y, foot)]
    x = left + text_width(foot, 12) + 6
    step = 120 / len(scale)
    items += [Box(x + index * step, y - 5, step + 0.3, 10, colour) for index, colour in enumerate(scale)]
    x += 126
    items.append(TextLine(x, y, head))
    x += text_width(head, 12) + 20
    if shown.maps.kind.causal:
        items += [Box(x, y - 5, 12, 10, palette.MASKED["light"]), TextLine(x + 17, y, terms.MASKED())]
        x += 17 + text_width(terms.MASKED(), 12) + 20
    if shown.block > 1:
        items.append(TextLine(x, y, terms.BLOCKS(block=shown.block)))
    return items
