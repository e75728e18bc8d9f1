"""Positions that act inside self-attention: rotary (Su et al. 2021) and linear biases, ALiBi (Press et al. 2022).

Neither adds anything to the embeddings, and neither has trained numbers. Both change self-attention of the encoder and
of the decoder alone; cross-attention has none, since a distance between a French and an English token is not defined.

Rotary positions rotate the pair (2i, 2i + 1) of every query and key by the angle position / 10000^(2i / d_k) (section
3.2.2, equations 14 to 16), so that a score depends on the positions by their distance alone. Values are not rotated.

ALiBi adds -slope x distance to every scaled score (section 3). Its authors define it for a causal decoder. In the
encoder, where keys follow the query too, the distance is |query - key|, so that the bias is symmetric and the encoder
does not know from it which of two tokens is the first; this is the first form that the authors name for encoders
(github.com/ofirpress/attention_with_linear_biases, issue 5). The decoder's mask leaves the half of the paper.
"""

import math
from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from .config import TransformerConfig
from .positional import BASE


class RelativePositions(nn.Module, ABC):
    """What positions change in one self-attention."""

    @abstractmethod
    def forward(self, query: Tensor, keys: Tensor, positions: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return queries and keys with their positions, and the bias of the scores, `(batch, head, query, key)`.

        Args:
            query: `(batch, head, query, d_k)`, of the last positions.
            keys: `(batch, head, key, d_k)`.
            positions: `(1 or batch, key)` int64, the position of every key.
        """


class RotaryPositions(RelativePositions):
    """Rotary positions, exact to the rounding of single precision: the angles are computed in double precision.

    Args:
        d_k: width of a head, even.
        length: positions that are computed in advance.
    """

    cosines: Tensor  # (position, d_k / 2)
    sines: Tensor

    def __init__(self, d_k: int, length: int) -> None:
        super().__init__()
        frequencies = torch.pow(BASE, -torch.arange(0, d_k, 2, dtype=torch.float64) / d_k)  # (d_k / 2,)
        angles = torch.arange(length, dtype=torch.float64)[:, None] * frequencies  # (position, d_k / 2)
        self.register_buffer("cosines", angles.cos().float(), persistent=False)
        self.register_buffer("sines", angles.sin().float(), persistent=False)

    def forward(self, query: Tensor, keys: Tensor, positions: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        """Rotate queries and keys; there is no bias."""
        own = positions[:, positions.shape[1] - query.shape[2] :]
        return self.rotate(query, own), self.rotate(keys, positions), None

    def rotate(self, vectors: Tensor, positions: Tensor) -> Tensor:
        """Rotate every pair of `(batch, head, position, d_k)` by the angle of its position."""
        cosines, sines = self.cosines[positions][:, None], self.sines[positions][:, None]  # (batch, 1, position, pair)
        first, second = vectors[..., 0::2], vectors[..., 1::2]  # (batch, head, position, pair)
        rotated = torch.stack([first * cosines - second * sines, first * sines + second * cosines], dim=-1)
        return rotated.flatten(-2).to(vectors.dtype)


class LinearBiases(RelativePositions):
    """ALiBi; see the module.

    Args:
        heads: their number.
    """

    slopes: Tensor  # (head,)

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.register_buffer("slopes", torch.tensor(alibi_slopes(heads)), persistent=False)

    def forward(self, query: Tensor, keys: Tensor, positions: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        """Leave queries and keys as they are, and compute the bias."""
        own = positions[:, positions.shape[1] - query.shape[2] :]
        distances = (own[:, :, None] - positions[:, None, :]).abs()  # (batch, query, key)
        return query, keys, -self.slopes[:, None, None] * distances[:, None]  # (batch, head, query, key)


def alibi_slopes(heads: int) -> list[float]:
    """The slope of every head (Press et al. 2022, section 3): 2^(-8 h / heads) for h from 1, so 1/2 to 1/256 for 8.

    If the number is no power of two, n being the largest one below: those of n heads, then every other one of 2 n
    heads, from the first, as in the authors' code.
    """
    whole = 2 ** int(math.log2(heads))
    slopes = [2.0 ** (-8 * head / whole) for head in range(1, whole + 1)]
    between = [2.0 ** (-8 * head / (2 * whole)) for head in range(1, 2 * whole + 1, 2)]
    return slopes + between[: heads - whole]


def relative_positions(config: TransformerConfig) -> RelativePositions | None:
    """Those of one self-attention of a network; None if it has positions of another kind."""
    if config.positions == "rotary":
        return RotaryPositions(config.d_k, config.max_positions)
    return LinearBiases(config.n_heads) if config.positions == "alibi" else None
