"""One target decoded twice: with its own tokens as input (training), and with the generated ones (inference)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from ..runtime.arrays import largest_difference, softmax
from ..tracing.trace import Trace


@dataclass(frozen=True)
class ShiftedPosition:
    """One position of a target that is fed shifted right by one."""

    reads: str  # the token that is fed: the start, then the target's token one position earlier
    seen: tuple[str, ...]  # what the position may attend to under the causal mask: all that is fed up to here
    expected: str  # the target's token, or the end


def shift_right(tokens: Sequence[str], start: str = "<s>", end: str = "</s>") -> tuple[ShiftedPosition, ...]:
    """Feed a target to a decoder as in training: one position more than it has tokens."""
    fed, expected = (start, *tokens), (*tokens, end)
    return tuple(ShiftedPosition(fed[at], fed[: at + 1], expected[at]) for at in range(len(fed)))


@dataclass(frozen=True)
class ForcedStep:
    """One position of the teacher-forced pass."""

    fed: int  # input id of the decoder: the target's token one position earlier, `<s>` at first
    # the most probable token that may be generated, and its probability
    predicted: int
    predicted_probability: float
    # the target's token, and its probability
    target: int
    target_probability: float
    rank: int  # of the target's token among all; 1 is the most probable


@dataclass(frozen=True)
class FreeStep:
    """One position of the free run: its input, which it generated one position earlier, and the generated token."""

    fed: int
    generated: int
    probability: float


@dataclass(frozen=True)
class ForcedFreeComparison:
    """Both runs."""

    # one entry a position; the two may differ in length
    forced: tuple[ForcedStep, ...]
    free: tuple[FreeStep, ...]
    # first position, from 0, at which the free run generates a token other than the target's; None if there is none
    diverges_at: int | None
    shared_difference: float  # largest difference between the two runs' logits where both have the same input

    @property
    def correct(self) -> int:
        """Number of positions of the teacher-forced pass at which the target's token is predicted."""
        return sum(row.predicted == row.target for row in self.forced)


def compare_runs(forced: Trace, free: Trace, never: tuple[int, ...] = ()) -> ForcedFreeComparison:
    """Compare the pass over a given target with the pass over the model's own translation.

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
    probabilities = softmax(forced.logits.astype(np.float64))  # (T, vocabulary)
    allowed = probabilities.copy()
    allowed[:, list(never)] = -1
    for position, target in enumerate(forced.next_ids):
        predicted = int(allowed[position].argmax())
        share = probabilities[position]
        rank = 1 + int((share > share[target]).sum())
        rows.append(
            ForcedStep(
                forced.target_ids[position], predicted, float(share[predicted]), target, float(share[target]), rank
            )
        )
    shares = softmax(free.logits.astype(np.float64))
    own = tuple(
        FreeStep(fed, generated, float(shares[position, generated]))
        for position, (fed, generated) in enumerate(zip(free.target_ids, free.next_ids, strict=True))
    )
    pairs = zip_longest(forced.next_ids, free.next_ids)
    diverges_at = next((place for place, (expected, generated) in enumerate(pairs) if expected != generated), None)
    shared = min(len(rows), len(own)) if diverges_at is None else min(diverges_at + 1, len(rows), len(own))
    return ForcedFreeComparison(
        tuple(rows), own, diverges_at, largest_difference(forced.logits[:shared], free.logits[:shared])
    )
