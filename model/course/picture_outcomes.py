"""Questions about a picture: shuffled patches with and without positions, and where CLS looks."""

from dataclasses import dataclass

import numpy as np

from ..classifier import VisionClassifier, VisionTrace
from .outcome import AskedOutcome, interval_of, largest_of

ROUNDING, LITTLE = 1e-4, 0.1  # of a probability
NEAR = 0.1  # of the largest weight of CLS


@dataclass(frozen=True, eq=False)
class ShuffledPatchesOutcome:
    """A picture whose patches change places."""

    order: np.ndarray  # `(patch,)` the patch whose content moves to each position
    # `(2, 2)` probability of the answer: of the whole and of the shuffled picture, with and without positions. The
    # answer is the one to the whole picture with them.
    answers: np.ndarray
    change: AskedOutcome  # by how much the answer changes without positions; options "none", "little" and "lot"
    weights: np.ndarray  # `(patch,)` that CLS gives to each patch, mean over the heads of the last layer
    strongest: AskedOutcome  # which patch it attends to most; options are patches


def shuffle_patches(classifier: VisionClassifier, trace: VisionTrace, seed: int = 0) -> ShuffledPatchesOutcome:
    """Shuffle the patches with the positions left out, and with them."""
    count = classifier.config.grid**2
    order = np.random.default_rng(seed).permutation(count)
    whole = classifier.rearranged(trace.pixels)
    plain = classifier.rearranged(trace.pixels, order)
    bare = classifier.rearranged(trace.pixels, positions=False)
    shuffled = classifier.rearranged(trace.pixels, order, positions=False)
    without, with_positions = float(np.abs(shuffled - bare).max()), float(np.abs(plain - whole).max())
    bounds = {"none": ROUNDING, "little": LITTLE}
    figures = {"without": without, "with": with_positions, "whole": float(whole.max())}
    weights = trace.attention[-1, :, 0, 1:].mean(axis=0, dtype=np.float64)  # (patch,)
    strongest = largest_of(weights, NEAR * float(weights.max()), weight=float(weights.max()))
    change = interval_of(without, bounds, "lot", 0, **figures)
    answers = np.stack([[whole, bare], [plain, shuffled]])[..., int(whole.argmax())].astype(np.float64)
    return ShuffledPatchesOutcome(order, answers, change, weights, strongest)
