"""What a ViT has learned, read off its weights and maps: attention distance, position vectors, first filters."""

from __future__ import annotations

import numpy as np

from model.vision import VisionTransformer


def attention_distance(attention: np.ndarray, grid: tuple[int, int], patch_size: int) -> np.ndarray:
    """Mean distance between a patch and what it looks at, in pixels (Dosovitskiy et al. 2021, section 4.5).

    CLS has no place, so its row is left out and each patch's weights on the other patches are scaled to sum to 1.

    Args:
        attention: `(layer, head, 1 + patch, 1 + patch)`.
        grid: rows and columns of patches.
        patch_size: pixels a side; distances are between the middles of patches.

    Returns:
        `(layer, head)` float64, averaged over all patches as queries.
    """
    rows, columns = np.divmod(np.arange(grid[0] * grid[1]), grid[1])
    apart = np.hypot(rows[:, None] - rows, columns[:, None] - columns) * patch_size  # (query patch, key patch)
    weights = attention[:, :, 1:, 1:].astype(np.float64)
    weights = weights / np.maximum(weights.sum(axis=-1, keepdims=True), np.finfo(np.float64).tiny)
    return (weights * apart).sum(axis=-1).mean(axis=-1)


def position_similarity(network: VisionTransformer) -> np.ndarray:
    """Cosine similarity of every learned position vector with every other (the paper's figure 7, middle).

    Returns:
        `(patch, patch)` float32; row p, shaped as the grid, is the map of patch p. CLS is left out.
    """
    vectors = network.position_embedding.detach()[1:].float().cpu().numpy()  # (patch, d_model)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit @ unit.T


def principal_filters(network: VisionTransformer, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Principal components of the patch embedding's filters (the paper's figure 7, left).

    Returns:
        `(count, patch_size, patch_size, 3)` float32 components of length 1, most important first, and the share of the
        filters' total variance that each explains, `(count,)`.
    """
    size = network.config.patch_size
    filters = network.patch_embedding.weight.detach().float().cpu().numpy()  # (d_model, values)
    _, strength, components = np.linalg.svd(filters - filters.mean(axis=0), full_matrices=False)
    shaped = components[:count].reshape(-1, 3, size, size).transpose(0, 2, 3, 1)
    return shaped, (strength**2 / (strength**2).sum())[:count]


def patch_embedding(network: VisionTransformer) -> tuple[np.ndarray, np.ndarray]:
    """The linear map from a flattened patch to its embedding: W `(d_model, values)` and b `(d_model,)`, float32."""
    layer = network.patch_embedding
    return tuple(part.detach().float().cpu().numpy() for part in (layer.weight, layer.bias))
