"""A Vision Transformer on the stage: ribbons from patches to CLS in every layer, and the class that is read there.

The payload is that of `patch_picture` with CLS as the query; the browser draws any layer and head without a request.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from .. import palette
from ..controls import sentence_input
from ..text import terms
from ..text.catalogue import Message
from ..viewer.payload import float32_numbers
from . import component, controls, patch_picture
from .patch_picture import PatchPicture

_MOUNT = component.Component("picture_stage", "picture-root")
WORDS = patch_picture.WORDS | {
    "layers": Message("picture-stage.layers", "CLS in every layer"),
    "attends": Message("picture-stage.attends", "CLS in {name} attends to: {list}."),
    "read": Message("picture-stage.read", "Read as: {class} {probability}."),
    "layer": Message("picture-stage.layer", "Layer {layer}"),
    "mean": Message("picture-stage.mean", "Mean"),
    "own": Message("picture-stage.own", "CLS itself"),
    "other": Message("picture-stage.other", "other patches"),
    "note": Message(
        "picture-stage.note",
        "Each bar is the attention of CLS in one layer and is 1 long: grey is CLS itself, then a part for each ribbon; "
        "the rest is hatched. A ribbon shows where values are read, not why a class is chosen.",
    ),
    "noteRead": Message(
        "picture-stage.note.read",
        "The class next to a layer is read from CLS after that layer, by the last norm and the output layer; after "
        "the last layer it is the answer.",
    ),
    "table": Message("picture-stage.table", "CLS in every layer, as a table"),
    "allPatches": Message("picture-stage.patches", "all patches"),
    "strongestPatch": Message("picture-stage.strongest", "strongest patch"),
    "itsWeight": Message("picture-stage.weight", "its weight"),
    "readAs": Message("picture-stage.read-as", "read as"),
    "probability": terms.PROBABILITY,
}


OF_TEN = {  # in place of these, where no class may be right
    "read": Message("picture-stage.read-of-ten", "Best of ten: {class} {probability}."),
    "noteRead": Message(
        "picture-stage.note.read-of-ten",
        "The word next to a layer is the best of the ten there, read from CLS after that layer by the last norm and "
        "the output layer. All ten may be wrong.",
    ),
    "readAs": Message("picture-stage.read-as-of-ten", "best of ten"),
}
HEADED = Message("picture-stage.layer-of-ten", "Layer {layer}: best of ten")


@dataclass(frozen=True, eq=False)
class PictureStage:
    """What the stage shows."""

    picture: PatchPicture  # with one panel, CLS as the query of all layers and heads, means included
    classes: Sequence[str] = ()  # names
    # `(layer, class)` probabilities that are read from CLS after each layer, without the mean; None for none
    read: np.ndarray | None = None
    may_be_none: bool = False  # the picture may show none of the classes: a layer is headed as the best of ten


def stage_words(may_be_none: bool) -> dict[str, Message]:
    """The words of a stage."""
    return WORDS | (OF_TEN if may_be_none else {})


def payload(stage: PictureStage, theme: palette.Theme) -> bytes:
    """The bytes that `web/src/views/picture_stage.ts` reads."""
    is_read = stage.read is not None
    more = {
        "classes": list(stage.classes) if is_read else [],
        "read": [] if stage.read is None else [float32_numbers(row) for row in stage.read],
        "words": component.translated(stage_words(stage.may_be_none))
        | {"headed": component.translated({"headed": HEADED})["headed"] if stage.may_be_none else ""},
    }
    return patch_picture.payload(stage.picture, theme, more=more)


def picture_stage(stage: PictureStage, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount the stage; `on_choose` gets the selected options, half a second after the last change."""
    picture = stage.picture
    handler = partial(controls.valid_selection, choices=picture.choices), on_choose
    content = payload(stage, sentence_input.theme())
    _MOUNT(key, content, dict(picture.chosen), patch_picture.exact_weights(picture), chosen=handler)
