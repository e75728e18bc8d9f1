"""A picture in patches: maps over it, an outline of the strongest patches, and the patch that the user selects.

The maps of all heads are sent once; another patch or head is drawn by the browser at once, and the page is run half a
second later. The payload contains the picture, and the weights as float32. If there are many they are float16; then
those of the selected head are sent as float32 outside of the payload, which therefore does not change with the
selection.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from .. import map_labels, palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..text.catalogue import Message
from ..viewer.payload import EXACT_BYTES, SentArray, dtype_of, pack
from . import component, controls, html_export

Shows = Literal["nothing", "cls", "from", "to"] | int

WORDS = controls.WORDS | {
    "patch": map_labels.ROW_AND_COLUMN,
    "weight": Message("picture.patch.weight", "row {row}, column {column}: {weight}"),
    "toPatch": Message("picture.mass.to", "CLS attends here with {cls}."),
    "toPatchKept": Message(
        "picture.mass.to.kept",
        "CLS attends here with {cls}. The outline has {share} % of the map; patches in it: {count}.",
    ),
    "strongest": Message("picture.strongest", "Strongest: row {row}, column {column}."),
    "fromPatch": Message("picture.mass", "All patches together {sum}, CLS {cls}."),
    "fromPatchKept": Message(
        "picture.mass.kept",
        "All patches together {sum}, CLS {cls}. The outline has {share} % of the map; patches in it: {count}.",
    ),
}

_MOUNT = component.Component("patch_picture", "picture-root")


@dataclass(frozen=True)
class PicturePanel:
    """One copy of the picture."""

    title: str  # above it; empty for none
    # the map over it: "nothing", or the weights of a query or key: "cls" of CLS as the query (row 0), "from" of the
    # selected patch as the query (its row), "to" of the selected patch as the key (its column). A number is a row that
    # is a map of its own, drawn from its least to its largest number.
    shows: Shows


@dataclass(frozen=True)
class PatchPicture:
    """The picture, its maps and the choices."""

    pixels: np.ndarray  # `(height, width, 3)` uint8
    grid: tuple[int, int]  # rows and columns of patches; their product is P
    panels: Sequence[PicturePanel]  # at least one; all have the same selected patch
    title: str  # names the whole for screen readers
    # `choices`, `chosen`: the choices, and the selected option of each: "row" and "column" of a patch, from 1; perhaps
    # "layer" and "head", "scale", and in percent "opacity" of the maps and "kept", the share of a map that is outlined
    choices: Sequence[Choice]
    chosen: Mapping[str, str]
    elsewhere: Sequence[str] = ()  # choices that another component of the page draws
    heading: str = ""  # above the panels, with a placeholder `{map}`; empty for none
    # `(layer, head, 1 + P, 1 + P)` float32 attention, CLS first; `(layer, head, 1, 1 + P)` is enough for "cls", None
    # for "nothing". A map of its own has one row, whose first number is ignored.
    weights: np.ndarray | None = None
    # of the layers and of the heads in the payload; if there are too many, only the selected ones
    names: tuple[Sequence[str], Sequence[str]] = ((), ())
    # `(layer, head)`, the weight that gets the deepest colour on a shared scale; None for that of each map
    tops: np.ndarray | None = None
    along: tuple[str, str] = ("layer", "head")  # the choices whose options index the first two axes
    beside: bool = False  # heading, controls and read-outs are next to the picture where there is room; for one panel
    sliders: Sequence[str] = ()  # choices that are drawn as sliders
    percent: bool = False  # whether the numbers are probabilities of classes, which are in per cent


def payload(
    picture: PatchPicture,
    theme: palette.Theme,
    exact_bytes: int = EXACT_BYTES,
    more: Mapping[str, object] | None = None,
) -> bytes:
    """The bytes that the script reads; weights with every digit up to `exact_bytes`.

    Args:
        more: further fields for a script that shows more, or other values of fields.
    """
    weights = _sent_weights(picture, exact_bytes)
    header = component.header_fields(
        picture,
        theme=theme,
        **{
            "choices": None,
            "chosen": None,  # it is in the mark
            "controls": controls.control_specs(picture.choices, picture.elsewhere, picture.sliders),
            "names": [list(names) or [""] for names in picture.names],
            "tops": [] if picture.tops is None else picture.tops.tolist(),
            "id": zlib.crc32(weights.encoded),
            "words": component.translated(WORDS),
            "scales": component.scales("vision"),
        }
        | dict(more or {}),
    )
    return pack(header, {"pixels": picture.pixels, "weights": weights})


def _sent_weights(picture: PatchPicture, exact_bytes: int = EXACT_BYTES) -> SentArray:
    weights = np.zeros((1, 1, 0, 0)) if picture.weights is None else picture.weights
    return SentArray(weights, dtype_of(weights, exact_bytes=exact_bytes))


def exact_weights(picture: PatchPicture) -> tuple[str, np.ndarray] | None:
    """The weights of the selected head and a name for them; None if the payload contains all with every digit."""
    weights = _sent_weights(picture)
    if picture.weights is None or weights.dtype == "float32":
        return None
    axes = zip(picture.along, picture.names, strict=True)
    index = tuple(list(names).index(picture.chosen[choice]) for choice, names in axes)
    return f"{zlib.crc32(weights.encoded)},{','.join(map(str, index))}", picture.weights[index]


def patch_picture(picture: PatchPicture, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount the picture; `on_choose` gets the selected options, half a second after the last change."""
    handler = partial(controls.valid_selection, choices=picture.choices), on_choose
    _MOUNT(key, payload(picture, sentence_input.theme()), dict(picture.chosen), exact_weights(picture), chosen=handler)


def snapshot(picture: PatchPicture) -> html_export.ComponentSnapshot:
    """The picture and its maps for an HTML file or a notebook."""
    content = payload(picture, "light", html_export.EXACT_BYTES)  # the browser uses its own theme
    chosen, numbers = dict(picture.chosen), html_export.EXACT()
    return html_export.ComponentSnapshot("patch_picture", "picture-root", content, chosen, numbers)
