"""Thumbnails to choose from, and a button that pastes a picture into the page's upload box."""

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PIL import Image, ImageOps

from ..controls.pictures import MAX_BYTES, MAX_PIXELS, NOT_REDUCED, REDUCED_SIDE, TOO_LARGE
from ..text.catalogue import Message
from . import component

THUMBNAIL = 160  # pixels a side; shown at half of that on common screens

WORDS = {
    "paste": Message("picture.paste", "Paste a picture"),
    "empty": Message("picture.paste.empty", "There is no picture in the clipboard: copy one and try again."),
    "refused": Message(
        "picture.paste.refused",
        "The browser does not let this page read the clipboard: press Ctrl+V, or \u2318V, instead.",
    ),
    "unread": Message(
        "picture.paste.unread", "The clipboard could not be read: save the picture as a file and choose that."
    ),
    "reducing": Message("picture.reducing", "The picture is larger than 8 MB and is being made smaller \u2026"),
    "tooHeavy": NOT_REDUCED,
    "tooLarge": TOO_LARGE,
}

_MOUNT = component.Component("picture_strip", "strip-root")


@dataclass(frozen=True)
class Tile:
    """One picture to choose: its name in answers, the label below it, its thumbnail as a data URI."""

    name: str
    label: str
    thumbnail: str


def thumbnail(image: Image.Image) -> str:
    """The middle square of an RGB picture, small, as a data URI."""
    small = ImageOps.fit(image, (THUMBNAIL, THUMBNAIL), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    small.save(file, "JPEG", quality=80)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode()


def picture_strip(
    label: str,
    tiles: Sequence[Tile],
    selected: str,
    key: str,
    on_choose: Callable[[str], None],
    on_refuse: Callable[[], None] | None = None,
) -> None:
    """Mount the strip.

    Args:
        label: names the strip for screen readers.
        selected: the name of the tile that is marked.
        on_choose: called with the name of a tile.
        on_refuse: called when the script refuses a pasted picture; None unless the page shows a message about the
            picture before.
    """
    data = {
        "label": label,
        "tiles": [vars(tile) for tile in tiles],
        "selected": selected,
        "limit": MAX_BYTES,
        "pixels": MAX_PIXELS,
        "side": REDUCED_SIDE,
        "words": component.translated(WORDS),
        "tell": on_refuse is not None,
    }
    handler = partial(component.valid_option, names=[tile.name for tile in tiles]), on_choose
    _MOUNT(key, data, chosen=handler, refused=(bool, lambda _: on_refuse and on_refuse()))
