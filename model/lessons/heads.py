"""Heads, two ways: one wide projection that is split, or a small projection for each head (section 3.2.2)."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from model.networks.attention import MultiHeadAttention

Pairs = tuple[tuple[nn.Linear, Tensor], ...]  # of query, key and value: the projection and what it reads


@dataclass(frozen=True)
class Shape:
    """A step of multi-head attention and the shape of its result."""

    step: str
    shape: tuple[int, ...]


def shape_walk(batch: int, length: int, d_model: int, n_heads: int, keys: int | None = None) -> list[Shape]:
    """Shapes from the stream to the sub-layer's output, read off tensors that are really computed.

    Args:
        length: query tokens.
        keys: key tokens; as many as queries where not given.

    Raises:
        ValueError: `d_model` is not a multiple of `n_heads`.
    """
    if d_model % n_heads:
        raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}; every head needs the same width.")
    stream = torch.zeros(batch, length, d_model)
    split = stream.view(batch, length, n_heads, d_model // n_heads)
    heads = split.transpose(1, 2)
    others = torch.zeros(batch, n_heads, length if keys is None else keys, d_model // n_heads)
    scores = heads @ others.transpose(-2, -1)
    outputs = scores.softmax(dim=-1) @ others
    joined = outputs.transpose(1, 2).flatten(-2)
    steps = {
        "queries, projected": stream,
        "split into heads": split,
        "heads first": heads,
        "scores": scores,
        "weights \u00d7 values": outputs,
        "heads joined": joined,
    }
    return [Shape(name, tuple(tensor.shape)) for name, tensor in steps.items()]


@dataclass
class Form:
    """What one way of computing a sub-layer needs, counted by the matrix products themselves."""

    parameters: int = 0  # weights and biases, W_O included
    flops: int = 0  # multiplications and additions of all matrix products: 2 m k n for (m, k) x (k, n)
    products: int = 0  # number of matrix products

    def matmul(self, left: Tensor, right: Tensor) -> Tensor:
        """`left` @ `right`, counted."""
        self.flops += 2 * left.numel() * right.shape[-1]
        self.products += math.prod(left.shape[:-2])
        return left @ right

    def linear(self, stream: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """The linear map of `stream`, counted with its parameters."""
        self.parameters += weight.numel() + bias.numel()
        return self.matmul(stream, weight.T) + bias


@dataclass(frozen=True, eq=False)
class TwoForms:
    """The same sub-layer computed both ways."""

    # counts of the wide projection that is split, and of the n_heads small ones
    split: Form
    small: Form
    difference: float  # largest |difference| of their outputs
    # shapes of one projection in either form, `(d_model, d_model)` and `(d_model, d_k)`
    shapes: tuple[tuple[int, int], tuple[int, int]]


@torch.inference_mode()
def two_forms(
    module: MultiHeadAttention, query_input: np.ndarray, key_input: np.ndarray, allowed: np.ndarray | None
) -> TwoForms:
    """The sub-layer by one wide projection and by n_heads small ones with the same weights.

    Inputs are `(query, d_model)` and `(key, d_model)`; `allowed` is `(query, key)` bool, or None.
    """
    device = module.query.weight.device
    query_stream, key_stream = (torch.from_numpy(array).to(device) for array in (query_input, key_input))
    mask = None if allowed is None else torch.from_numpy(allowed).to(device)
    pairs = ((module.query, query_stream), (module.key, key_stream), (module.value, key_stream))
    split, small = Form(), Form()
    difference = (_split(module, pairs, mask, split) - _small(module, pairs, mask, small)).abs().max()
    d_model, d_k = query_stream.shape[1], query_stream.shape[1] // module.n_heads
    return TwoForms(split, small, float(difference), ((d_model, d_model), (d_model, d_k)))


def _split(module: MultiHeadAttention, pairs: Pairs, mask: Tensor | None, form: Form) -> Tensor:
    """One projection of full width each, cut into heads, attended all at once."""
    projected = [
        form.linear(stream, linear.weight, linear.bias).unflatten(-1, (module.n_heads, -1)).transpose(0, 1)
        for linear, stream in pairs
    ]  # (head, position, d_k) each
    heads = _attend(*projected, mask, form)  # (head, query, d_k)
    return form.linear(heads.transpose(0, 1).flatten(-2), module.output.weight, module.output.bias)


def _small(module: MultiHeadAttention, pairs: Pairs, mask: Tensor | None, form: Form) -> Tensor:
    """Each head with projections of its own, `(d_model, d_k)`, one head after another."""
    heads = []
    for head in range(module.n_heads):
        projected = [
            form.linear(stream, linear.weight.chunk(module.n_heads)[head], linear.bias.chunk(module.n_heads)[head])
            for linear, stream in pairs
        ]  # (position, d_k) each
        heads.append(_attend(*projected, mask, form))
    return form.linear(torch.cat(heads, dim=-1), module.output.weight, module.output.bias)


def _attend(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, form: Form) -> Tensor:
    scores = form.matmul(queries, keys.transpose(-2, -1)) / math.sqrt(queries.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return form.matmul(scores.softmax(dim=-1), values)
