"""Deletion and insertion curves of one picture, one order at a time, so that a change of settings computes little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from model import VisionTrace
from model.attribution.faithfulness import RANDOM_PAIRS, Curves, beats, mean_of, order_of, random_orders
from pages.shared.service import Service
from views.export import downloads

RANDOM = "random order"


@dataclass(frozen=True, eq=False)
class Measured:
    """Curves of every method on one picture, and of random orders."""

    methods: dict[str, Curves]
    chance: Curves

    @property
    def all(self) -> dict[str, Curves]:
        """The methods, then random orders."""
        return {**self.methods, RANDOM: self.chance}

    @property
    def best(self) -> str:
        """The method with the smallest deletion area."""
        return min(self.methods, key=lambda method: self.methods[method].deletion_area)

    def better(self, wanted: bool) -> list[str]:
        """Methods that are, or are not, better than every random order."""
        return [method for method, curve in self.methods.items() if beats(curve, self.chance) == wanted]

    def largest_end_difference(self, start: float) -> float:
        """How far the ends of the curves are from the probability of the whole picture."""
        ends = [end for curve in self.all.values() for end in (curve.deletion[0], curve.insertion[-1])]
        return float(np.abs(np.array(ends) - start).max())

    def csv(self) -> bytes:
        """Every curve: a row a point."""
        header = ["share", *(f"{name}, {way}" for name in self.all for way in ("deletion", "insertion"))]
        columns = [self.chance.share, *(part for c in self.all.values() for part in (c.deletion, c.insertion))]
        return downloads.table_csv(header, zip(*(map(float, column) for column in columns), strict=True))

    def npz(self, more: dict[str, np.ndarray]) -> bytes:
        """`more` and every curve, for `numpy.load`."""
        ways = {f"{name}, deletion": c.deletion for name, c in self.all.items()}
        ways |= {f"{name}, insertion": c.insertion for name, c in self.all.items()}
        return downloads.arrays_npz({**more, "share": self.chance.share, **ways})


def measure(
    service: Service, key: str, trace: VisionTrace, scores: dict[str, np.ndarray], class_index: int
) -> Measured:
    """Cover the picture in the order of every score. Each order is computed once, for all classes."""

    def occluded(order: np.ndarray) -> Curves:
        # An order alone: a change of one setting then computes only the curves that it changes.
        (found,) = service.analysis(
            ("covering", key, order.tobytes()), lambda model: model.occlusions(trace, order[None])
        )
        return found.curves(class_index)

    drawn = random_orders(trace.grid[0] * trace.grid[1], RANDOM_PAIRS)
    at_random = service.analysis(("covering", key, "random"), lambda model: model.occlusions(trace, drawn))
    return Measured(
        {method: occluded(order_of(score)) for method, score in scores.items()},
        mean_of([occlusion.curves(class_index) for occlusion in at_random]),
    )
