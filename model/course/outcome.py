"""The result of a question with options: which option holds, and which are too close to call."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

Verdict = Literal["held", "nearly", "not"]


@dataclass(frozen=True)
class AskedOutcome:
    """A question that a network has answered."""

    right: str  # the option that holds
    options: tuple[str, ...]  # all options
    near: frozenset[str] = frozenset()  # options whose value is so close to that of `right` that neither is wrong
    figures: Mapping[str, float] = field(default_factory=dict)  # the numbers that the answer states, by name

    def verdict(self, option: str) -> Verdict:
        """State whether a prediction held.

        Raises:
            ValueError: there is no such option.
        """
        if option not in self.options:
            raise ValueError(f"There is no option {option!r}; choose one of {', '.join(self.options)}.")
        return "held" if option == self.right else "nearly" if option in self.near else "not"


def largest_of(
    values: Sequence[float] | np.ndarray, margin: float, *, second_from: float = math.inf, **figures: float
) -> AskedOutcome:
    """Return the outcome of "which is the largest": options are the indices from 0, near are those within `margin`.

    Args:
        second_from: share of the largest from which the second counts as near, too.
    """
    numbers = np.asarray(values, dtype=np.float64)
    order = np.argsort(-numbers, kind="stable")
    best = int(order[0])
    places = {int(place) for place in np.flatnonzero(numbers >= numbers[best] - margin)}
    places |= {int(place) for place in order[1:2] if numbers[place] >= second_from * numbers[best]}
    near = (str(place) for place in places - {best})
    return AskedOutcome(str(best), tuple(map(str, range(len(numbers)))), frozenset(near), figures)


def interval_of(
    value: float, bounds: Mapping[str, float], last: str, tolerance: float, **figures: float
) -> AskedOutcome:
    """Return the outcome of "how large is it": each option reaches up to its bound, `last` has none.

    Args:
        bounds: option -> its upper bound, ascending.
        tolerance: share of a bound within which the options on both of its sides count as near.
    """
    options = (*bounds, last)
    right = next((option for option, bound in bounds.items() if value <= bound), last)
    near: set[str] = set()
    for place, bound in enumerate(bounds.values()):
        if abs(value - bound) <= tolerance * abs(bound):
            near |= {options[place], options[place + 1]}
    return AskedOutcome(right, options, frozenset(near - {right}), figures)


def number_among(right: float, others: Sequence[float], **figures: float) -> tuple[AskedOutcome, tuple[float, ...]]:
    """Return the outcome of "which of these numbers": options are the indices of the distinct numbers, ascending."""
    apart = 0.05 * max(abs(right), 0.1)
    distinct = [right]
    for other in others:
        if all(abs(other - known) > apart for known in distinct):
            distinct.append(other)
    numbers = tuple(sorted(distinct))
    options = tuple(map(str, range(len(numbers))))
    return AskedOutcome(str(numbers.index(right)), options, frozenset(), figures), numbers
