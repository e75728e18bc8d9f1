"""What every check in NumPy needs: tensors as arrays, the softmax, and the largest difference of two arrays."""

import numpy as np
from torch import Tensor


def to_array(tensor: Tensor) -> np.ndarray:
    """A tensor's numbers, float32."""
    return tensor.detach().float().cpu().numpy()


def softmax(scores: np.ndarray) -> np.ndarray:
    """Over the last axis, in the precision of `scores`; where a score is minus infinity, 0."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def largest_difference(first: np.ndarray, second: np.ndarray) -> float:
    """Largest |difference| between two arrays."""
    return float(np.abs(first - second).max())
