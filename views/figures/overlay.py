"""Mix a map with its picture, patch by patch, as plain pixels."""

import base64
import io

import numpy as np
from PIL import Image

from .. import palette

OPACITY = 0.7  # of the map


def overlay(pixels: np.ndarray, scores: np.ndarray, theme: palette.Theme, opacity: float = OPACITY) -> np.ndarray:
    """Mix a picture with a map in vision purple, from its least to its largest score; every patch stays one square.

    Args:
        pixels: `(height, width, 3)` in [0, 1], whole patches.
        scores: `(row, column)`, finite.
        opacity: of the map, from 0 (picture only) to 1 (map only).

    Returns:
        `(height, width, 3)` uint8.
    """
    return mixed(255 * pixels, (scores - scores.min()) / (np.ptp(scores) or 1), theme, opacity)


def mixed(pixels: np.ndarray, share: np.ndarray, theme: palette.Theme, opacity: float) -> np.ndarray:
    """A picture `(height, width, 3)` from 0 to 255 under a map `(row, column)` from 0 to 1, as uint8."""
    tall, wide = pixels.shape[0] // share.shape[0], pixels.shape[1] // share.shape[1]
    colours = shades(share, theme).repeat(tall, axis=0).repeat(wide, axis=1)  # (height, width, 3)
    return (pixels * (1 - opacity) + colours * opacity).round().clip(0, 255).astype(np.uint8)


def signed(pixels: np.ndarray, share: np.ndarray, theme: palette.Theme, kind: str = palette.DIFFERENCE) -> np.ndarray:
    """A picture `(height, width, 3)` uint8 under numbers `(row, column)` from -1 to 1; 0 is clear."""
    tall, wide = pixels.shape[0] // share.shape[0], pixels.shape[1] // share.shape[1]
    wide_share = share.repeat(tall, axis=0).repeat(wide, axis=1)[..., None]  # (height, width, 1)
    scale = palette.signed_scale(kind, theme)
    below, above = (np.array(palette.to_rgb(scale[end]), dtype=float) for end in (0, -1))
    cover = np.abs(wide_share).clip(0, 1) * 0.9
    mixed_in = np.where(wide_share < 0, below, above)
    return (pixels * (1 - cover) + mixed_in * cover).round().clip(0, 255).astype(np.uint8)


def shades(share: np.ndarray, theme: palette.Theme, kind: str = "vision") -> np.ndarray:
    """Numbers from 0 to 1 as colours of a kind's scale: `(..., 3)` float64 from 0 to 255."""
    return palette.shades(share, palette.scale(kind, theme))


def rearranged(pixels: np.ndarray, order: np.ndarray, patch_size: int) -> np.ndarray:
    """A picture `(height, width, channel)` with its patches in the order `order` `(patch,)`, row by row."""
    rows, columns = pixels.shape[0] // patch_size, pixels.shape[1] // patch_size
    blocks = pixels.reshape(rows, patch_size, columns, patch_size, -1).swapaxes(1, 2)  # (row, column, y, x, channel)
    reordered = blocks.reshape(rows * columns, patch_size, patch_size, -1)[order].reshape(blocks.shape)
    return reordered.swapaxes(1, 2).reshape(pixels.shape)


def enlarged(pixels: np.ndarray, side: int = 384) -> np.ndarray:
    """`(height, width, 3)` uint8 made at least `side` pixels wide by repeating pixels, so that patches stay sharp."""
    times = max(1, -(-side // pixels.shape[1]))
    return pixels.repeat(times, axis=0).repeat(times, axis=1)


def to_png(pixels: np.ndarray) -> bytes:
    """`(height, width, 3)` uint8 as a PNG file."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=1)
    return file.getvalue()


def data_url(pixels: np.ndarray) -> str:
    """`(height, width, 3)` uint8 as the data URL of a PNG."""
    return "data:image/png;base64," + base64.b64encode(to_png(pixels)).decode()
