"""Self-attention without W^Q and W^K: every token's vector is its own query and its own key.

Attention over encoder states has a decoder state as query; here each token is a query for all others, with scores
x_i . x_j. Is x_i . x_i the largest of them, so that every token attends most to itself? By Cauchy and Schwarz
x_i . x_j <= |x_i| |x_j|: it is where all vectors have one length. It fails exactly where the projection of x_j on x_i,
|x_j| cos, is longer than x_i; the angle may be anything below 90 degrees if x_j is long enough. Both are measured, and
compared with the heads trained on the same vectors.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F

from ..networks.recurrent_trace import RecurrentTrace
from ..networks.transformer import Transformer
from ..runtime.arrays import softmax
from ..tracing.trace import Trace
from .embedding import recompute_embedding

FORMS = ("scaled", "plain", "cosine")  # x . y / sqrt(width), x . y, and the cosine of the angle between them
STATES = "lstm"  # id of the states of a recurrent encoder among the stages


class ExceedingPair(NamedTuple):
    """A token whose product with another one exceeds that with itself: x_i . x_j > x_i . x_i."""

    # `query`, `key`: i and j, from 0
    query: int
    key: int
    # `own`, `other`: x_i . x_i and x_i . x_j.
    own: float
    other: float
    # `query_length`, `key_length`: |x_i| and |x_j|
    query_length: float
    key_length: float
    cosine: float  # of the angle between the two


@dataclass(frozen=True, eq=False)
class RawAttention:
    """The vectors of one sentence as queries and keys of each other."""

    vectors: np.ndarray  # `(S, width)` float32
    # `(head, S, S)` float32, weights of the trained heads that read these vectors; None where none does
    heads: np.ndarray | None = None

    @cached_property
    def products(self) -> np.ndarray:
        """`(S, S)` float64, x_i . x_j."""
        doubles = self.vectors.astype(np.float64)
        return doubles @ doubles.T

    @cached_property
    def lengths(self) -> np.ndarray:
        """`(S,)` float64, |x_i|."""
        return np.sqrt(np.diagonal(self.products))

    def scores(self, form: str = "scaled") -> np.ndarray:
        """`(S, S)` float64.

        Args:
            form: one of `FORMS`.

        Raises:
            ValueError: there is no such form.
        """
        if form == "scaled":
            return self.products / math.sqrt(self.vectors.shape[1])
        if form == "plain":
            return self.products
        if form == "cosine":
            return self.products / np.outer(self.lengths, self.lengths)
        raise ValueError(f"There is no form {form!r}; choose one of {', '.join(FORMS)}.")

    def weights(self, form: str = "scaled") -> np.ndarray:
        """Softmax of the scores over the keys, `(S, S)` float64."""
        return softmax(self.scores(form))

    @cached_property
    def exceeds(self) -> np.ndarray:
        """`(S, S)` bool: x_i . x_j > x_i . x_i by more than rounding; equal vectors do not exceed each other."""
        excess = self.products - np.diagonal(self.products)[:, None]
        return excess > 1e-12 * np.outer(self.lengths, self.lengths)

    def exceeding(self) -> list[ExceedingPair]:
        """All pairs with x_i . x_j > x_i . x_i, the largest excess first."""
        own = np.diagonal(self.products)
        pairs = np.argwhere(self.exceeds)
        order = np.argsort((own[:, None] - self.products)[self.exceeds], kind="stable")
        lengths, cosines = self.lengths, self.scores("cosine")
        return [
            ExceedingPair(
                int(i),
                int(j),
                *map(float, (own[i], self.products[i, j], lengths[i], lengths[j], cosines[i, j])),
            )
            for i, j in pairs[order]
        ]

    def recount_exceeding(self) -> int:
        """Number of exceeding pairs, computed another way: the projection of x_j on x_i is longer than x_i."""
        vectors = self.vectors.astype(np.float64)
        lengths = np.linalg.norm(vectors, axis=1)
        projections = vectors @ (vectors / lengths[:, None]).T  # (j, i): |x_j| cos(x_i, x_j)
        return int((projections - lengths > 1e-12 * lengths[:, None]).sum())

    def difference(self, form: str = "scaled") -> float:
        """Largest |difference| of the weights to those of the fused kernel with one-hot values."""
        vectors = torch.from_numpy(self.vectors).double()[None]  # (1, S, width)
        if form == "cosine":
            vectors = F.normalize(vectors, dim=-1)
        scale = 1 / math.sqrt(vectors.shape[2]) if form == "scaled" else 1.0
        one_hot = torch.eye(vectors.shape[1], dtype=torch.float64)[None]
        reference = F.scaled_dot_product_attention(vectors, vectors, one_hot, scale=scale)[0].numpy()
        return float(np.abs(reference - self.weights(form)).max())


def encoder_stages(network: Transformer, trace: Trace) -> tuple[RawAttention, ...]:
    """The vectors of `network`'s encoder at every stage, for the sentence of `trace`.

    Returns:
        The embedding rows x sqrt(d_model), then what layer 1, 2, ... reads, then the last layer's output: layers + 2.
        The heads of layer l have read stage l; none reads the first stage or the last.
    """
    bare = recompute_embedding(network, trace.tokenizer, list(trace.source_ids)).scaled  # (S, d_model)
    heads = (None, *trace.encoder_attention, None)  # (head, S, S) each
    return tuple(RawAttention(*stage) for stage in zip((bare, *trace.encoder_stream), heads, strict=True))


def stage_names(count: int) -> tuple[str, ...]:
    """Ids of `count` stages of an encoder: "embedding", "layer-1", ..., "output"."""
    return ("embedding", *(f"layer-{layer}" for layer in range(1, count - 1)), "output")


def encoder_states(trace: RecurrentTrace) -> RawAttention:
    """The states of a recurrent encoder for the sentence of `trace`, both directions side by side."""
    return RawAttention(np.concatenate([cells.hidden for cells in trace.encoder.values()], axis=1))


def self_weights(weights: np.ndarray) -> np.ndarray:
    """How much each token attends to itself: `(..., S, S)` -> `(..., S)`."""
    return np.diagonal(weights, axis1=-2, axis2=-1)


def attends_most_to_itself(weights: np.ndarray) -> np.ndarray:
    """Whether no other token has more weight: `(..., S, S)` -> `(..., S)` bool."""
    return self_weights(weights) >= weights.max(axis=-1)
