"""Deletion and insertion curves of one picture, one order at a time, so that a change of settings computes little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from model import VisionTrace
from model.attribution.faithfulness import RANDOM_PAIRS, Curves, beats, mean_of, order_of, random_orders
from model.attribution.rollout import METHODS
from pages.shared.service import Service
from views.text.catalogue import Message, say

PAGE = "vision_layers"
RANDOM = "random order"
IDS = dict(zip(METHODS, ("cls", "rollout", "gradient", "raw"), strict=True))
_CLS = Message("vision.method.cls", "CLS attention")
_NAMES = (
    (_CLS, _CLS),
    (Message("vision.method.rollout", "rollout"), Message("vision.method.rollout.heading", "Rollout")),
    (
        Message("vision.method.gradient", "gradient relevance"),
        Message("vision.method.gradient.heading", "Gradient relevance"),
    ),
    (Message("vision.method.raw", "raw gradient"), Message("vision.method.raw.heading", "Raw gradient")),
)
CALLED = {method: called for method, (called, _) in zip(METHODS, _NAMES, strict=True)}
CALLED[RANDOM] = Message("vision.method.random", "random order")
HEADED = {method: headed for method, (_, headed) in zip(METHODS, _NAMES, strict=True)}


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

    def table(self) -> tuple[list[str], list[tuple]]:
        """A header, and a row a point of every curve."""
        header = [say("vision.curves.share", "share")]
        for name in self.all:
            header.append(say("vision.curves.deletion", "{method}, deletion", method=CALLED[name]()))
            header.append(say("vision.curves.insertion", "{method}, insertion", method=CALLED[name]()))
        columns = [self.chance.share, *(part for c in self.all.values() for part in (c.deletion, c.insertion))]
        return header, list(zip(*(map(float, column) for column in columns), strict=True))

    def arrays(self) -> dict[str, np.ndarray]:
        """Every curve by its name."""
        ways = {f"{name}, deletion": c.deletion for name, c in self.all.items()}
        ways |= {f"{name}, insertion": c.insertion for name, c in self.all.items()}
        return {"share": self.chance.share, **ways}


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
