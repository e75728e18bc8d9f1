"""Patterns of attention in pictures: by distance, by direction, by colour, by detail.

same patch                     the patch itself
neighbours, nearby             the up to eight around it; all others whose middles are at most `NEAR` patches away
row, column                    the others of its row or column
left, right, above, below      those whose offset is largest in that direction
similar colour                 the quarter of the others whose mean colour is nearest (distance in red, green, blue)
detail                         the quarter of all in which brightness varies most (standard deviation), the same for
                               every query
"""

import numpy as np

from .vision_analysis import distances

NEAR = 3.0
QUARTER = 0.25


def picture_patterns(grid: tuple[int, int], pixels: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Compute pattern -> `(query patch, key patch)` bool.

    Args:
        grid: rows and columns of patches.
        pixels: `(row, column, channel)` of the picture, sides divisible by the grid; None leaves colour and detail out.
    """
    apart = distances(grid)  # (patch, patch)
    rows, columns = np.divmod(np.arange(len(apart)), grid[1])
    down, right = rows[None] - rows[:, None], columns[None] - columns[:, None]
    other = apart > 0
    patterns = {
        "same patch": ~other,
        "neighbours": other & (apart < 2),
        "nearby": other & (apart <= NEAR),
        "row": other & (down == 0),
        "column": other & (right == 0),
        "left": -right > np.abs(down),
        "right": right > np.abs(down),
        "above": -down > np.abs(right),
        "below": down > np.abs(right),
    }
    if pixels is None:
        return patterns
    size = pixels.shape[0] // grid[0], pixels.shape[1] // grid[1]
    blocks = pixels.astype(np.float64).reshape(grid[0], size[0], grid[1], size[1], -1).transpose(0, 2, 1, 3, 4)
    blocks = blocks.reshape(len(apart), size[0] * size[1], -1)  # (patch, pixel, channel)
    colours = blocks.mean(axis=1)
    unlike = np.linalg.norm(colours[:, None] - colours[None], axis=-1)
    np.fill_diagonal(unlike, np.inf)  # the patch itself is no other
    similar = np.zeros_like(other)
    np.put_along_axis(similar, unlike.argsort(axis=1, kind="stable")[:, : round(QUARTER * len(apart))], True, axis=1)
    varied = blocks.mean(axis=-1).std(axis=1)  # (patch,)
    detail = np.zeros_like(other)
    detail[:, (-varied).argsort(kind="stable")[: round(QUARTER * len(apart))]] = True
    return patterns | {"similar colour": similar, "detail": detail}
