"""Positional schemes of models, each as its contribution to the scores of every query and key.

Vectors added to the embeddings (sinusoids; learned as in BERT and ViT) enter the products of queries and keys. T5
(Raffel et al. 2020, section 2.1) adds a learned number for each bucket of distances, ALiBi (Press et al. 2022) a fixed
slope times the distance. Rotary positions (Su et al. 2021) rotate query and key before they are multiplied.
"""

import math

import numpy as np
import torch

from ..networks.vision import VisionTransformer

HEADS = 8  # of ALiBi's slopes


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


def alibi_slope(head: int) -> float:
    """Slope of one of 8 heads, from 1: 1/2, 1/4, ... 1/256."""
    return 2.0**-head


def scheme_matrix(scheme: str, length: int, head: int, d_model: int) -> np.ndarray:
    """What a scheme without learned vectors contributes to the scores, `(query, key)`; of T5 which number it adds.

    T5's 32 numbers, half of them for keys after the query, are for single distances up to 8; the widths of the others
    grow logarithmically up to 128, and all farther keys share the last.

    Args:
        scheme: "alibi", of which a decoder masks the half above the diagonal, "t5", "rotary" for a query and an equal
            key whose pairs have length 1, or "sinusoids" for `products` of the paper's.
        head: of ALiBi, from 1.
        d_model: width of the sinusoids.
    """
    # program: other-models
    place = torch.arange(length)
    distance = place - place[:, None]  # (query, key): the key's position minus the query's
    size = distance.abs()
    if scheme == "alibi":  # added to the scores
        matrix = -(2.0**-head) * size.double()
    elif scheme == "t5":  # which of 32 learned numbers is added
        far = (8 + (size.clamp(min=1).double() / 8).log() / math.log(128 / 8) * 8).long().clamp(max=15)
        matrix = 16 * (distance > 0) + torch.where(size < 8, size, far)
    else:
        width = 32 if scheme == "rotary" else d_model  # of a head's queries, or of the vectors
        angles = place[:, None] / 10000 ** (torch.arange(0, width, 2).double() / width)
        turned = torch.cat([angles.cos(), angles.sin()], dim=1)  # (1, 0) turned by each angle; the sinusoids, reordered
        matrix = turned @ turned.T / math.sqrt(width)
    # end of program
    return matrix.numpy()


def spread(matrix: np.ndarray) -> float:
    """Largest difference between two entries of equal distance; 0 where only the distance matters."""
    length = len(matrix)
    return float(max(np.ptp(np.diagonal(matrix, offset)) for offset in range(1 - length, length)))
