"""Multi-head attention in several forms: one wide projection that is split, or a small or full one for each head."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..networks.attention import MultiHeadAttention

Pairs = tuple[tuple[nn.Linear, Tensor], ...]  # of query, key and value: the projection and its input


@dataclass(frozen=True)
class StepShape:
    """A step of multi-head attention and the shape of its result."""

    step: str
    shape: tuple[int, ...]


def step_shapes(
    batch: int,
    length: int,
    d_model: int,
    n_heads: int,
    keys: int | None = None,
    d_v: int | None = None,
    vocabulary: int = 100,
) -> list[StepShape]:
    """Shapes from the ids to the sub-layer's output and of the weights on the way, from PyTorch's meta tensors.

    A weight is `(in, out)`, as in x W; `nn.Linear` stores its transpose.

    Args:
        length: query tokens.
        keys: key tokens; by default as many as queries.
        d_v: width of a head's values; by default d_k = d_model / n_heads.
        vocabulary: rows of the embedding table, at least 1.

    Raises:
        ValueError: `d_model` is not a multiple of `n_heads`.
    """
    if d_model % n_heads:
        raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}; every head needs the same width.")
    d_k, keys = d_model // n_heads, length if keys is None else keys
    d_v = d_k if d_v is None else d_v
    with torch.device("meta"):
        ids = torch.zeros(batch, length, dtype=torch.int64)
        embedding = nn.Embedding(vocabulary, d_model)
        stream = embedding(ids)
        positions = torch.zeros(length, d_model)  # without the batch axis: broadcast over sequences
        stream = stream + positions
        projection, w_k = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        w_v, w_0 = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)
        projected = projection(stream)
        split = projected.view(batch, length, n_heads, d_k)
        heads = split.transpose(1, 2)
        others, values = (torch.zeros(batch, n_heads, keys, width) for width in (d_k, d_v))
        scores = heads @ others.transpose(-2, -1)
        outputs = scores.softmax(dim=-1) @ values
        back = outputs.transpose(1, 2)
        joined = back.contiguous().view(batch, length, n_heads * d_v)
        output = w_0(joined)
    steps = {
        "ids": ids,
        "embedding table": embedding.weight,
        "embedded": stream,
        "positions": positions,
        "with positions": stream,
        "w_q": projection.weight.T,
        "w_k": w_k.weight.T,
        "w_v": w_v.weight.T,
        "of one head": projection.weight[:d_k].T,
        "queries, projected": projected,
        "split into heads": split,
        "heads first": heads,
        "scores": scores,
        "weights \u00d7 values": outputs,
        "heads back": back,
        "heads joined": joined,
        "w_0": w_0.weight.T,
        "output": output,
    }
    return [StepShape(name, tuple(tensor.shape)) for name, tensor in steps.items()]


@dataclass
class OperationCounts:
    """Parameters and operations of one form of a sub-layer, counted as it is computed."""

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
class HeadForms:
    """One sub-layer computed in several forms."""

    # counts for one projection of full width that is split; the others are compared with its output
    split: OperationCounts
    small: OperationCounts  # counts for a projection `(d_model, d_k)` for each head
    full: OperationCounts  # counts for a projection `(d_model, d_model)` for each head, as some tutorials draw it
    one: OperationCounts  # counts for a single head of full width
    # largest |difference| of the output to that of `split`, by form. `full` has the weights of `small` in its first d_k
    # columns, zeros in the others, and divides by the root of d_k; `full_scaled` is the same with the root of its own
    # width.
    differences: dict[str, float]
    shapes: dict[str, tuple[int, int]]  # form -> shape of one projection


@torch.inference_mode()
def compute_head_forms(
    module: MultiHeadAttention, query_input: np.ndarray, key_input: np.ndarray, allowed: np.ndarray | None
) -> HeadForms:
    """Compute the sub-layer in four forms with the same weights.

    Inputs are `(query, d_model)` and `(key, d_model)`; `allowed` is `(query, key)` bool, or None.
    """
    device = module.query.weight.device
    query_stream, key_stream = (torch.from_numpy(array).to(device) for array in (query_input, key_input))
    mask = None if allowed is None else torch.from_numpy(allowed).to(device)
    pairs = ((module.query, query_stream), (module.key, key_stream), (module.value, key_stream))
    d_model, n_heads = query_stream.shape[1], module.n_heads
    d_k = d_model // n_heads
    split, small, full, one = OperationCounts(), OperationCounts(), OperationCounts(), OperationCounts()
    reference = _split(module, pairs, mask, split)
    outputs = {
        "small": _small(module, pairs, mask, small),
        "full": _full(module, pairs, mask, full, d_k),
        "full_scaled": _full(module, pairs, mask, OperationCounts(), d_model),
        "one": _one(module, pairs, mask, one),
    }
    differences = {name: float((output - reference).abs().max()) for name, output in outputs.items()}
    wide = (d_model, d_model)
    return HeadForms(
        split, small, full, one, differences, {"split": wide, "small": (d_model, d_k), "full": wide, "one": wide}
    )


def _split(module: MultiHeadAttention, pairs: Pairs, mask: Tensor | None, form: OperationCounts) -> Tensor:
    """One projection of full width each, split into heads; all heads at once."""
    projected = [
        form.linear(stream, linear.weight, linear.bias).unflatten(-1, (module.n_heads, -1)).transpose(0, 1)
        for linear, stream in pairs
    ]  # (head, position, d_k) each
    heads = _attend(projected, mask, form)  # (head, query, d_k)
    return form.linear(heads.transpose(0, 1).flatten(-2), module.output.weight, module.output.bias)


def _small(module: MultiHeadAttention, pairs: Pairs, mask: Tensor | None, form: OperationCounts) -> Tensor:
    """Each head with its own projections `(d_model, d_k)`, one head after another."""
    heads = []
    for head in range(module.n_heads):
        projected = [
            form.linear(stream, linear.weight.chunk(module.n_heads)[head], linear.bias.chunk(module.n_heads)[head])
            for linear, stream in pairs
        ]  # (position, d_k) each
        heads.append(_attend(projected, mask, form))
    return form.linear(torch.cat(heads, dim=-1), module.output.weight, module.output.bias)


def _full(
    module: MultiHeadAttention, pairs: Pairs, mask: Tensor | None, form: OperationCounts, divided_by: int
) -> Tensor:
    """Each head with projections `(d_model, d_model)`: its own small ones, and zeros in all other columns."""
    d_model, d_k = module.output.weight.shape[0], module.output.weight.shape[0] // module.n_heads
    missing = d_model - d_k
    heads = []
    for head in range(module.n_heads):
        projected = [
            form.linear(
                stream,
                F.pad(linear.weight.chunk(module.n_heads)[head], (0, 0, 0, missing)),  # (d_model, d_model)
                F.pad(linear.bias.chunk(module.n_heads)[head], (0, missing)),
            )
            for linear, stream in pairs
        ]  # (position, d_model) each
        heads.append(_attend(projected, mask, form, divided_by))
    columns = module.output.weight.unflatten(1, (module.n_heads, d_k))  # (d_model, head, d_k)
    output = F.pad(columns, (0, missing)).flatten(1)  # (d_model, head * d_model)
    return form.linear(torch.cat(heads, dim=-1), output, module.output.bias)


def _one(module: MultiHeadAttention, pairs: Pairs, mask: Tensor | None, form: OperationCounts) -> Tensor:
    """The wide projections as a single head."""
    projected = [form.linear(stream, linear.weight, linear.bias) for linear, stream in pairs]
    return form.linear(_attend(projected, mask, form), module.output.weight, module.output.bias)


def _attend(
    projected: Sequence[Tensor], mask: Tensor | None, form: OperationCounts, divided_by: int | None = None
) -> Tensor:
    """Attention from queries, keys and values."""
    queries, keys, values = projected
    scores = form.matmul(queries, keys.transpose(-2, -1)) / math.sqrt(divided_by or queries.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return form.matmul(scores.softmax(dim=-1), values)
