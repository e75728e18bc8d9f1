"""Maps side by side whose layer, head, kind or sequence the user selects; the browser gets all and draws the selected.

Tokens and the number of a cell are shown on hover, touch and by the arrow keys; a fold contains all numbers as a table.
The cell that is pointed at is marked in all maps. The script is `attention_map`; the controls are those of
`views.components.controls`. If there are too many maps, only the selected ones are sent (`selected_only`): then another
selection is drawn once the server has answered. Maps without choices are mounted by `attention_map`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from .. import map_labels, palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..text import terms
from ..viewer.payload import SentArray, dtype_of, pack
from . import component, controls, html_export, matrix_row

MOUNT = component.Component("attention_map", "maps")
WORDS = controls.WORDS | {
    "read": matrix_row.WORDS["read"],
    "table": terms.NUMBERS_AS_TABLE,
    "cell": map_labels.ATTENDS,
}
Links = Sequence[tuple[Sequence[int], Sequence[int]]]  # for each map, the rows and columns that all maps have


@dataclass(frozen=True, eq=False)
class MapSet:
    """Maps of one kind, side by side."""

    # `values` are `(*along, row, column)`; `top` is None, one number, or `(*along)`
    items: Sequence[matrix_row.RowMatrix]
    heading: str  # above them, with placeholders for `map`, which is layer and head in words, and for each choice
    names: Sequence[Sequence[str]]  # for each axis in `along`, the options of that choice, one for each index
    # for each map, which of its rows and columns all maps have, in the same order; those are marked together. None if
    # all maps have the same axes.
    links: Links | None = None


@dataclass(frozen=True, eq=False)
class LinkedHeatmaps:
    """Sets of maps and the choices among them."""

    sets: Mapping[str, MapSet]  # by the options of the choice "kind"; a single one has any name
    along: Sequence[str]  # the choices whose options index the first axes of all values
    # `choices`, `chosen`: the choices, and the selected option of each
    choices: Sequence[Choice]
    chosen: Mapping[str, str]
    elsewhere: Sequence[str] = ()  # choices that another component of the page draws
    # the label of a button, and the options that it selects
    shortcuts: Sequence[tuple[str, Mapping[str, str]]] = field(default_factory=tuple)
    per_row: int = 1  # how many maps share the width of a wide screen
    places: bool = False  # labels are positions in a picture, which all differ
    selected_only: bool = False  # the first axes have length 1, for the selected option; see `controls.fits`


def selected_index(heatmaps: LinkedHeatmaps) -> tuple[str, tuple[int, ...]]:
    """Name of the selected set, and the index of the selected map in it."""
    name = heatmaps.chosen.get("kind", "")
    name = name if name in heatmaps.sets else next(iter(heatmaps.sets))
    if heatmaps.selected_only:
        return name, (0,) * len(heatmaps.along)
    names = zip(heatmaps.along, heatmaps.sets[name].names, strict=True)
    return name, tuple(list(options).index(heatmaps.chosen[choice]) for choice, options in names)


def payload(heatmaps: LinkedHeatmaps, theme: palette.Theme) -> bytes:
    """The bytes that the script reads: all numbers, and if those are float16 the selected ones as float32."""
    maps_of_sets = {
        f"{key} {place}": np.asarray(item.values)
        for key, maps in heatmaps.sets.items()
        for place, item in enumerate(maps.items)
    }
    dtype = dtype_of(*maps_of_sets.values()) if heatmaps.along else "float32"
    arrays: dict[str, np.ndarray | SentArray] = {key: SentArray(maps, dtype) for key, maps in maps_of_sets.items()}
    name, index = selected_index(heatmaps)
    if dtype != "float32":
        arrays |= {f"exact {place}": item.values[index] for place, item in enumerate(heatmaps.sets[name].items)}
    header = {
        "sets": {
            key: {
                "items": [_item_header(item, len(heatmaps.along)) for item in maps.items],
                "heading": maps.heading,
                "names": maps.names,
                "links": maps.links,
            }
            for key, maps in heatmaps.sets.items()
        },
        "along": heatmaps.along,
        "exact": None if dtype == "float32" else [name, *index],  # no selection, or each choice would send all anew
        "held": dict(heatmaps.chosen) if heatmaps.selected_only else None,
        "controls": controls.control_specs(heatmaps.choices, heatmaps.elsewhere) if heatmaps.choices else None,
        "shortcuts": heatmaps.shortcuts,
        "beside": heatmaps.per_row,
        "places": heatmaps.places,
        "theme": theme,
        "masked": palette.MASKED,
        "allowed": matrix_row.ALLOWED,
        "words": component.translated(WORDS),
    }
    return pack(header, arrays)


def _item_header(item: matrix_row.RowMatrix, leading_axes: int) -> dict[str, object]:
    values = np.asarray(item.values, dtype=np.float32)
    if item.top is None:
        finite = np.where(np.isfinite(values), np.abs(values), 0)
        top = finite.max(axis=(-2, -1), initial=0)  # (*along)
    else:
        top = np.broadcast_to(np.asarray(item.top, dtype=np.float64), values.shape[:leading_axes])
    high = np.where(top == 0, 1.0, top).ravel().tolist()
    low = [-end if item.signed else 0.0 for end in high]
    normalised = replace(item, values=values, top=1.0)
    return matrix_row.matrix_header(normalised) | {"low": low, "high": high, "tops": top.ravel().tolist()}


def linked_heatmaps(heatmaps: LinkedHeatmaps, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount them; `on_choose` gets the selected options, half a second after the last change."""
    handler = partial(controls.valid_selection, choices=heatmaps.choices), on_choose
    MOUNT(key, payload(heatmaps, sentence_input.theme()), dict(heatmaps.chosen), chosen=handler)


def snapshot(heatmaps: LinkedHeatmaps) -> html_export.ComponentSnapshot:
    """The maps and their controls for an HTML file or a notebook."""
    content = payload(heatmaps, "light")  # the browser uses its own theme
    return html_export.ComponentSnapshot("attention_map", "maps", content, dict(heatmaps.chosen), html_export.EXACT())


def attention_map(
    items: Sequence[matrix_row.RowMatrix], key: str, per_row: int = 1, links: Links | None = None, places: bool = False
) -> None:
    """Mount maps without choices; arguments as of `MapSet` and `LinkedHeatmaps`."""
    maps = {"": MapSet(items, "", (), links)}
    MOUNT(key, payload(LinkedHeatmaps(maps, (), (), {}, per_row=per_row, places=places), sentence_input.theme()))
