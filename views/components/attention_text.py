"""Running text whose tokens are coloured by the attention of the token that is pointed at, drawn in the browser.

The payload is that of `attention_kinds`: all maps of all kinds, with the choices of layer and head, whole words,
special tokens and texts. Layer and head may be means. Tokens that are parts of a picture are drawn over the picture,
which is in the text where they are.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

import numpy as np

from ..controls.widgets import Choice
from ..text.catalogue import Message, say
from ..viewer.payload import EXACT_BYTES
from . import attention_kinds, component, controls, html_export
from .attention_kinds import GridOfKinds

WORDS = {
    "queries": Message("text.queries", "Point at a token to see what it attends to; click or press Enter to keep it"),
    "keys": Message("text.keys", "What is attended to"),
    "attends": Message("text.attends", "{token} attends to: {list}"),
    "weight": Message("text.weight", "{token} {weight}"),
    "nothing": Message("text.nothing", "No token is chosen."),
}
PICTURE_WORDS = {
    "queries": Message(
        "text.pictured.queries",
        "Point at a token or at a part of the picture; click or press Enter to keep it. The colours of a picture "
        "end at the largest weight in that picture, those of the text at the largest weight in the text.",
    ),
    "attended": Message("text.attended", "{token} is attended to by: {list}"),
    "picture": Message("text.picture", "; the picture gets {weight} in all"),
    "pictures": Message("text.pictures", "; picture {number} gets {weight} in all"),
}
DIRECTIONS = {
    "from": Message("text.direction.from", "attends to"),
    "to": Message("text.direction.to", "is attended to by"),
}
NAME, ROOT = "attention_text", "text-root"
MOUNT = component.Component(NAME, ROOT)


class PictureTokens(Protocol):
    """A picture in the text, such as `views.viewer.pictured_maps.PictureInText`."""

    @property
    def pixels(self) -> np.ndarray: ...

    @property
    def grid(self) -> tuple[int, int]: ...

    @property
    def places(self) -> Sequence[int]: ...


def direction_choice() -> Choice:
    """Whether a token's attention is shown, or what attends to it."""
    return Choice(say("text.direction", "The chosen token"), DIRECTIONS, "direction")


def payload(by_kind: GridOfKinds, exact_bytes: int = EXACT_BYTES, pictures: Sequence[PictureTokens] = ()) -> bytes:
    """The bytes that the script reads; the browser uses its own theme.

    Args:
        pictures: those in the text; positions of their parts are queries and keys of every kind.
    """
    texts = component.translated(WORDS | PICTURE_WORDS if pictures else WORDS)
    placed = [{"grid": list(picture.grid), "places": list(picture.places)} for picture in pictures]
    images = {f"picture {number}": picture.pixels for number, picture in enumerate(pictures)}
    return attention_kinds.payload(by_kind, "light", exact_bytes, {"texts": texts, "pictures": placed}, images)


def attention_text(
    by_kind: GridOfKinds,
    key: str,
    on_choose: Callable[[Mapping[str, str]], None],
    pictures: Sequence[PictureTokens] = (),
) -> None:
    """Mount the text; `on_choose` gets the selected options, half a second after the last change."""
    handler = partial(controls.valid_selection, choices=by_kind.choices), on_choose
    MOUNT(key, payload(by_kind, pictures=pictures), dict(by_kind.chosen), chosen=handler)


def snapshot(by_kind: GridOfKinds, pictures: Sequence[PictureTokens] = ()) -> html_export.ComponentSnapshot:
    """The text and its controls for an HTML file or a notebook."""
    content = payload(by_kind, html_export.EXACT_BYTES, pictures)
    exact = sum(sheet.weights.nbytes for sheet in by_kind.sheets.values()) <= html_export.EXACT_BYTES
    rounded = say("saved.rounded.half", "rounded to half precision: three digits down to 0.0001")
    return html_export.ComponentSnapshot(
        NAME, ROOT, content, dict(by_kind.chosen), html_export.EXACT() if exact else rounded
    )
