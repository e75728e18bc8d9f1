"""Attribution of a ViT's answer to patches by what its attention maps say, and the names of all four methods."""

import numpy as np

from model.attribution.rollout import Fusion, rollout

METHODS = ("CLS attention", "rollout", "gradient relevance", "raw gradient")


def attention_scores(attention: np.ndarray, fusion: Fusion = "mean", layer: int = -1) -> dict[str, np.ndarray]:
    """The first two of `METHODS`, `(patch,)` float32: what CLS attends to, and what reaches it.

    Args:
        attention: `(layer, head, 1 + patch, 1 + patch)`.
        fusion: how rollout makes one map of a layer's heads; see `rollout`.
        layer: CLS attention is this layer's, averaged over its heads; rollout goes up to and including it.
    """
    return {
        METHODS[0]: attention[layer, :, 0, 1:].mean(axis=0),
        METHODS[1]: rollout(attention, fusion)[layer, 0, 1:].astype(np.float32),
    }
