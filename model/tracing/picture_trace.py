"""Traces of networks that classify pictures: the input, the logits, and attention between patches."""

from dataclasses import dataclass

import numpy as np

from ..runtime.arrays import softmax
from .kinds import VISION
from .saving import SavableTrace
from .trace import Verification
from .traced_model import Record


@dataclass(frozen=True, eq=False, repr=False)
class PictureTrace(SavableTrace):
    """Base of the traces of all networks that classify pictures."""

    pixels: np.ndarray  # `(height, width, 3)` float32 in [0, 1], the picture as the network receives it
    classes: tuple[str, ...]  # the names, in the order of `logits`
    logits: np.ndarray  # `(class,)` float32

    @property
    def probabilities(self) -> np.ndarray:
        """`(class,)` float32, summing to 1."""
        return softmax(self.logits.astype(np.float64)).astype(np.float32)

    def _input_summary(self) -> str:
        height, width = self.pixels.shape[:2]
        answer = f", {self.classes[self.answer]!r}" if self.classes else ""
        return f"a picture of {height} x {width}{answer}"

    @property
    def answer(self) -> int:
        """The most probable class."""
        return int(self.logits.argmax())


@dataclass(frozen=True, eq=False, repr=False)
class PatchTrace(PictureTrace):
    """Attention between CLS and P patches, row by row; position 0 is CLS, patch p position 1 + p."""

    grid: tuple[int, int]  # rows and columns of patches
    record: Record  # attention as it was recorded

    @property
    def network_input(self) -> np.ndarray:
        """The picture as the causal methods of its network read it: `pixels`, or `(3, height, width)` as received."""
        return self.pixels

    @property
    def places(self) -> list[int]:
        """Positions of CLS and of every patch among all that the network has."""
        return list(range(1 + self.grid[0] * self.grid[1]))

    @property
    def attention(self) -> np.ndarray:
        """`(layers, heads, 1 + P, 1 + P)` float32; rows are queries, columns are keys."""
        return self.record.weights

    @property
    def records(self) -> dict[str, Record]:
        """The one kind of attention by its name, as in every trace."""
        return {VISION.name: self.record}

    def axes(self, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Labels of the queries and of the keys: CLS, then every patch by row and column, counted from 1."""
        patches = (f"row {row + 1}, column {column + 1}" for row, column in np.ndindex(*self.grid))
        labels = ("CLS", *patches)
        return labels, labels

    @property
    def verification(self) -> Verification:
        """The check, computed once."""
        return self.record.verification

    def verify(self) -> Verification:
        """Compare with an independent recomputation; see `Verification`. Nothing is masked here."""
        return self.verification
