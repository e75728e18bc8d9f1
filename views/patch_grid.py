"""Patches of a picture as plain arrays: one patch as a vector, and the patches with most of a map's weight."""

import numpy as np

from . import map_weights
from .text.catalogue import Message

CHANNELS = (  # each with the label of one of its pixels
    Message("pixel.red", "red, pixel row {row}, column {column}"),
    Message("pixel.green", "green, pixel row {row}, column {column}"),
    Message("pixel.blue", "blue, pixel row {row}, column {column}"),
)


def as_bytes(pixels: np.ndarray) -> np.ndarray:
    """Pixels in [0, 1] as uint8, same shape."""
    return (pixels * 255).round().clip(0, 255).astype(np.uint8)


def grey(pixels: np.ndarray) -> np.ndarray:
    """A picture `(height, width, 3)` uint8 in grey, so that all colour belongs to the map over it."""
    brightness = pixels @ np.array([0.299, 0.587, 0.114])  # (height, width), ITU-R BT.601
    return np.repeat(brightness.round().astype(np.uint8)[..., None], 3, axis=2)


def patch_pixels(pixels: np.ndarray, row: int, column: int, size: int) -> np.ndarray:
    """The pixels `(size, size, channel)` of one patch; row and column count from 0."""
    return pixels[row * size : (row + 1) * size, column * size : (column + 1) * size]


def flattened(patch: np.ndarray) -> np.ndarray:
    """A patch `(size, size, 3)` in [0, 1] as the vector `(3 * size ** 2,)` in [-1, 1] that the model embeds, float64.

    All red values come first, row by row, then green, then blue.
    """
    return patch.astype(np.float64).transpose(2, 0, 1).ravel() * 2 - 1


def value_names(size: int) -> list[str]:
    """Labels of the values of a flattened patch: `red, pixel row 1, column 1`, in order."""
    places = [(row, column) for row in range(1, size + 1) for column in range(1, size + 1)]
    return [channel(row=row, column=column) for channel in CHANNELS for row, column in places]


def strongest_entries(weights: np.ndarray, share: float) -> np.ndarray:
    """The fewest entries, largest first, with at least `share` of the sum: the masks of DINO (Caron et al. 2021).

    Bool, of the shape of `weights`, which are not negative. A browser test compares it with `patch_picture`.
    """
    return map_weights.strongest_keys(weights.ravel(), share).reshape(weights.shape)


def outline_edges(selected: np.ndarray) -> list[tuple[int, int, bool]]:
    """The edges between entries that are selected and those that are not, of `(row, column)` bool.

    Returns:
        Corner (row, column) where an edge of length 1 starts, and True if it runs to the right, False if down.
    """
    framed = np.pad(selected, 1)
    across = framed[1:, 1:-1] != framed[:-1, 1:-1]  # (row + 1, column)
    down = framed[1:-1, 1:] != framed[1:-1, :-1]  # (row, column + 1)
    return [(int(r), int(c), True) for r, c in np.argwhere(across)] + [
        (int(r), int(c), False) for r, c in np.argwhere(down)
    ]
