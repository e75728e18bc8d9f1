"""Functions of all checks in NumPy: tensors as arrays, softmax, and the largest difference of two arrays."""

import numpy as np
from torch import Tensor


def to_array(tensor: Tensor) -> np.ndarray:
    """Convert to float32."""
    return tensor.detach().float().cpu().numpy()


def softmax(scores: np.ndarray) -> np.ndarray:
    """Softmax over the last axis, in the precision of `scores`; 0 where a score is minus infinity."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def largest_difference(first: np.ndarray, second: np.ndarray | float) -> float:
    """Largest |difference| between two arrays, or an array and a number."""
    return float(np.abs(first - second).max())
