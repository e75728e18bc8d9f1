"""Entropy and distance of every head's attention on one input, in addition to the patterns.

    entropy    mean over queries of  - sum over keys k of a[q, k] ln a[q, k],  in nats
    distance   mean over queries of    sum over keys k of a[q, k] |q - k|,     in tokens, or between the middles of
               patches in pixels (Dosovitskiy et al. 2021, section 4.5)

Both are over the queries that have a choice, as the patterns are: at least two keys that are not masked. In
cross-attention row t generates token t, so its position is t. For pictures the queries are the patches.
"""

from dataclasses import dataclass, field

import numpy as np

from ..tracing.kinds import AttentionKind
from .head_labels import HeadScores, entropies
from .vision_analysis import attention_distance

ENTROPY, DISTANCE = "entropy", "distance"


@dataclass(frozen=True, eq=False)
class HeadMeasurements:
    """Measurements of all heads of one kind on one input."""

    scores: HeadScores  # of every pattern; see `model.attribution.head_labels`
    # `(layer, head)` float64, increase of the loss when the head is ablated, in nats; None if nothing was ablated
    effect: np.ndarray | None
    # "entropy" and "distance" -> `(layer, head)` float64; empty if no query has a choice
    measures: dict[str, np.ndarray] = field(default_factory=dict)


def text_measures(weights: np.ndarray, kind: AttentionKind) -> dict[str, np.ndarray]:
    """Compute both measures of `(layer, head, query, key)` weights of a text, `(layer, head)` float64 each."""
    queries, keys = weights.shape[2:]
    rows, columns = np.arange(queries)[:, None], np.arange(keys)[None]
    free = np.minimum(np.arange(1, queries + 1), keys) > 1 if kind.causal else np.full(queries, keys > 1)
    if not free.any():
        return {}
    selected = weights[:, :, free].astype(np.float64)  # (layer, head, query, key)
    sums = np.maximum(selected.sum(axis=-1), np.finfo(np.float64).tiny)  # below 1 if a sink takes a share
    distance = (selected * np.abs(rows - columns)[free]).sum(axis=-1) / sums  # (layer, head, query)
    return {ENTROPY: entropies(selected).mean(axis=-1), DISTANCE: distance.mean(axis=-1)}


def picture_measures(attention: np.ndarray, grid: tuple[int, int], patch_size: float) -> dict[str, np.ndarray]:
    """Compute both measures of a picture's maps, `(layer, head)` float64 each.

    Args:
        attention: `(layer, head, 1 + patch, 1 + patch)`, CLS first; without the 1 of a network that has no CLS.
        grid: rows and columns of patches.
        patch_size: pixels a side.
    """
    leading = attention.shape[2] - grid[0] * grid[1]
    among = entropies(attention[:, :, leading:].astype(np.float64))  # (layer, head, patch)
    return {ENTROPY: among.mean(axis=-1), DISTANCE: attention_distance(attention, grid, patch_size)}
