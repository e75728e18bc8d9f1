"""Score how much of each head's attention follows each known pattern, for a trace of an opened model."""

import numpy as np

from ..attribution.head_labels import HeadScores, text_scores, vision_scores
from ..attribution.head_measures import picture_measures, text_measures
from ..tracing.kinds import kind_of
from .hub_trace import HubTrace
from .opened_pictures import patch_trace


def score_heads(trace: HubTrace, kind: str) -> HeadScores:
    """Pattern scores of one kind on this input; see `model.attribution.head_labels`."""
    if trace.grid is not None and trace.pixels is not None:
        return vision_scores(patch_weights(trace), trace.grid, trace.pixels)
    ids = trace.ids(kind)
    return text_scores(trace.records[kind].weights, kind_of(kind), *ids)


def measure_heads(trace: HubTrace, kind: str) -> dict[str, np.ndarray]:
    """Entropy and distance of one kind on this input; see `model.attribution.head_measures`."""
    if trace.grid is not None and trace.pixels is not None:
        return picture_measures(patch_weights(trace), trace.grid, trace.pixels.shape[0] / trace.grid[0])
    return text_measures(trace.records[kind].weights, kind_of(kind))


def patch_weights(trace: HubTrace) -> np.ndarray:
    """Maps of a picture without registers, `(layer, head, 1 + patch, 1 + patch)`; without the 1 if there is no CLS."""
    picture = patch_trace(trace)
    return trace.records["vision"].weights if picture is None else picture.attention
