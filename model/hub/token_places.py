"""Which token of a text is which part of a picture: proven by changing patches, without any trust in names or orders.

Every part gets a code of as many bits as runs, with equally many ones in each. In run i, the patches of all parts whose
bit i is 1 are changed, while every patch is made to attend to itself alone, so that nothing spreads within the picture.
The runs in which a token changes spell the code of its part. A token that two parts reach has more ones than any code,
and one that no patch reaches has none.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..runtime.messages import Template
from .errors import OpenError
from .picture_layout import HALF_TOLERANCE, TOLERANCE
from .pixel_frames import PixelFrames

MERGES = range(1, 9)  # patches along a side of a part that is one token

NOT_PROVEN = Template(
    "Which token of this model is which part of the picture cannot be proven: changing one part does not change "
    "exactly one token; its pictures are not shown."
)

Measure = Callable[[Tensor], Tensor]  # pixel values -> numbers of every position, (position, number)


class Unproven(OpenError):
    """Which position belongs to which part of a picture cannot be proven."""


@dataclass(frozen=True, eq=False)
class FramePlaces:
    """Where the parts of one picture are."""

    grid: tuple[int, int]
    """Rows and columns of parts with a token each."""
    tokens: np.ndarray
    """`(rows * columns,)`, position of every part in the text, row by row; -1 without a token."""
    order: np.ndarray | None
    """Positions in the tower, within the frame: first those of no patch, then the patches row by row; None where that
    cannot be proven.
    """
    patches: tuple[int, int]
    """Rows and columns of patches."""

    @property
    def leading(self) -> int:
        """Number of positions in the tower before the patches, as `order` has them."""
        return 0 if self.order is None else len(self.order) - self.patches[0] * self.patches[1]


def code_words(count: int) -> np.ndarray:
    """Distinct codes `(count, bits)` bool, half of whose bits are 1, so that two of them together are no code."""
    bits = next(bits for bits in itertools.count(2) if math.comb(bits, bits // 2) >= count)
    codes = np.zeros((count, bits), dtype=bool)
    for row, ones in zip(codes, itertools.combinations(range(bits), bits // 2), strict=False):
        row[list(ones)] = True
    return codes


def decode(measure: Measure, frames: PixelFrames, grids: Sequence[tuple[int, int]], *, half: bool) -> np.ndarray:
    """For every position the part that reaches it, counted over all frames row by row; -1 where none does.

    Args:
        measure: numbers of every position that each depend on patches of one part.
        grids: rows and columns of parts of every frame.

    Raises:
        Unproven: several parts reach a position, or one part reaches several.
    """
    counts = [rows * columns for rows, columns in grids]
    codes = code_words(sum(counts))
    before = measure(frames.values)
    bound = (HALF_TOLERANCE if half else TOLERANCE) * max(1.0, float(before.abs().max()))
    changes = []
    for bit in range(codes.shape[1]):
        marked = [
            np.kron(part.reshape(grid), np.ones((patches[0] // grid[0], patches[1] // grid[1]), dtype=bool))
            for part, grid, patches in zip(
                np.split(codes[:, bit], np.cumsum(counts)[:-1]), grids, frames.grids, strict=True
            )
        ]
        after = measure(frames.changed(marked))
        if after.shape != before.shape:
            raise Unproven("The number of positions of this model depends on what the pictures show.")
        changes.append(((after - before).abs().amax(dim=-1) > bound).cpu().numpy())
    spelled = np.stack(changes, axis=1)  # (position, bit)
    known = {code.tobytes(): part for part, code in enumerate(codes)}
    parts = np.array([known.get(word.tobytes(), -1 if not word.any() else -2) for word in spelled])
    reached = parts[parts >= 0]
    if (parts == -2).any() or len(set(reached.tolist())) != len(reached) or not len(reached):
        raise Unproven(NOT_PROVEN)
    return parts


def find_tokens(
    measure: Measure, frames: PixelFrames, is_picture: np.ndarray, *, half: bool
) -> list[tuple[tuple[int, int], np.ndarray]]:
    """Grid of parts, and position of each in the text, of every frame.

    Args:
        measure: numbers of every token of the text, without attention between patches.
        is_picture: `(token,)`, those that stand for pictures.

    Raises:
        Unproven: no size of parts gives each its own token, or other tokens than those of pictures change.
    """
    possible = [grids for factor in MERGES if (grids := frames.merged(factor)) is not None]
    count = int(is_picture.sum())
    for grids in sorted(possible, key=lambda grids: abs(sum(rows * columns for rows, columns in grids) - count)):
        try:
            parts = decode(measure, frames, grids, half=half)
        except Unproven:
            continue
        if (parts[~is_picture] >= 0).any():
            continue
        places = np.full(sum(rows * columns for rows, columns in grids), -1)
        reached = np.flatnonzero(parts >= 0)
        places[parts[reached]] = reached
        ends = np.cumsum([rows * columns for rows, columns in grids])[:-1]
        return list(zip(grids, np.split(places, ends), strict=True))
    raise Unproven(NOT_PROVEN)


def find_patches(measure: Measure, frames: PixelFrames, *, half: bool) -> list[np.ndarray] | None:
    """Positions in the tower of every frame as `FramePlaces.order`; None where that cannot be proven.

    Args:
        measure: numbers of every position of the tower's first layer, of all frames one after another.
    """
    try:
        parts = decode(measure, frames, frames.grids, half=half)
    except Unproven:
        return None
    sizes = [rows * columns for rows, columns in frames.grids]
    if (parts >= 0).sum() != sum(sizes):
        return None
    spare = len(parts) - sum(sizes)
    if spare % len(sizes):
        return None
    orders, first, first_part = [], 0, 0
    for size in sizes:
        own = parts[first : first + size + spare // len(sizes)]
        patches = np.flatnonzero(own >= 0)
        if len(patches) != size or set(own[patches] - first_part) != set(range(size)):
            return None
        row_by_row = patches[np.argsort(own[patches])]
        orders.append(np.concatenate([np.flatnonzero(own < 0), row_by_row]))
        first, first_part = first + len(own), first_part + size
    return orders


def numbers_of(queries: Tensor, keys: Tensor) -> Tensor:
    """Queries and keys of a call, `(row, head, position, d)` each, as numbers of every position of every row."""
    return torch.cat([part.transpose(1, 2).flatten(2).flatten(0, 1).float() for part in (queries, keys)], dim=-1)
