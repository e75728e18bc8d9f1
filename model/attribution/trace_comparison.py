"""Compares two passes: which tokens they share, and how far each head's attention moved."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

import numpy as np


@dataclass(frozen=True)
class SharedPlaces:
    """Positions that two sequences share, in order: position `first[n]` of one is position `second[n]` of the other."""

    first: tuple[int, ...]
    second: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.first)


def find_shared_places(first: Sequence[Hashable], second: Sequence[Hashable]) -> SharedPlaces:
    """Match equal tokens of two sentences: the longest run that both have, then likewise before and after it.

    This is Ratcliff and Obershelp's matching (1988), as in Python's `difflib`. Matches are in order, so a token that
    moved to the other side of a run is not matched.
    """
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    pairs = [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
    return SharedPlaces(tuple(a for a, _ in pairs), tuple(b for _, b in pairs))


def merge_sequences(shared: SharedPlaces, first: int, second: int) -> list[tuple[int | None, int | None]]:
    """Merge two sequences of these lengths: shared positions as pairs, others alone, those of the first in front."""
    rows: list[tuple[int | None, int | None]] = []
    done = [0, 0]
    for one, two in (*zip(shared.first, shared.second, strict=True), (first, second)):
        rows += [(position, None) for position in range(done[0], one)]
        rows += [(None, position) for position in range(done[1], two)]
        rows.append((one, two))
        done = [one + 1, two + 1]
    return rows[:-1]


def pair_sequences(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[tuple[int | None, int | None]]:
    """Return columns for two sequences, one above the other: equal items as `find_shared_places` matches them.

    Items between two matches are paired in order; where one side has more of them, the others are alone.
    """
    columns: list[tuple[int | None, int | None]] = []
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for _, start, end, other_start, other_end in matcher.get_opcodes():
        columns += zip_longest(range(start, end), range(other_start, other_end))
    return columns


def select_shared(weights: np.ndarray, queries: Sequence[int], keys: Sequence[int]) -> np.ndarray:
    """Select rows and columns of `(..., query, key)`."""
    return weights[..., list(queries), :][..., list(keys)]


def attention_shift(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Total variation distance of each head's attention: half the sum of |difference| over a row, mean over rows.

    0 if nothing changed and 1 if no query attends to any key that it attended to before.

    Args:
        first, second: `(layer, head, query, key)`, with the same rows and columns.

    Returns:
        `(layer, head)` float64; 0 if there is no query or no key.
    """
    if not first.shape[2]:
        return np.zeros(first.shape[:2])
    return np.abs(second.astype(np.float64) - first).sum(axis=-1).mean(axis=-1) / 2
