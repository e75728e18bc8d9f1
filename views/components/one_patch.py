"""How the patch that is selected in a picture becomes a vector, and the sequence of all patches.

The payload contains the embeddings of all patches as float32, and the picture. The
script cuts the patches from it, so that another one is drawn without the server.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .. import kind_labels, map_labels, palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..patch_grid import CHANNELS
from ..text.catalogue import Message
from ..viewer.payload import pack
from . import component, controls

Shows = Literal["steps", "sequence"]
INKS = ("#C0392B", "#2E8B57", "#2F6FB5")  # red, green, blue: colours of the channels, not of a kind of attention

WORDS = dict(zip(("red", "green", "blue"), CHANNELS, strict=True)) | {
    "title": Message("vision.patch.title", "Patch in row {row}, column {column}: position {position} of the sequence"),
    "pixels": Message("patch.pixels", "{size} \u00d7 {size} pixels, and how much of each colour they have"),
    "flattened": Message("patch.flattened", "Flattened: {count} numbers, \u22121 to 1: all red, all green, all blue"),
    "embedded": Message("patch.embedded", "Embedded: W x + b, {count} numbers"),
    "dimension": Message("patch.dimension", "dimension {place}"),
    "steps": Message(
        "patch.steps",
        "A patch as pixels, as colour planes, as a vector, and embedded. The table below has the same numbers.",
    ),
    "cls": Message("patch.cls", "position 0: CLS, a learned vector"),
    "position": Message("patch.position", "position {position}: {patch}"),
    "patch": map_labels.ROW_AND_COLUMN,
}

_MOUNT = component.Component("one_patch", "one-patch")


@dataclass(frozen=True, eq=False)
class OnePatch:
    """A picture, its patches and their embeddings."""

    shows: Shows  # the steps from the selected patch to its embedding, or all patches in order, the selected one marked
    pixels: np.ndarray  # `(height, width, 3)` uint8, whole patches
    grid: tuple[int, int]  # rows and columns of patches; their product is P
    # `choices`, `chosen`: "row" and "column" of a patch, from 1, and the selected ones; another component draws them
    choices: Sequence[Choice]
    chosen: Mapping[str, str]
    embeddings: np.ndarray | None = None  # `(P, d_model)`; None if the sequence is shown


def payload(patch_view: OnePatch, theme: palette.Theme) -> bytes:
    """The bytes that the script reads."""
    header = component.header_fields(
        patch_view,
        theme=theme,
        choices=None,
        chosen=None,  # it is in the mark
        controls=controls.control_specs(patch_view.choices, elsewhere=[choice.key for choice in patch_view.choices]),
        inks=INKS,
        hue=palette.HUES["vision"],
        first=kind_labels.CLS,
        words=component.translated(WORDS),
    )
    return pack(header, {"embeddings": patch_view.embeddings, "pixels": patch_view.pixels})


def one_patch(patch_view: OnePatch, key: str) -> None:
    """Mount it."""
    _MOUNT(key, payload(patch_view, sentence_input.theme()), dict(patch_view.chosen))
