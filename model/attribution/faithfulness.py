"""Measures whether an explanation is faithful to the model: occlude important patches and follow the probability.

Deletion occludes patches in the order of their score, most important first, and follows the probability of the class;
with a faithful order it falls early, so the area under the curve is small. Insertion starts from the occluded picture
and shows the patches in the same order; there a large area is good (Petsiuk et al. 2018, section 4.1). Occluded patches
get the picture's mean colour. Two baselines know nothing about the network: random orders, and the order from the
centre outwards, since photographers put what they photograph in the middle. A method that is not better than both has
not been shown to explain anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from ..runtime.progress import InSteps, Progress

POINTS = 11  # of a curve: a tenth of the patches between two
CENTRE, RANDOM = "centre", "random"  # names of the baselines
RANDOM_PAIRS = 2  # random orders with their reverses, whose mean is a picture's baseline
BATCH = 16  # pictures in a batch; more do not fit a CPU's cache and take longer each


class PatchNetwork(Protocol):
    """A classifier of pictures in patches, such as `VisionTransformer`; its `config` has `patch_size`."""

    @property
    def config(self) -> Any: ...

    def __call__(self, pixels: Tensor, /) -> Tensor:
        """`(batch, 3, height, width)` -> logits `(batch, class)`."""


@dataclass(frozen=True, eq=False)
class OcclusionCurves:
    """Probability of the class as patches are occluded or shown again."""

    share: np.ndarray  # `(point,)` share of the patches occluded or shown, from 0 to 1
    # `(point,)` probability of the class
    deletion: np.ndarray
    insertion: np.ndarray
    parts: tuple["OcclusionCurves", ...] = ()  # the curves that this is the mean of; empty for a single order

    @property
    def deletion_area(self) -> float:
        """Area under the deletion curve; small is faithful."""
        return float(np.trapezoid(self.deletion, self.share))

    @property
    def insertion_area(self) -> float:
        """Area under the insertion curve; large is faithful."""
        return float(np.trapezoid(self.insertion, self.share))


def average_curves(parts: Sequence[OcclusionCurves]) -> OcclusionCurves:
    """Average several curves over the same points; the areas of the result are the means of theirs."""
    deletion = np.mean([part.deletion for part in parts], axis=0)
    insertion = np.mean([part.insertion for part in parts], axis=0)
    return OcclusionCurves(parts[0].share, deletion, insertion, tuple(parts))


def beats_random_orders(curve: OcclusionCurves, chance: OcclusionCurves) -> bool:
    """True if the deletion area is below that of every random order that `chance` is the mean of."""
    return curve.deletion_area < min(part.deletion_area for part in chance.parts)


@dataclass(frozen=True, eq=False)
class Occlusion:
    """Probabilities of every class as patches are occluded or shown again in one order."""

    share: np.ndarray  # `(point,)` share of the patches occluded or shown, from 0 to 1
    # `(point, class)` probabilities
    deletion: np.ndarray
    insertion: np.ndarray

    def curves(self, class_index: int) -> OcclusionCurves:
        """Return the curves of one class."""
        return OcclusionCurves(self.share, self.deletion[:, class_index], self.insertion[:, class_index])


def occlude(network: PatchNetwork, pixels: Tensor, orders: np.ndarray, points: int = POINTS) -> list[Occlusion]:
    """Occlude and show the patches of a picture in several orders.

    Args:
        pixels: `(3, height, width)` in [-1, 1].
        orders: `(order, patch)`, each a permutation of the patch numbers, most important first.
        points: how many probabilities are measured, both ends included.

    Returns:
        An `Occlusion` for each order.

    Raises:
        ValueError: an order is no permutation of the patches, or there are fewer than two points.
    """
    patches = (pixels.shape[1] // network.config.patch_size) * (pixels.shape[2] // network.config.patch_size)
    if orders.ndim != 2 or orders.shape[1] != patches or not (np.sort(orders, axis=1) == np.arange(patches)).all():
        raise ValueError(f"Each order must name every patch from 0 to {patches - 1} once.")
    if points < 2:
        raise ValueError(f"A curve needs its two ends, not {points} points.")
    counts = np.unique(np.linspace(0, patches, points).round().astype(int))
    ranks = np.argsort(orders, axis=1)  # (order, patch): the rank of each patch in its order
    occluded = ranks[:, None, :] < counts[:, None]  # (order, point, patch)
    both = np.stack([occluded, ~occluded], axis=1)  # (order, deletion or insertion, point, patch)
    # The ends are the same for every order, and an order shares all its cases with its reverse: compute each case once.
    cases, where = np.unique(both.reshape(-1, patches), axis=0, return_inverse=True)
    batches = [class_probabilities(network, pixels, batch) for batch in torch.from_numpy(cases).split(BATCH)]
    probabilities = np.concatenate(batches)[
        where.reshape(both.shape[:3])
    ]  # (order, deletion or insertion, point, class)
    return [Occlusion(counts / patches, deletion, insertion) for deletion, insertion in probabilities]


def leave_out_in_steps(network: PatchNetwork, pixels: Tensor) -> InSteps[np.ndarray]:
    """Occlude each patch of a picture alone: probabilities `(patch, class)` float64.

    Args:
        pixels: `(3, height, width)` in [-1, 1].
    """
    size = network.config.patch_size
    patches = (pixels.shape[1] // size) * (pixels.shape[2] // size)
    parts = []
    for cases in torch.eye(patches, dtype=torch.bool).split(BATCH):
        parts.append(class_probabilities(network, pixels, cases))
        yield Progress(len(parts), -(-patches // BATCH))
    return np.concatenate(parts)


@torch.inference_mode()
def class_probabilities(network: PatchNetwork, pixels: Tensor, occluded: Tensor) -> np.ndarray:
    """Compute probabilities `(case, class)` float64 with patches occluded by the picture's mean colour.

    Args:
        pixels: `(3, height, width)` in [-1, 1].
        occluded: `(case, patch)` bool.
    """
    size = network.config.patch_size
    rows, columns = pixels.shape[1] // size, pixels.shape[2] // size
    mask = occluded.to(pixels.device).view(-1, 1, rows, columns)
    mask = mask.repeat_interleave(size, dim=2).repeat_interleave(size, dim=3)  # (case, 1, height, width)
    mean = pixels.mean(dim=(1, 2))[None, :, None, None]
    logits = network(torch.where(mask, mean, pixels[None]))  # (case, class)
    return logits.double().softmax(dim=1).cpu().numpy()


def rank_patches(scores: np.ndarray) -> np.ndarray:
    """Order patch numbers by score, highest first; equal scores stay in their order."""
    return np.argsort(-scores, kind="stable")


def centre_order(grid: tuple[int, int]) -> np.ndarray:
    """Order the patches of a grid `(rows, columns)` from the centre outwards: `(patch,)`.

    By the distance of their middles to the middle of the picture; equal distances stay row by row.
    """
    rows, columns = np.indices(grid)
    apart = (2 * rows - (grid[0] - 1)) ** 2 + (2 * columns - (grid[1] - 1)) ** 2  # whole numbers: ties are exact
    return np.argsort(apart.ravel(), kind="stable")


def random_orders(patches: int, pairs: int, seed: int = 0) -> np.ndarray:
    """Draw random orders, each followed by its reverse: `(2 * pairs, patch)`.

    The errors of an order and its reverse have opposite directions, so their mean varies less than that of two
    independent orders, and together they need no more forward passes than one.
    """
    draw = np.random.default_rng(seed)
    drawn = np.stack([draw.permutation(patches) for _ in range(pairs)])
    return np.stack([drawn, drawn[:, ::-1]], axis=1).reshape(-1, patches)
