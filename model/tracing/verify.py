"""The check beside every picture: recorded attention against an independent recomputation."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from model.runtime.arrays import furthest


@dataclass(frozen=True)
class Verification:
    """How far recorded attention is from what it should be; all three are 0 up to rounding, the last one exactly."""

    # largest |difference| between the recorded head outputs and those that
    # `torch.nn.functional.scaled_dot_product_attention` computes from the recorded queries, keys and values, and
    # between the recorded weights and those it applies (read off by giving it the identity as values)
    max_difference: float
    row_sum_error: float  # largest distance of a row of weights from summing to 1
    masked_weight: float  # largest weight on a key that the mask hides; 0 where nothing is masked

    @staticmethod
    def worst(parts: list["Verification"]) -> "Verification":
        """The largest of each figure."""
        return Verification(
            max(part.max_difference for part in parts),
            max(part.row_sum_error for part in parts),
            max(part.masked_weight for part in parts),
        )


def verify_attention(
    queries: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    weights: np.ndarray,
    outputs: np.ndarray,
    allowed: np.ndarray | None,
) -> Verification:
    """Check one kind of attention over all its layers and heads; shapes as in `AttentionRecord`."""
    mask = None if allowed is None else torch.from_numpy(allowed)
    q, k, v = (torch.from_numpy(array) for array in (queries, keys, values))
    identity = torch.eye(keys.shape[2]).expand(*keys.shape[:2], -1, -1)  # (layer, head, key, key)
    applied = F.scaled_dot_product_attention(q, k, identity, attn_mask=mask)  # (layer, head, query, key)
    recomputed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # (layer, head, query, d_k)
    difference = max(
        furthest(applied.numpy(), weights),
        furthest(recomputed.numpy(), outputs),
    )
    row_sums = weights.sum(axis=-1, dtype=np.float64)
    masked_weight = 0.0 if allowed is None or allowed.all() else float(np.abs(weights[..., ~allowed]).max())
    return Verification(difference, furthest(row_sums, 1), masked_weight)
