"""Two passes side by side: which tokens they share, and how far each head's attention moved."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np


@dataclass(frozen=True)
class SharedPlaces:
    """Places that two sequences have in common, in order: place `first[n]` of one is place `second[n]` of the other."""

    first: tuple[int, ...]
    second: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.first)


def find_shared_places(first: Sequence[Hashable], second: Sequence[Hashable]) -> SharedPlaces:
    """Equal tokens of two sentences: the longest run that both have, then likewise before and behind it.

    That is Ratcliff and Obershelp's matching (1988), as Python's `difflib` has it. Order is kept, so a token that moved
    to the other side of a run is not matched.
    """
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    pairs = [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
    return SharedPlaces(tuple(a for a, _ in pairs), tuple(b for _, b in pairs))


def merge_sequences(shared: SharedPlaces, first: int, second: int) -> list[tuple[int | None, int | None]]:
    """Both sequences, of these lengths, in one order: shared places together, others alone, the first's in front."""
    rows: list[tuple[int | None, int | None]] = []
    done = [0, 0]
    for one, two in (*zip(shared.first, shared.second, strict=True), (first, second)):
        rows += [(place, None) for place in range(done[0], one)] + [(None, place) for place in range(done[1], two)]
        rows.append((one, two))
        done = [one + 1, two + 1]
    return rows[:-1]


def select_shared(weights: np.ndarray, queries: Sequence[int], keys: Sequence[int]) -> np.ndarray:
    """The rows and columns of `(..., query, key)` at the given places."""
    return weights[..., list(queries), :][..., list(keys)]


def attention_shift(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """How much of each head's attention is somewhere else: half the sum of |difference| over a row, mean over rows.

    0 if nothing changed and 1 if no query attends to any key it attended to before (the total variation distance).

    Args:
        first, second: `(layer, head, query, key)`, rows and columns standing for the same.

    Returns:
        `(layer, head)` float64; 0 where there is no query or no key.
    """
    if not first.shape[2]:
        return np.zeros(first.shape[:2])
    return np.abs(second.astype(np.float64) - first).sum(axis=-1).mean(axis=-1) / 2
