"""One target piece at a time, with keys and values of earlier ones cached.

The same arithmetic as `Transformer.decode`, written for a single query per row: at this size a step is bound by the
number of calls, not by multiplication, so it works on plain `(row, d_model)` matrices with the weights at hand.
Decoding with it gives the same pieces as decoding without a cache; tests hold the two together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model.attention import KeyValue, MultiHeadAttention
from model.transformer import DecoderLayer, Transformer

FIRST_CAPACITY = 32  # target positions a new cache has room for; it doubles when they are used up


class Affine(NamedTuple):
    """Weight and bias of a linear map, the weight as `(in, out)`, or of a layer norm.

    A step reads every weight once, far more than a cache holds; read along the output, in this order, that takes 0.6 x
    the time it takes in the order `nn.Linear` keeps.
    """

    weight: Tensor
    bias: Tensor

    @classmethod
    def of(cls, module: nn.Linear | nn.LayerNorm) -> Affine:
        if isinstance(module, nn.Linear):
            return cls(module.weight.detach().T.contiguous(), module.bias.detach())
        return cls(module.weight.detach(), module.bias.detach())

    def __call__(self, stream: Tensor) -> Tensor:
        """The linear map: `(row, in)` -> `(row, out)`."""
        return torch.addmm(self.bias, stream, self.weight)


class LayerWeights(NamedTuple):
    """One decoder layer, without the look-ups that modules cost."""

    query: Affine
    key: Affine
    value: Affine
    self_output: Affine
    self_norm: Affine
    cross_query: Affine
    cross_output: Affine
    cross_norm: Affine
    expand: Affine
    contract: Affine
    feed_forward_norm: Affine
    epsilon: float

    @classmethod
    def of(cls, layer: DecoderLayer) -> LayerWeights:
        own: MultiHeadAttention = layer.self_attention
        cross: MultiHeadAttention = layer.cross_attention
        modules = (own.query, own.key, own.value, own.output, layer.self_norm.norm)
        modules += (cross.query, cross.output, layer.cross_norm.norm)
        modules += (layer.feed_forward.expand, layer.feed_forward.contract, layer.feed_forward_norm.norm)
        return cls(*map(Affine.of, modules), layer.self_norm.norm.eps)


class DecodingWeights(NamedTuple):
    """The decoder's weights laid out for single steps, and which state of the network they are a copy of."""

    state: tuple[tuple[int, int], ...]
    layers: list[LayerWeights]
    projection: Tensor  # (d_model, vocabulary)

    @classmethod
    def of(cls, network: Transformer) -> DecodingWeights:
        """The layout of `network` as it is now; made again only when a parameter was changed or moved."""
        state = tuple((parameter.data_ptr(), parameter._version) for parameter in network.parameters())
        kept: DecodingWeights | None = getattr(network, "_decoding_weights", None)
        if kept is None or kept.state != state:
            projection = network.embedding.weight.detach().T.contiguous()
            kept = cls(state, [LayerWeights.of(layer) for layer in network.decoder], projection)
            network._decoding_weights = kept
        return kept


class IncrementalDecoder:
    """The decoder at work on a batch of sentences.

    Args:
        network: in evaluation mode.
        memory: `(row, source, d_model)` from `network.encode`.
        source_allowed: `(row, 1, 1, source)` from `padding_mask`; None where nothing is padded.
    """

    def __init__(self, network: Transformer, memory: Tensor, source_allowed: Tensor | None = None) -> None:
        config = network.config
        self.config = config
        self.embedding, self.positions = network.embedding.weight, network.positions
        weights = DecodingWeights.of(network)
        self.layers, self.projection = weights.layers, weights.projection
        self.cross = [layer.cross_attention.project_memory(memory) for layer in network.decoder]
        self.source_allowed = source_allowed
        self.length = 0  # target positions in the cache
        shape = (len(self.layers), 2, len(memory), config.n_heads, FIRST_CAPACITY, config.d_k)
        self.past = memory.new_empty(shape)  # (layer, key or value, row, head, position, d_k)

    def step(self, ids: Tensor) -> Tensor:
        """Take in one more piece per row.

        Args:
            ids: `(row,)` the newest pieces.

        Returns:
            `(row, vocabulary)` logits of the pieces that follow.

        Raises:
            ValueError: the table of positions is used up.
        """
        config = self.config
        if self.length >= config.max_positions:
            raise ValueError(f"{self.length + 1} positions are more than the {config.max_positions} this model has.")
        if self.length == self.past.shape[4]:
            self.past = torch.cat([self.past, torch.empty_like(self.past)], dim=4)
        stream = F.embedding(ids, self.embedding) * math.sqrt(config.d_model) + self.positions[self.length]
        for index, layer in enumerate(self.layers):
            stream = self._layer(stream, layer, self.past[index], self.cross[index])
        self.length += 1
        return stream @ self.projection

    def _layer(self, stream: Tensor, layer: LayerWeights, past: Tensor, cross: KeyValue) -> Tensor:
        rows, width = stream.shape
        heads = (rows, self.config.n_heads, 1, self.config.d_k)
        past[0, :, :, self.length] = layer.key(stream).view(heads).squeeze(2)
        past[1, :, :, self.length] = layer.value(stream).view(heads).squeeze(2)
        keys, values = past[:, :, :, : self.length + 1].unbind(0)  # (row, head, position, d_k)
        query = layer.query(stream).view(heads)
        seen = F.scaled_dot_product_attention(query, keys, values).view(rows, width)
        stream = self._add_norm(stream, layer.self_output(seen), layer.self_norm, layer.epsilon)
        query = layer.cross_query(stream).view(heads)
        seen = F.scaled_dot_product_attention(query, *cross, attn_mask=self.source_allowed).view(rows, width)
        stream = self._add_norm(stream, layer.cross_output(seen), layer.cross_norm, layer.epsilon)
        written = layer.contract(layer.expand(stream).relu_())
        return self._add_norm(stream, written, layer.feed_forward_norm, layer.epsilon)

    @staticmethod
    def _add_norm(stream: Tensor, written: Tensor, norm: Affine, epsilon: float) -> Tensor:
        return F.layer_norm(written.add_(stream), stream.shape[-1:], *norm, epsilon)

    def keep_rows(self, rows: Tensor) -> None:
        """Go on with the given rows in the given order, as beam search does after each step.

        Every row must stand for the same sentence as the row it replaces, or the number of rows must change with it:
        the source's keys and values are reordered only when their number differs.
        """
        self.past = self.past.index_select(2, rows)
        if len(rows) != len(self.cross[0].keys):
            self.cross = [KeyValue(kv.keys[rows], kv.values[rows]) for kv in self.cross]
            if self.source_allowed is not None:
                self.source_allowed = self.source_allowed[rows]
