"""Is an explanation right about the model? Take away what it calls important and see whether the answer goes.

Deletion covers patches in the order of their score, most important first, and follows the probability of the class; a
faithful order makes it fall early, so the area under the curve is small. Insertion starts from the covered picture and
uncovers in the same order; there a large area is good (Petsiuk et al. 2018, section 4.1). Covered patches get the
picture's mean colour. A random order is the yardstick: a method that is not better than it explains nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.vision import VisionTransformer

BATCH = 64


@dataclass(frozen=True, eq=False)
class Curves:
    """Probability of the class as patches are covered or uncovered.

    Attributes:
        share: `(point,)` share of the patches touched, from 0 to 1.
        deletion, insertion: `(point,)` probability of the class.
    """

    share: np.ndarray
    deletion: np.ndarray
    insertion: np.ndarray

    @property
    def deletion_area(self) -> float:
        """Area under the deletion curve; small is faithful."""
        return float(np.trapezoid(self.deletion, self.share))

    @property
    def insertion_area(self) -> float:
        """Area under the insertion curve; large is faithful."""
        return float(np.trapezoid(self.insertion, self.share))


def curves(network: VisionTransformer, pixels: Tensor, class_index: int, orders: np.ndarray, points: int = 13):
    """Deletion and insertion curves of several orders of the patches.

    Args:
        pixels: `(3, height, width)` in [-1, 1].
        orders: `(order, patch)`, each a permutation of the patch numbers, most important first.
        points: how often the probability is looked at, ends included.

    Returns:
        A `Curves` an order.

    Raises:
        ValueError: an order is no permutation of the patches.
    """
    patches = (pixels.shape[1] // network.config.patch_size) * (pixels.shape[2] // network.config.patch_size)
    if orders.ndim != 2 or not (np.sort(orders, axis=1) == np.arange(patches)).all():
        raise ValueError(f"Each order must name every patch from 0 to {patches - 1} once.")
    counts = np.unique(np.linspace(0, patches, points).round().astype(int))
    ranks = np.argsort(orders, axis=1)  # (order, patch): the place of each patch in its order
    covered = ranks[:, None, :] < counts[:, None]  # (order, point, patch)
    both = np.stack([covered, ~covered], axis=1)  # (order, deletion or insertion, point, patch)
    flat = torch.from_numpy(both.reshape(-1, patches))
    probabilities = np.concatenate(
        [class_probability(network, pixels, class_index, part) for part in flat.split(BATCH)]
    ).reshape(both.shape[:3])
    share = counts / patches
    return [Curves(share, deletion, insertion) for deletion, insertion in probabilities]


@torch.inference_mode()
def class_probability(network: VisionTransformer, pixels: Tensor, class_index: int, covered: Tensor) -> np.ndarray:
    """Probability of a class with some patches covered by the picture's mean colour.

    Args:
        pixels: `(3, height, width)` in [-1, 1].
        covered: `(case, patch)` bool.

    Returns:
        `(case,)` float64.
    """
    size = network.config.patch_size
    rows, columns = pixels.shape[1] // size, pixels.shape[2] // size
    mask = covered.to(pixels.device).view(-1, 1, rows, columns)
    mask = mask.repeat_interleave(size, dim=2).repeat_interleave(size, dim=3)  # (case, 1, height, width)
    mean = pixels.mean(dim=(1, 2))[None, :, None, None]
    logits = network(torch.where(mask, mean, pixels[None]))  # (case, class)
    return logits.double().softmax(dim=1)[:, class_index].cpu().numpy()


def order_of(scores: np.ndarray) -> np.ndarray:
    """Patch numbers, highest score first; equal scores keep their order."""
    return np.argsort(-scores, kind="stable")
