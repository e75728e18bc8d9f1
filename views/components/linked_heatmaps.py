"""Maps side by side of which a reader chooses layer, head, kind or sequence: all of them travel, the browser draws one.

The script is that of `attention_map`; the controls are those of `choices`. Maps that are too many to travel are `held`
at one place: then a choice is drawn once the server has sent what was chosen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from .. import palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from . import attention_map, component, controls, matrix_row

WORDS = controls.WORDS | attention_map.WORDS


@dataclass(frozen=True, eq=False)
class MapSet:
    """Maps of one kind, side by side.

    Attributes:
        items: `values` are `(*along, row, column)`; `top` is None, one number, or `(*along)`.
        heading: above them, with places in braces for `map`, which is layer and head in words, and for each choice.
        names: for each axis in `along`, what its places are called among the options of that choice.
        links: as in `attention_map`.
    """

    items: Sequence[matrix_row.RowMatrix]
    heading: str
    names: Sequence[Sequence[str]]
    links: attention_map.Links | None = None


@dataclass(frozen=True, eq=False)
class LinkedHeatmaps:
    """What is shown.

    Attributes:
        sets: by the options of the choice "kind"; a single one has any name.
        along: the choices that the first axes of all values follow.
        choices, chosen: what can be chosen, and the option that is.
        elsewhere: choices that another component of the page draws.
        shortcuts: what a button says, and what it chooses.
        beside: how many maps share the width of a wide screen.
        places: labels are places, which need no number to tell them apart.
        held: the first axes have a single place each, that of `chosen`; see `choices.fits`.
    """

    sets: Mapping[str, MapSet]
    along: Sequence[str]
    choices: Sequence[Choice]
    chosen: Mapping[str, str]
    elsewhere: Sequence[str] = ()
    shortcuts: Sequence[tuple[str, Mapping[str, str]]] = field(default_factory=tuple)
    beside: int = 1
    places: bool = False
    held: bool = False


def selected_index(shown: LinkedHeatmaps) -> tuple[str, tuple[int, ...]]:
    """The set that is chosen, and the place in it."""
    name = shown.chosen.get("kind", "")
    name = name if name in shown.sets else next(iter(shown.sets))
    if shown.held:
        return name, (0,) * len(shown.along)
    names = zip(shown.along, shown.sets[name].names, strict=True)
    return name, tuple(list(options).index(shown.chosen[choice]) for choice, options in names)


def payload(shown: LinkedHeatmaps, theme: palette.Theme) -> bytes:
    """The bytes that `attention_map.js` reads: all numbers, and where they are float16 the chosen ones again, exact."""
    arrays = [np.asarray(item.values) for each in shown.sets.values() for item in each.items]
    form, travelling = controls.encode_maps(arrays)
    name, place = selected_index(shown)
    exact = [] if form == "float32" else [item.values[place].astype("<f4") for item in shown.sets[name].items]
    header = {
        "sets": {
            key: {
                "items": [_item_header(item, len(shown.along)) for item in each.items],
                "heading": each.heading,
                "names": each.names,
                "links": each.links,
            }
            for key, each in shown.sets.items()
        },
        "along": shown.along,
        "type": form,
        "exact": [name, *place] if exact else None,
        "held": dict(shown.chosen) if shown.held else None,
        "controls": controls.control_specs(shown.choices, shown.elsewhere),
        "shortcuts": shown.shortcuts,
        "beside": shown.beside,
        "places": shown.places,
        "theme": theme,
        "masked": palette.MASKED,
        "allowed": matrix_row.ALLOWED,
        "words": component.translated(WORDS),
    }
    return component.pack(header, *travelling, *exact)


def _item_header(item: matrix_row.RowMatrix, lead: int) -> dict[str, object]:
    values = np.asarray(item.values, dtype=np.float32)
    if item.top is None:
        finite = np.where(np.isfinite(values), np.abs(values), 0)
        top = finite.max(axis=(-2, -1), initial=0)  # (*along)
    else:
        top = np.broadcast_to(np.asarray(item.top, dtype=np.float64), values.shape[:lead])
    high = np.where(top == 0, 1.0, top).ravel().tolist()
    low = [-each if item.signed else 0.0 for each in high]
    one = matrix_row.RowMatrix(**{**vars(item), "values": values, "top": 1.0})
    return matrix_row.matrix_header(one, values) | {"low": low, "high": high, "tops": top.ravel().tolist()}


def linked_heatmaps(shown: LinkedHeatmaps, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount them; `on_choose` gets what is chosen of each choice, a moment after the last one."""
    chosen = partial(controls.valid_selection, choices=shown.choices), on_choose
    attention_map.MOUNT(key, payload(shown, sentence_input.theme()), dict(shown.chosen), chosen=chosen)
