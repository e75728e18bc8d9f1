"""Analysis of a ViT's weights and maps: attention distance, position vectors, first filters."""

from dataclasses import dataclass

import numpy as np
import torch

from ..networks.vision import VisionTransformer
from ..runtime.arrays import largest_difference, to_array


def attention_distance(attention: np.ndarray, grid: tuple[int, int], patch_size: float) -> np.ndarray:
    """Mean distance from a patch to the patches it attends to, in pixels (Dosovitskiy et al. 2021, section 4.5).

    CLS has no location, so it is left out, and each patch's weights on the patches, itself included, are scaled to sum
    to 1.

    Args:
        attention: `(layer, head, 1 + patch, 1 + patch)`, CLS first; without the 1 of a network that has no CLS.
        grid: rows and columns of patches.
        patch_size: pixels a side; distances are between the middles of patches.

    Returns:
        `(layer, head)` float64, averaged over all patches as queries.
    """
    apart = distances(grid) * patch_size  # (query patch, key patch)
    leading = attention.shape[2] - len(apart)
    weights = attention[:, :, leading:, leading:].astype(np.float64)  # (layer, head, patch, patch)
    weights = weights / np.maximum(weights.sum(axis=-1, keepdims=True), np.finfo(np.float64).tiny)
    return (weights * apart).sum(axis=-1).mean(axis=-1)


def distances(grid: tuple[int, int]) -> np.ndarray:
    """Distance between the middles of every two patches, in patches: `(patch, patch)` float64."""
    rows, columns = np.divmod(np.arange(grid[0] * grid[1]), grid[1])
    return np.hypot(rows[:, None] - rows, columns[:, None] - columns)


def position_similarity(network: VisionTransformer) -> np.ndarray:
    """Cosine similarity of every learned position vector with every other (the paper's figure 7, middle).

    `(patch, patch)` float32; row p, shaped as the grid, is the map of patch p. CLS is left out.
    """
    vectors = network.position_embedding.detach()[1:].float().cpu().numpy()  # (patch, d_model)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit @ unit.T


def check_similarity(network: VisionTransformer, similarity: np.ndarray) -> float:
    """Largest |difference| of `position_similarity` from PyTorch's own cosine, computed in double precision."""
    vectors = network.position_embedding.detach()[1:].double().cpu()
    cosines = torch.nn.functional.cosine_similarity(vectors[:, None], vectors[None], dim=-1)  # (patch, patch)
    return largest_difference(cosines.numpy(), similarity)


@dataclass(frozen=True)
class RowsAndColumns:
    """Locations of the most similar position vectors. Means are over all pairs of different patches."""

    same: float  # mean similarity of two patches in one row or column
    elsewhere: float  # mean similarity of all other pairs
    strongest: float  # share of patches whose most similar other patch is in their own row or column
    chance: float  # `strongest` if all other patches were equally likely
    # the same among patches at least two away, without neighbours
    strongest_apart: float
    chance_apart: float


def rows_and_columns(similarity: np.ndarray, grid: tuple[int, int]) -> RowsAndColumns:
    """Measure rows and columns in `position_similarity`, on a grid of at least 3 rows or columns."""
    rows, columns = np.divmod(np.arange(grid[0] * grid[1]), grid[1])
    aligned = (rows[:, None] == rows) | (columns[:, None] == columns)  # (patch, patch)
    others, far = ~np.eye(len(rows), dtype=bool), distances(grid) >= 2

    def strongest(among: np.ndarray) -> float:
        best = np.where(among, similarity, -np.inf).argmax(axis=1)
        return float(aligned[np.arange(len(best)), best][among.any(axis=1)].mean())

    def chance(among: np.ndarray) -> float:
        counts = among.sum(axis=1)
        return float(((aligned & among).sum(axis=1)[counts > 0] / counts[counts > 0]).mean())

    same, elsewhere = similarity[aligned & others].mean(), similarity[~aligned].mean()
    return RowsAndColumns(float(same), float(elsewhere), strongest(others), chance(others), strongest(far), chance(far))


def principal_filters(network: VisionTransformer, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Principal components of the patch embedding's filters (the paper's figure 7, left).

    Returns:
        `(count, patch_size, patch_size, 3)` float32 components of length 1, most important first, and the share of the
        filters' total variance that each explains, `(count,)`.
    """
    size = network.config.patch_size
    filters = to_array(network.patch_embedding.weight)  # (d_model, values)
    _, strength, components = np.linalg.svd(filters - filters.mean(axis=0), full_matrices=False)
    shaped = components[:count].reshape(-1, 3, size, size).transpose(0, 2, 3, 1)
    return shaped, (strength**2 / (strength**2).sum())[:count]


def patch_embedding(network: VisionTransformer) -> tuple[np.ndarray, np.ndarray]:
    """The linear map from a flattened patch to its embedding: W `(d_model, values)` and b `(d_model,)`, float32."""
    layer = network.patch_embedding
    return to_array(layer.weight), to_array(layer.bias)
