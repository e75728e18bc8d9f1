"""One target token at a time, with keys and values of earlier ones cached.

The same arithmetic as `Transformer.decode`, for a single query per row: it works on plain `(row, d_model)` matrices,
multiplied in blocks (`model.decoding.affine`). Decoding with it gives the same tokens as decoding without a cache;
tests hold the two together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model.decoding.affine import Affine
from model.networks.transformer import DecoderLayer, Transformer

FIRST_CAPACITY = 32  # target positions a new cache has room for; it doubles when they are used up


class Norm(NamedTuple):
    """A layer norm after the residual sum."""

    weight: Tensor
    bias: Tensor
    epsilon: float

    @classmethod
    def of(cls, module: nn.LayerNorm) -> Norm:
        """The parameters of `module`."""
        return cls(module.weight.detach(), module.bias.detach(), module.eps)

    def after_adding(self, stream: Tensor, sublayer_output: Tensor) -> Tensor:
        """The norm of `stream + sublayer_output`, both `(row, d_model)`; overwrites `sublayer_output`."""
        return torch.layer_norm(sublayer_output.add_(stream), self.weight.shape, *self)


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


class Cross(NamedTuple):
    """One layer's cross-attention on any number of sentences, from the residual stream to its output."""

    query: Affine
    output: Affine
    keys: Tensor  # (sentence, head, source, d_k)
    values: Tensor
    allowed: Tensor | None  # (sentence, 1, 1, source)

    def __call__(self, stream: Tensor) -> Tensor:
        """`(row, d_model)` -> `(row, d_model)`; several rows of one sentence are queries of one attention."""
        sentences, heads, _, d_k = self.keys.shape
        query = self.query(stream).view(sentences, -1, heads, d_k).transpose(1, 2)  # (sentence, head, row, d_k)
        seen = F.scaled_dot_product_attention(query, self.keys, self.values, attn_mask=self.allowed)
        return self.output(seen.transpose(1, 2).reshape(stream.shape))


class IncrementalDecoder:
    """The decoder at work on one hypothesis of each of several sentences, or on several hypotheses of one sentence.

    Args:
        network: in evaluation mode.
        memory: `(sentence, source, d_model)` from `network.encode`; there is a row for each sentence at first.
        source_allowed: `(sentence, 1, 1, source)` from `padding_mask`; None where nothing is padded.
    """

    def __init__(self, network: Transformer, memory: Tensor, source_allowed: Tensor | None = None) -> None:
        config = network.config
        self.config = config
        self.embedding, self.positions = network.embedding.weight, network.positions
        self.layers = [LayerWeights.of(layer) for layer in network.decoder]
        embedding = self.embedding.detach()  # (vocabulary, d_model)
        self.projection = Affine(embedding, embedding.new_zeros(len(embedding)))
        self.cross = [
            Cross(
                weights.cross_query, weights.cross_output, *layer.cross_attention.project_memory(memory), source_allowed
            )
            for weights, layer in zip(self.layers, network.decoder, strict=True)
        ]
        self.sentences = len(memory)
        self.length = 0  # target positions in the cache
        shape = (len(self.layers), 2, len(memory), config.n_heads, FIRST_CAPACITY, config.d_k)
        self.past = memory.new_empty(shape)  # (layer, key or value, row, head, position, d_k)

    def step(self, ids: Tensor) -> Tensor:
        """Take in one more token per row.

        Args:
            ids: `(row,)` the newest tokens.

        Returns:
            `(row, vocabulary)` logits of the tokens that follow.

        Raises:
            ValueError: the table of positions is used up.
        """
        config = self.config
        if self.length >= config.max_positions:
            raise ValueError(f"{self.length + 1} positions are more than the {config.max_positions} this model has.")
        if self.length == self.past.shape[4]:
            self.past = torch.cat([self.past, torch.empty_like(self.past)], dim=4)
        stream = F.embedding(ids, self.embedding) * math.sqrt(config.d_model) + self.positions[self.length]
        newest = self.past[..., self.length, :].unbind(0)  # of each layer (key or value, row, head, d_k)
        seen = self.past[..., : self.length + 1, :].flatten(0, 1).unbind(0)  # of each layer keys, then values
        for index, layer in enumerate(self.layers):
            own = seen[2 * index : 2 * index + 2]
            stream = self._layer(stream, layer, newest[index], own, self.cross[index])
        self.length += 1
        return self.projection(stream)

    def _layer(
        self,
        stream: Tensor,
        layer: LayerWeights,
        newest: Tensor,
        own: tuple[Tensor, ...],
        cross: Cross,
    ) -> Tensor:
        rows, width = stream.shape
        projected = layer.self_projections(stream).view(rows, 3, self.config.n_heads, self.config.d_k)
        newest.copy_(projected[:, 1:].transpose(0, 1))
        query = projected[:, 0].unsqueeze(2)  # (row, head, 1, d_k)
        seen = F.scaled_dot_product_attention(query, *own).view(rows, width)
        stream = layer.self_norm.after_adding(stream, layer.self_output(seen))
        stream = layer.cross_norm.after_adding(stream, cross(stream))
        return layer.feed_forward_norm.after_adding(stream, layer.contract(layer.expand(stream).relu_()))

    def keep_rows(self, rows: Sequence[int]) -> None:
        """Go on with these hypotheses of the one sentence, in this order, as beam search does after each step.

        Raises:
            ValueError: there is more than one sentence.
        """
        if self.sentences != 1:
            raise ValueError(f"Only the hypotheses of one sentence can be chosen from; there are {self.sentences}.")
        if len(rows) != self.past.shape[2]:
            self.past = self.past.index_select(2, torch.tensor(rows, device=self.past.device))
            return
        moved = [place for place, row in enumerate(rows) if row != place]
        if moved:
            filled = self.past[..., : self.length, :]
            places, sources = torch.tensor([moved, [rows[place] for place in moved]], device=filled.device)
            filled.index_copy_(2, places, filled.index_select(2, sources))
