"""A picture cut into patches: maps over it, an outline, and the patch that a person chooses.

The maps of all heads travel once; choosing another patch or another head redraws them in the browser, and the page
follows a moment later. The payload (`views.components.component.pack`) holds the picture, then the weights as float32,
or
where they are many as float16; those of the chosen head then stand beside it as float32, so that the payload stays as
it is when another head is chosen.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from .. import attention_maps, palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..text.catalogue import Message
from . import component, controls

Shows = Literal["nothing", "cls", "from", "to"] | int

WORDS = controls.WORDS | {
    "patch": attention_maps.ROW_AND_COLUMN,
    "weight": Message("picture.patch.weight", "row {row}, column {column}: {weight}"),
    "toPatch": Message("picture.mass.to", "CLS attends here with {cls}."),
    "toPatchKept": Message(
        "picture.mass.to.kept",
        "CLS attends here with {cls}. The outline holds {share} % of the map; patches in it: {count}.",
    ),
    "strongest": Message("picture.strongest", "Strongest: row {row}, column {column}."),
    "fromPatch": Message("picture.mass", "All patches together {sum}, CLS {cls}."),
    "fromPatchKept": Message(
        "picture.mass.kept",
        "All patches together {sum}, CLS {cls}. The outline holds {share} % of the map; patches in it: {count}.",
    ),
}

_MOUNT = component.Component("patch_picture", "picture-root")


@dataclass(frozen=True)
class PicturePanel:
    """One copy of the picture.

    Attributes:
        title: above it; empty for none.
        shows: the map over it. "nothing", or weights: "cls" those of CLS as the query (row 0), "from" those of the
            chosen patch as the query (its row), "to" those on the chosen patch as the key (its column). A number is a
            row that is a map by itself, drawn from its least to its largest number.
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
        choices, chosen: what can be chosen, and the option that is: "row" and "column" of a patch, from 1; perhaps
            "layer" and "head", "scale", and in percent "opacity" of the maps and "kept", the share of a map that the
            outline holds.
        elsewhere: choices that another component of the page draws.
        heading: above the panels, with a place for `{map}`; empty for none.
        weights: `(layer, head, 1 + P, 1 + P)` float32 attention, CLS first; `(layer, head, 1, 1 + P)` is enough for
            "cls", None for "nothing". Maps by themselves have a row each, which begins with any number.
        along: the choices that the first two axes follow.
        names: of the layers and of the heads; fewer than can be chosen where only these can travel.
        tops: `(layer, head)`, the weight that gets the deepest colour on a shared scale; None for that of each map.
    """

    pixels: np.ndarray
    grid: tuple[int, int]
    panels: Sequence[PicturePanel]
    title: str
    choices: Sequence[Choice]
    chosen: Mapping[str, str]
    elsewhere: Sequence[str] = ()
    heading: str = ""
    weights: np.ndarray | None = None
    names: tuple[Sequence[str], Sequence[str]] = ((), ())
    tops: np.ndarray | None = None
    along: tuple[str, str] = ("layer", "head")


def payload(shown: PatchPicture, theme: palette.Theme) -> bytes:
    """The bytes that `patch_picture.js` reads."""
    weights = np.zeros((1, 1, 0, 0)) if shown.weights is None else shown.weights
    form, (sent,) = controls.encode_maps([weights])
    header = component.header_fields(
        shown,
        theme=theme,
        choices=None,
        chosen=None,  # it stands in the mark
        controls=controls.control_specs(shown.choices, shown.elsewhere),
        weights=weights.shape,
        names=[list(names) or [""] for names in shown.names],
        tops=[] if shown.tops is None else shown.tops.tolist(),
        form=form,
        id=zlib.crc32(sent.tobytes()),
        words=component.translated(WORDS),
        scales=component.scales("vision"),
    )
    return component.pack(header, shown.pixels, sent)  # the script copies each, so that both are aligned


def exact_weights(shown: PatchPicture) -> tuple[str, np.ndarray] | None:
    """The weights of the chosen head, and of what and which they are; None where all travel with every digit."""
    if shown.weights is None:
        return None
    form, (sent,) = controls.encode_maps([shown.weights])
    if form == "float32":
        return None
    named = zip(shown.along, shown.names, strict=True)
    place = tuple(list(names).index(shown.chosen[name]) for name, names in named)
    return f"{zlib.crc32(sent.tobytes())},{','.join(map(str, place))}", shown.weights[place]


def patch_picture(shown: PatchPicture, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount the picture; `on_choose` gets what is chosen of each choice, a moment after the last one."""
    chosen = partial(controls.valid_selection, choices=shown.choices), on_choose
    _MOUNT(key, payload(shown, sentence_input.theme()), dict(shown.chosen), exact_weights(shown), chosen=chosen)
