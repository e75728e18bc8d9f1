"""Positional schemes of models, each as its contribution to the scores of every query and key.

Vectors added to the embeddings (sinusoids; learned as in BERT and ViT) enter the products of queries and keys. T5
(Raffel et al. 2020, section 2.1) adds a learned number for each bucket of distances, ALiBi (Press et al. 2022) a fixed
slope times the distance. Rotary positions (Su et al. 2021) rotate query and key before they are multiplied.
"""

import math

import numpy as np

from ..networks.positional import positional_table
from ..networks.vision import VisionTransformer

HEADS = 8  # of ALiBi's slopes
BUCKETS, FARTHEST = 32, 128  # T5's
WIDTH = 32  # d_k of the rotated query and key


def distances(length: int) -> np.ndarray:
    """Key's position minus the query's, `(query, key)` int64."""
    return np.arange(length)[None] - np.arange(length)[:, None]


def products(vectors: np.ndarray) -> np.ndarray:
    """Scores from added vectors `(length, d_model)` alone where W^Q = W^K = 1: `(query, key)`, divided by sqrt(d)."""
    vectors = vectors.astype(np.float64)
    return vectors @ vectors.T / math.sqrt(vectors.shape[1])


def learned_vectors(network: VisionTransformer) -> np.ndarray:
    """The learned position vectors of a vision Transformer, `(position, d_model)` float32."""
    return network.position_embedding.detach().float().cpu().numpy()


def learned(network: VisionTransformer, length: int) -> np.ndarray:
    """`products` of the first learned position vectors of a vision Transformer; fewer where it has fewer."""
    return products(learned_vectors(network)[:length])


def sinusoids(length: int, d_model: int) -> np.ndarray:
    """`products` of the paper's sinusoids."""
    return products(positional_table(length, d_model))


def t5_buckets(length: int) -> np.ndarray:
    """Index of the learned number, of 32, that a head of a T5 encoder adds, `(query, key)` int64.

    Half are for keys after the query. In either half the first 8 are single distances, the widths of the others grow
    logarithmically up to 128; all farther keys share the last.
    """
    distance = distances(length)
    half, size = BUCKETS // 2, np.abs(distance)
    single = half // 2
    ratio = np.log(np.maximum(size, 1) / single) / math.log(FARTHEST / single)
    far = np.minimum(single + (ratio * (half - single)).astype(np.int64), half - 1)
    return np.where(distance > 0, half, 0) + np.where(size < single, size, far)


def alibi_slope(head: int) -> float:
    """Slope of one of 8 heads, from 0: 1/2, 1/4, ... 1/256."""
    return 2.0 ** (-8 * (head + 1) / HEADS)


def alibi(length: int, head: int) -> np.ndarray:
    """The bias that ALiBi adds, `(query, key)`; a decoder masks the half above the diagonal."""
    return -alibi_slope(head) * np.abs(distances(length))


def rotary(length: int, width: int = WIDTH) -> np.ndarray:
    """Scores of a query and an equal key whose pairs have length 1, rotated by their positions: `(query, key)`."""
    angles = np.arange(length)[:, None] / 10_000 ** (np.arange(0, width, 2) / width)  # (length, width / 2)
    rotated = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)  # the pair (1, 0), rotated
    return rotated @ rotated.T / math.sqrt(width)


def spread(matrix: np.ndarray) -> float:
    """Largest difference between two entries of equal distance; 0 where only the distance matters."""
    length = len(matrix)
    return float(max(np.ptp(np.diagonal(matrix, offset)) for offset in range(1 - length, length)))
