"""Multi-head attention in two forms: fused without a tap, explicit with one."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .linear import Linear
from .relative_positions import RelativePositions
from .tap import Tap

# name of a step, `(batch, head, new, d_k)` -> the cached positions and then the new ones
Join = Callable[[str, Tensor], Tensor]

FIRST_CAPACITY = 32  # target positions that a new cache has room for; the capacity doubles when it is exceeded


class KeyValue(NamedTuple):
    """Keys and values already split into heads, each `(batch, head, key, d_k)`."""

    keys: Tensor
    values: Tensor


class KeyValueCache:
    """Keys and values of earlier positions, and under a tap queries, by name; a `Join`."""

    def __init__(self) -> None:
        self.length = 0  # positions that are cached
        self.tensors: dict[str, Tensor] = {}  # name of a step -> (row, head, capacity, d_k)

    def __call__(self, name: str, new: Tensor) -> Tensor:
        """Store `(row, head, new, d_k)` -> `(row, head, length + new, d_k)`, the cached positions before the new."""
        end = self.length + new.shape[2]
        if name not in self.tensors:
            self.tensors[name] = new.new_empty(*new.shape[:2], FIRST_CAPACITY, new.shape[3])
        while end > self.tensors[name].shape[2]:
            self.tensors[name] = torch.cat([self.tensors[name], torch.empty_like(self.tensors[name])], dim=2)
        self.tensors[name][:, :, self.length : end] = new
        return self.tensors[name][:, :, :end]

    def select_rows(self, rows: Sequence[int]) -> None:
        """Continue with these rows, in this order; if the number of rows stays the same, copy only those that moved."""
        moved = [place for place, row in enumerate(rows) if row != place]
        for name, tensor in self.tensors.items():
            if len(rows) != len(tensor):
                self.tensors[name] = tensor[list(rows)]
            elif moved:
                filled = tensor[:, :, : self.length]
                filled[moved] = filled[[rows[place] for place in moved]]


def scaled_dot_product(
    query: Tensor, kv: KeyValue, allowed: Tensor | None, tap: Tap | None, name: str, bias: Tensor | None = None
) -> Tensor:
    """softmax(Q K^T / sqrt(d_k)) V for all heads at once (Vaswani et al. 2017, equation 1).

    Without a tap this is `torch.nn.functional.scaled_dot_product_attention`. With one, each step is computed separately
    and replaced by `tap(f"{name}.<step>", tensor)`. The steps are `bias` if there is one, `scores` (scaled, with the
    bias, before the mask), `mask`, `weights` and `outputs`.

    Args:
        query: `(batch, head, query, d_k)`.
        kv: keys and values, `(batch, head, key, d_k)` each.
        allowed: bool, broadcastable to `(batch, head, query, key)`; None lets every query attend to every key.
        bias: added to the scaled scores, likewise broadcastable.

    Returns:
        `(batch, head, query, d_k)`.
    """
    if tap is None:
        if bias is not None:
            bias = bias.to(query.dtype)
            allowed = bias if allowed is None else bias.masked_fill(~allowed, -math.inf)
        return F.scaled_dot_product_attention(query, kv.keys, kv.values, attn_mask=allowed)
    scores = query @ kv.keys.transpose(-2, -1)  # (batch, head, query, d_k) x (batch, head, d_k, key)
    scores = scores.mul_(1 / math.sqrt(query.shape[-1]))  # (batch, head, query, key)
    if bias is not None:
        scores = scores + tap(f"{name}.bias", bias)
    scores = tap(f"{name}.scores", scores)
    if allowed is not None:
        allowed = tap(f"{name}.mask", allowed)
        scores = scores.masked_fill(~allowed, -math.inf)
    weights = tap(f"{name}.weights", scores.softmax(dim=-1))  # (batch, head, query, key)
    return tap(f"{name}.outputs", weights @ kv.values)  # (batch, head, query, d_k)


class MultiHeadAttention(nn.Module):
    """n_heads attentions in parallel, concatenated and projected (Vaswani et al. 2017, section 3.2.2).

    Args:
        d_model: width of the residual stream.
        n_heads: number of heads; `d_model` must be a multiple of it.
        relative: positions inside a self-attention, if the network has such.
    """

    def __init__(self, d_model: int, n_heads: int, relative: RelativePositions | None = None) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.relative = relative
        self.query = Linear(d_model, d_model)
        self.key = Linear(d_model, d_model)
        self.value = Linear(d_model, d_model)
        self.output = Linear(d_model, d_model)

    def split_heads(self, stream: Tensor) -> Tensor:
        """`(batch, position, d_model)` -> `(batch, head, position, d_k)`."""
        return stream.view(*stream.shape[:-1], self.n_heads, -1).transpose(1, 2)

    def project_memory(self, memory: Tensor) -> KeyValue:
        """Keys and values of `memory` `(batch, key, d_model)`, split into heads."""
        return KeyValue(self.split_heads(self.key(memory)), self.split_heads(self.value(memory)))

    def forward(
        self,
        stream: Tensor,
        kv: KeyValue,
        allowed: Tensor | None = None,
        tap: Tap | None = None,
        name: str = "attention",
        join: Join | None = None,
    ) -> Tensor:
        """Attend from `stream` to already projected keys and values.

        Args:
            stream: `(batch, query, d_model)`.
            kv: keys and values from `project_memory`.
            allowed: see `scaled_dot_product`.
            tap: called with `{name}.queries`, `.keys` and `.values`, and with the steps of `scaled_dot_product`; with
                `relative` positions first with `{name}.positions`, those of the keys, `(1, key)` int64. Queries and
                keys are those that are multiplied: rotary positions are in them.
            join: puts cached queries in front of those of `stream`, so that the tap receives all of them.

        Returns:
            `(batch, query, d_model)`.
        """
        query, bias = self.split_heads(self.query(stream)), None  # (batch, head, query, d_k)
        if tap is not None and join is not None:
            query = join(f"{name}.queries", query)
        if self.relative is not None:
            positions = torch.arange(kv.keys.shape[2], device=query.device)[None]  # (1, key)
            positions = positions if tap is None else tap(f"{name}.positions", positions)
            query, keys, bias = self.relative(query, kv.keys, positions)
            kv = KeyValue(keys, kv.values)
        if tap is not None:
            query = tap(f"{name}.queries", query)
            kv = KeyValue(tap(f"{name}.keys", kv.keys), tap(f"{name}.values", kv.values))
        heads = scaled_dot_product(query, kv, allowed, tap, name, bias)
        if join is not None:
            heads = heads[:, :, -stream.shape[1] :]
        return self.output(heads.transpose(1, 2).flatten(-2))
