"""A picture cut into patches: maps over it, an outline, and the patch that a person chooses.

The weights of one head travel once; choosing another patch redraws its maps in the browser at once, and the page
follows. The payload (`views.components.parts.pack`) holds the weights as float32, then the picture. Which patch is
chosen stands in a mark beside it, so that choosing one leaves the payload as it was.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from views import maps, palette
from views.components import parts
from views.controls import inputs
from views.text.catalogue import Message

Shows = Literal["nothing", "cls", "from", "to"]

WORDS = {
    "patch": maps.PLACE,
    "weight": Message("picture.patch.weight", "row {row}, column {column}: {weight}"),
    "toPatch": Message("picture.mass.to", "CLS attends here with {cls}."),
    "toPatchKept": Message(
        "picture.mass.to.kept",
        "CLS attends here with {cls}. The outline holds {share} % of the map; patches in it: {count}.",
    ),
    "fromPatch": Message("picture.mass", "All patches together {sum}, CLS {cls}."),
    "fromPatchKept": Message(
        "picture.mass.kept",
        "All patches together {sum}, CLS {cls}. The outline holds {share} % of the map; patches in it: {count}.",
    ),
}

_MOUNT = parts.Component("patch_picture", "picture-root")


@dataclass(frozen=True)
class Panel:
    """One copy of the picture.

    Attributes:
        title: above it; empty for none.
        shows: the map over it. "nothing", or weights: "cls" those of CLS as the query (row 0), "from" those of the
            chosen patch as the query (its row), "to" those on the chosen patch as the key (its column).
    """

    title: str
    shows: Shows


@dataclass(frozen=True)
class PatchPicture:
    """What is shown.

    Attributes:
        pixels: `(height, width, 3)` uint8.
        grid: rows and columns of patches; their product is P.
        panels: at least one; all have the same chosen patch.
        title: names the whole for screen readers.
        selected: row and column of the chosen patch, from 0.
        weights: `(1 + P, 1 + P)` float32 attention, CLS first; `(1, 1 + P)` is enough for "cls", None for "nothing".
        top: the weight that gets the deepest colour; None for the largest of each map.
        opacity: of the maps over the picture, from 0 to 1.
        kept: the outline goes around the patches that hold this share of a map's weights on patches; 0 draws none.
    """

    pixels: np.ndarray
    grid: tuple[int, int]
    panels: Sequence[Panel]
    title: str
    selected: tuple[int, int]
    weights: np.ndarray | None = None
    top: float | None = None
    opacity: float = 1.0
    kept: float = 0.0


def payload(shown: PatchPicture, theme: palette.Theme) -> bytes:
    """The bytes that `patch_picture.js` reads."""
    weights = np.zeros((0, 0)) if shown.weights is None else shown.weights
    words, scales = parts.words(WORDS), parts.scales("vision")
    header = parts.fields(shown, theme=theme, selected=None, weights=weights.shape, words=words, scales=scales)
    return parts.pack(header, weights.astype("<f4"), shown.pixels)


def patch_picture(shown: PatchPicture, key: str, on_select: Callable[[int, int], None]) -> None:
    """Mount the picture; `on_select` gets row and column, from 0, of the patch that a person chooses."""
    chosen = lambda sent: parts.cell(sent, *shown.grid), lambda cell: on_select(*cell)
    _MOUNT(key, payload(shown, inputs.theme()), shown.selected, chosen=chosen)
