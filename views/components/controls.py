"""What a reader chooses in a component: its controls for the script, and what the script may answer.

`controls.js` draws the controls and shows what is chosen at once. Components of one page that know a setting by the
same
name follow each other; the server is told by the one in which something was chosen, half a second later.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from .. import attention_maps
from ..controls.widgets import Choice
from ..text.catalogue import Message

EXACT_BYTES = 1 << 20  # of maps that travel with every digit
WHOLE_BYTES = 5_000_000  # that maps may travel with at all, in half precision
LISTS = ("layer", "head", "row", "column", "shown", "vshown", "sequence", "upto")  # to open; others are rows of buttons
PIECES = ("_query_piece", "_key_piece")  # ends of the names of lists of tokens
RANGES = ("opacity", "kept")  # with a handle to drag
RARE = ("scale", "marks", "opacity", "kept")  # below "Options"

WORDS = {
    "one": attention_maps.LAYER_AND_HEAD,
    "overHeads": attention_maps.OVER_HEADS,
    "overLayers": attention_maps.OVER_LAYERS,
    "overAll": attention_maps.OVER_ALL,
    "options": Message("grid.options", "Options"),
}


def control_specs(choices: Sequence[Choice], elsewhere: Collection[str] = ()) -> list[dict[str, object]]:
    """The choices as the script reads them; those named in `elsewhere` another component draws."""
    return [
        {
            "name": choice.key,
            "label": choice.label,
            "help": choice.help,
            "options": choice.labelled_options(),
            "first": choice.first,
            "always": choice.varies,
            "list": choice.key in LISTS or choice.key.endswith(PIECES),
            "range": choice.key in RANGES,
            "rare": choice.key in RARE,
            "elsewhere": choice.key in elsewhere,
        }
        for choice in choices
    ]


def valid_selection(sent: object, choices: Sequence[Choice]) -> dict[str, str] | None:
    """What a browser says is chosen of each; None if it is not one option of each."""
    if not isinstance(sent, Mapping) or set(sent) != {choice.key for choice in choices}:
        return None
    found = {choice.key: sent[choice.key] if sent[choice.key] in tuple(choice.options) else None for choice in choices}
    return None if None in found.values() else found


def encode_maps(arrays: Sequence[np.ndarray]) -> tuple[str, list[np.ndarray]]:
    """Maps in the form in which they travel: float32 where all need at most `EXACT_BYTES` so, else float16."""
    exact = 4 * sum(array.size for array in arrays) <= EXACT_BYTES
    return ("float32" if exact else "float16"), [array.astype("<f4" if exact else "<f2") for array in arrays]


def fits_exactly(arrays: Sequence[np.ndarray]) -> bool:
    """Whether so many numbers can travel at once, with every digit."""
    return 4 * sum(array.size for array in arrays) <= WHOLE_BYTES


def fits(count: int) -> bool:
    """Whether so many numbers can travel at once."""
    return 2 * count <= WHOLE_BYTES
