"""Class probabilities of a picture whose patches are shuffled, without position vectors, with both, and moved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from model import VisionClassifier


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Class probabilities, `(class,)`, as the picture is and with each change of the view."""

    plain: np.ndarray
    changed: dict[str, np.ndarray]
    shifted: np.ndarray  # the picture moved by one patch to the right

    @property
    def with_positions(self) -> float:
        """Largest difference that shuffling makes."""
        return float(np.abs(self.changed["shuffle"] - self.plain).max())

    @property
    def without(self) -> float:
        """The same without position vectors: 0 up to rounding."""
        return float(np.abs(self.changed["both"] - self.changed["no-positions"]).max())


def compute(classifier: VisionClassifier, pixels: np.ndarray, order: np.ndarray) -> Probabilities:
    """Five forwards: the picture as it is, with each change, and moved."""
    size = classifier.config.patch_size
    return Probabilities(
        classifier.rearranged(pixels),
        {
            "shuffle": classifier.rearranged(pixels, order),
            "no-positions": classifier.rearranged(pixels, positions=False),
            "both": classifier.rearranged(pixels, order, positions=False),
        },
        classifier.probabilities(np.pad(pixels, ((0, 0), (size, 0), (0, 0)), mode="edge")[:, : pixels.shape[1]]),
    )
