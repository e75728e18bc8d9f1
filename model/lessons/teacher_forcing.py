"""One target seen twice: the decoder fed with it (training), and the decoder fed with its own words (inference)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from model.tracing.trace import Trace


@dataclass(frozen=True)
class Forced:
    """One position of the teacher-forced pass.

    Attributes:
        fed: id the decoder reads here: the target's token one place earlier, `<s>` at first.
        says, says_probability: the most probable token that may be generated, and its probability.
        right, right_probability: the target's token, and the probability the model gives it.
        rank: of the right token among all; 1 is the most probable.
    """

    fed: int
    says: int
    says_probability: float
    right: int
    right_probability: float
    rank: int


@dataclass(frozen=True)
class Free:
    """One position of the free run: what it read, its own token from one place earlier, and what it wrote."""

    fed: int
    writes: int
    probability: float


@dataclass(frozen=True)
class Comparison:
    """Both runs.

    Attributes:
        forced, free: a row a position; the two may differ in length.
        departs: first position, from 0, at which the free run writes something else than the target has; None if
            it writes the target.
        shared_difference: largest difference between the two runs' logits where both have read the same.
    """

    forced: tuple[Forced, ...]
    free: tuple[Free, ...]
    departs: int | None
    shared_difference: float

    @property
    def right(self) -> int:
        """How many positions of the teacher-forced pass have the right token as the most probable."""
        return sum(row.says == row.right for row in self.forced)


def compare_runs(forced: Trace, free: Trace, never: tuple[int, ...] = ()) -> Comparison:
    """Set the pass over a given target beside the pass over what the model wrote by itself.

    Args:
        forced: of the target.
        free: of the greedy translation of the same sentence.
        never: ids that decoding does not choose; see `TransformerConfig.never_generated`.

    Raises:
        ValueError: the two have different sources.
    """
    if forced.source_ids != free.source_ids:
        raise ValueError("Both passes must read the same sentence.")
    rows = []
    given = _softmax(forced.logits)  # (T, vocabulary)
    allowed = given.copy()
    allowed[:, list(never)] = -1
    for position, right in enumerate(forced.next_ids):
        says = int(allowed[position].argmax())
        share = given[position]
        rank = 1 + int((share > share[right]).sum())
        rows.append(Forced(forced.target_ids[position], says, float(share[says]), right, float(share[right]), rank))
    shares = _softmax(free.logits)
    own = tuple(
        Free(fed, generated, float(shares[position, generated]))
        for position, (fed, generated) in enumerate(zip(free.target_ids, free.next_ids, strict=True))
    )
    pairs = zip(forced.next_ids, free.next_ids, strict=False)
    departs = next((place for place, (target, generated) in enumerate(pairs) if target != generated), None)
    if departs is None and len(forced.next_ids) != len(free.next_ids):
        departs = min(len(forced.next_ids), len(free.next_ids))
    shared = min(len(rows), len(own)) if departs is None else min(departs + 1, len(rows), len(own))
    difference = float(np.abs(forced.logits[:shared] - free.logits[:shared]).max())
    return Comparison(tuple(rows), own, departs, difference)


def _softmax(logits: np.ndarray) -> np.ndarray:
    values = logits.astype(np.float64)
    exponentials = np.exp(values - values.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
