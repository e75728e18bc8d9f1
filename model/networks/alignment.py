"""Scores of a decoder state and each encoder state: the first attention, additive and multiplicative."""

import math

from torch import Tensor, nn

from .tap import Tap


class AdditiveAlignment(nn.Module):
    """score(s, h) = v . tanh(W s + U h) (Bahdanau et al. 2015, section A.1.2).

    Args:
        query_width: of the decoder's states s.
        key_width: of the encoder's states h.
        width: of the layer in between.
    """

    def __init__(self, query_width: int, key_width: int, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(query_width, width)  # W, with the one bias the two maps need
        self.key = nn.Linear(key_width, width, bias=False)  # U
        self.score = nn.Linear(width, 1, bias=False)  # v

    def project(self, keys: Tensor) -> Tensor:
        """U h, the same for every query: `(batch, key, key_width)` -> `(batch, key, width)`."""
        return self.key(keys)

    def scores(self, queries: Tensor, keys: Tensor, projected: Tensor) -> Tensor:
        """`(batch, query, query_width)` -> `(batch, query, key)`."""
        joined = self.query(queries)[:, :, None] + projected[:, None]  # (batch, query, key, width)
        return self.score(joined.tanh()).squeeze(-1)


class DotAlignment(nn.Module):
    """score(s, h) = s . h (Luong et al. 2015, section 3.1, the first of the three); it has no parameters."""

    def project(self, keys: Tensor) -> Tensor:
        """The keys themselves."""
        return keys

    def scores(self, queries: Tensor, keys: Tensor, projected: Tensor) -> Tensor:
        """`(batch, query, width)` -> `(batch, query, key)`."""
        return queries @ keys.transpose(1, 2)


def context_vectors(
    scores: Tensor, values: Tensor, allowed: Tensor | None, tap: Tap | None = None, name: str = "cross"
) -> Tensor:
    """softmax(scores) over the keys, then the weighted mean of the values.

    Args:
        scores: `(batch, query, key)`.
        values: `(batch, key, width)`, the encoder's states.
        allowed: bool `(batch, 1, 1, key)` from `padding_mask`; None lets every key be attended to.
        tap: gets `{name}.scores`, `.mask`, `.weights` and `.outputs` with an axis for the one head.

    Returns:
        `(batch, query, width)`, the context vectors.
    """
    if tap is None:
        if allowed is not None:
            scores = scores.masked_fill(~allowed[:, 0], -math.inf)
        return scores.softmax(dim=-1).to(values.dtype) @ values
    scores = tap(f"{name}.scores", scores[:, None])  # (batch, 1, query, key)
    if allowed is not None:
        scores = scores.masked_fill(~tap(f"{name}.mask", allowed), -math.inf)
    weights = tap(f"{name}.weights", scores.softmax(dim=-1))
    return tap(f"{name}.outputs", weights @ values[:, None])[:, 0]  # (batch, query, width)
