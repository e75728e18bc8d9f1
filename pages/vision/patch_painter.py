"""Patches that the user paints over on the grid of a picture, and the picture without some of them."""

import numpy as np

from model.tracing.picture_trace import PatchTrace
from pages.shared.charts import paint_matrix
from views import map_labels, patch_grid
from views.controls import painted
from views.figures import overlay
from views.text import terms


def paint_patches(
    trace: PatchTrace, name: str, key: str, start: np.ndarray, label: str, words: tuple[str, str]
) -> np.ndarray:
    """Render the patches of a square grid, and let the user paint over them; arguments as of `paint_matrix`.

    Args:
        start: `(row, column)` bool, before any patch is painted.

    Returns:
        The same as painted.
    """
    names = [map_labels.to_id(number) for number in range(trace.grid[0])]
    axes = names, names, terms.ROW(), terms.COLUMN()
    return paint_matrix(name, start, axes, key, label, "vision", words, painted.decode_stretched)


def middle(grid: tuple[int, int]) -> np.ndarray:
    """The patches in the middle half of the rows and columns, `(row, column)` bool."""
    chosen = np.zeros(grid, dtype=bool)
    rows, columns = (slice(side // 4, side - side // 4) for side in grid)
    chosen[rows, columns] = True
    return chosen


def masked_picture(trace: PatchTrace, visible: np.ndarray) -> np.ndarray:
    """The picture with the other patches black, enlarged for the screen.

    Args:
        visible: `(row, column)` bool.
    """
    tall, wide = (side // patches for side, patches in zip(trace.pixels.shape, trace.grid, strict=False))
    mask = visible.repeat(tall, axis=0).repeat(wide, axis=1)
    pixels = patch_grid.as_bytes(trace.pixels[: len(mask), : mask.shape[1]]) * mask[..., None]
    return overlay.enlarged(pixels)
