"""Cross-attention with its projections folded into the source's keys and values, for decoding one sentence.

The score of a query for a source position is q . k / sqrt(d_k) with q = x Wq + bq. The source stays the same while a
sentence is decoded, so Wq k and bq . k can be computed once, and a step reads `heads x source` rows instead of Wq.
Likewise a head's values are multiplied by its rows of the output projection once. The result is the same but for
rounding; for sources of up to d_k positions it is less to read, and there are fewer calls.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from model.networks.attention import MultiHeadAttention


class CrossWeights(NamedTuple):
    """The query and output projections of every layer's cross-attention, cut by head."""

    query: Tensor  # (layer x head, d_k, d_model), divided by sqrt(d_k)
    query_bias: Tensor  # (layer x head, d_k, 1), likewise
    output: Tensor  # (layer x head, d_k, d_model)
    output_bias: list[Tensor]  # of each layer (d_model,)

    @classmethod
    def of(cls, attentions: list[MultiHeadAttention]) -> CrossWeights:
        """Copies of the weights of these attentions, one a layer."""
        heads = attentions[0].n_heads
        query = torch.cat([each.query.weight.detach().unflatten(0, (heads, -1)) for each in attentions])
        bias = torch.cat([each.query.bias.detach().view(heads, -1, 1) for each in attentions])
        output = torch.cat([each.output.weight.detach().t().unflatten(0, (heads, -1)) for each in attentions])
        root = math.sqrt(query.shape[1])
        return cls(query / root, bias / root, output, [each.output.bias.detach() for each in attentions])


class FoldedCross(NamedTuple):
    """One layer's cross-attention on one source, from the residual stream to what it writes."""

    keys: Tensor  # (d_model, head x source)
    key_bias: Tensor  # (head x source,)
    values: Tensor  # (head x source, d_model)
    bias: Tensor  # (d_model,)
    heads: int

    @classmethod
    def of_layers(cls, weights: CrossWeights, keys: Tensor, values: Tensor) -> list[FoldedCross]:
        """Fold one sentence.

        Args:
            weights: of all layers.
            keys, values: `(layer, head, source, d_k)` each.

        Returns:
            One a layer.
        """
        layers, heads = keys.shape[:2]
        both = keys.flatten(0, 1), values.flatten(0, 1)  # (layer x head, source, d_k)
        folded_keys = torch.bmm(both[0], weights.query).view(layers, -1, weights.query.shape[2])
        folded_bias = torch.bmm(both[0], weights.query_bias).view(layers, -1)
        folded_values = torch.bmm(both[1], weights.output).view(layers, -1, weights.output.shape[2])
        return [
            cls(folded_keys[layer].t(), folded_bias[layer], folded_values[layer], weights.output_bias[layer], heads)
            for layer in range(layers)
        ]

    def __call__(self, stream: Tensor) -> Tensor:
        """`(row, d_model)` -> `(row, d_model)`."""
        rows = len(stream)
        scores = torch.addmm(self.key_bias, stream, self.keys).view(rows, self.heads, -1)  # (row, head, source)
        weights = torch.softmax(scores, dim=-1).view(rows, -1)
        return torch.addmm(self.bias, weights, self.values)
