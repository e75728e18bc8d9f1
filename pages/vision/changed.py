"""Vision, what if: the picture seen again under interventions, and what the view keeps of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from model import HeadInterventions, VisionClassifier, VisionTrace
from model.attribution.comparison import moved
from model.attribution.intervened import Check


@dataclass(frozen=True, eq=False)
class Changed:
    """What the view needs of the changed pass, and no more: many are kept.

    Attributes:
        probabilities: `(class,)`.
        cls: `(layer, head, 1 + patch)` weights of CLS as the query.
        moved: `(layer, head)`, see `model.attribution.comparison.moved`.
    """

    probabilities: np.ndarray
    cls: np.ndarray
    moved: np.ndarray
    check: Check


def compute(classifier: VisionClassifier, trace: VisionTrace, plan: HeadInterventions) -> Changed:
    """Run the picture again under the plan."""
    found = classifier.intervene(trace, plan)
    after = found.after.attention
    return Changed(found.after.probabilities, after[:, :, 0].copy(), moved(trace.attention, after), found.check)
