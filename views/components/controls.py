"""Controls that a component draws itself: their specification for the script, and checks of its answers.

web/src/core/controls.ts draws the controls and updates the component at once. Components of one page that have a
setting of the same name follow each other; the one in which the user changed it reports the selection to the server
after half a second.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from .. import map_labels
from ..controls.widgets import Choice
from ..text.catalogue import Message

WHOLE_BYTES = 5_000_000  # of maps that are sent at all, in half precision
LISTS = (
    "layer",
    "head",
    "row",
    "column",
    "shown",
    "vshown",
    "sequence",
    "upto",
)  # drop-down lists; others are rows of buttons
PIECES = ("_query_piece", "_key_piece")  # suffixes of the names of lists of tokens
RANGES = ("opacity", "kept")  # sliders
RARE = ("scale", "marks", "opacity", "kept")  # in the fold "Options"

WORDS = {
    "one": map_labels.LAYER_AND_HEAD,
    "overHeads": map_labels.OVER_HEADS,
    "overLayers": map_labels.OVER_LAYERS,
    "overAll": map_labels.OVER_ALL,
    "options": Message("grid.options", "Options"),
}


def control_specs(
    choices: Sequence[Choice], elsewhere: Collection[str] = (), sliders: Collection[str] = ()
) -> list[dict[str, object]]:
    """The choices as the script reads them.

    Args:
        elsewhere: names of those that another component draws.
        sliders: names of those that are drawn as sliders here, besides `RANGES`.
    """
    specs = []
    for choice in choices:
        looks = {
            "help": choice.help,
            "always": choice.varies,
            "list": choice.key in LISTS or choice.key.endswith(PIECES),
            "range": choice.key in RANGES or choice.key in sliders,
            "rare": choice.key in RARE,
            "elsewhere": choice.key in elsewhere,
        }
        spec = {"name": choice.key, "label": choice.label, "options": choice.labelled_options(), "first": choice.first}
        specs.append(spec | {name: value for name, value in looks.items() if value})
    return specs


def valid_selection(sent: object, choices: Sequence[Choice]) -> dict[str, str] | None:
    """The selection that a browser sent, an option of each choice; None if it is invalid."""
    if not isinstance(sent, Mapping) or set(sent) != {choice.key for choice in choices}:
        return None
    if any(sent[choice.key] not in tuple(choice.options) for choice in choices):
        return None
    return {choice.key: sent[choice.key] for choice in choices}


def fits_exactly(arrays: Sequence[np.ndarray]) -> bool:
    """Whether the arrays can be sent at once, with every digit."""
    return 4 * sum(array.size for array in arrays) <= WHOLE_BYTES


def fits(count: int) -> bool:
    """Whether so many numbers can be sent at once, in half precision."""
    return 2 * count <= WHOLE_BYTES
