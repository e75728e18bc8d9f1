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

from model.attention import KeyValue
from model.transformer import DecoderLayer, Transformer

PARTS = 4  # that a matrix is cut into; two a core on the smallest machine this is made for
FIRST_CAPACITY = 32  # target positions a new cache has room for; it doubles when they are used up


class Affine(NamedTuple):
    """A linear map from `in` to `out` numbers, cut into `PARTS` that share out the outputs.

    A step reads every weight once, far more than a fast cache holds, and for a few rows PyTorch multiplies by a single
    matrix on one core. As a batch of smaller matrices, read along the output, both cores take part: the products of a
    step then take about 0.4 x the time for one row and 0.3 x for four.
    """

    weight: Tensor  # (part, in, out / part)
    bias: Tensor  # (part, 1, out / part)

    @classmethod
    def of(cls, *modules: nn.Linear) -> Affine:
        """One map with the outputs of all `modules` side by side."""
        weight = torch.cat([module.weight.detach() for module in modules])  # (out, in)
        return cls.from_matrix(weight, torch.cat([module.bias.detach() for module in modules]))

    @classmethod
    def from_matrix(cls, weight: Tensor, bias: Tensor) -> Affine:
        """The map with `weight` `(out, in)` and `bias` `(out,)`."""
        parts = math.gcd(PARTS, len(weight))
        return cls(
            weight.unflatten(0, (parts, -1)).transpose(1, 2).contiguous(), bias.unflatten(0, (parts, -1))[:, None]
        )

    def __call__(self, stream: Tensor) -> Tensor:
        """`(row, in)` -> `(row, out)`."""
        parts = torch.baddbmm(self.bias, stream.expand(len(self.weight), -1, -1), self.weight)
        return parts.transpose(0, 1).reshape(len(stream), -1)


class Norm(NamedTuple):
    """A layer norm after the residual sum."""

    weight: Tensor
    bias: Tensor
    epsilon: float

    @classmethod
    def of(cls, module: nn.LayerNorm) -> Norm:
        """The parameters of `module`."""
        return cls(module.weight.detach(), module.bias.detach(), module.eps)

    def after_adding(self, stream: Tensor, written: Tensor) -> Tensor:
        """The norm of `stream + written`, both `(row, d_model)`; overwrites `written`."""
        return F.layer_norm(written.add_(stream), stream.shape[-1:], *self)


class LayerWeights(NamedTuple):
    """One decoder layer, without the look-ups that modules cost."""

    self_projections: Affine  # query, key and value side by side
    self_output: Affine
    self_norm: Norm
    cross_query: Affine
    cross_output: Affine
    cross_norm: Norm
    expand: Affine
    contract: Affine
    feed_forward_norm: Norm

    @classmethod
    def of(cls, layer: DecoderLayer) -> LayerWeights:
        """The weights of `layer`, laid out for single steps."""
        own, cross, feed_forward = layer.self_attention, layer.cross_attention, layer.feed_forward
        return cls(
            Affine.of(own.query, own.key, own.value),
            Affine.of(own.output),
            Norm.of(layer.self_norm.norm),
            Affine.of(cross.query),
            Affine.of(cross.output),
            Norm.of(layer.cross_norm.norm),
            Affine.of(feed_forward.expand),
            Affine.of(feed_forward.contract),
            Norm.of(layer.feed_forward_norm.norm),
        )


class DecodingWeights(NamedTuple):
    """The decoder's weights laid out for single steps, and which state of the network they are a copy of."""

    state: tuple[tuple[int, int], ...]
    layers: list[LayerWeights]
    projection: Affine

    @classmethod
    def of(cls, network: Transformer) -> DecodingWeights:
        """The layout of `network` as it is now; made again only when a parameter was changed or moved."""
        state = tuple((parameter.data_ptr(), parameter._version) for parameter in network.parameters())
        kept: DecodingWeights | None = getattr(network, "_decoding_weights", None)
        if kept is None or kept.state != state:
            embedding = network.embedding.weight.detach()  # (vocabulary, d_model)
            projection = Affine.from_matrix(embedding, embedding.new_zeros(len(embedding)))
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
        return self.projection(stream)

    def _layer(self, stream: Tensor, layer: LayerWeights, past: Tensor, cross: KeyValue) -> Tensor:
        rows, width = stream.shape
        heads = (rows, self.config.n_heads, 1, self.config.d_k)
        projected = layer.self_projections(stream).view(rows, 3, self.config.n_heads, self.config.d_k)
        past[:, :, :, self.length] = projected[:, 1:].transpose(0, 1)  # (key or value, row, head, d_k)
        keys, values = past[:, :, :, : self.length + 1].unbind(0)  # (row, head, position, d_k)
        query = projected[:, 0].unsqueeze(2)  # (row, head, 1, d_k)
        seen = F.scaled_dot_product_attention(query, keys, values).view(rows, width)
        stream = layer.self_norm.after_adding(stream, layer.self_output(seen))
        query = layer.cross_query(stream).view(heads)
        seen = F.scaled_dot_product_attention(query, *cross, attn_mask=self.source_allowed).view(rows, width)
        stream = layer.cross_norm.after_adding(stream, layer.cross_output(seen))
        return layer.feed_forward_norm.after_adding(stream, layer.contract(layer.expand(stream).relu_()))

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
