"""Attention masks: patterns, their effect on a finished translation, and a check of causality."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from ..networks.losses import token_cross_entropy
from ..networks.masks import causal_mask
from ..networks.tap import Chain, Intervention, Recorder, replace_mask
from ..networks.transformer import Transformer
from ..runtime.arrays import to_array
from ..tracing.trace import Trace

MaskPattern = Literal["causal", "none", "window", "prefix"]
PATTERNS: tuple[MaskPattern, ...] = ("causal", "none", "window", "prefix")


def mask_pattern(name: MaskPattern, length: int, size: int = 3) -> np.ndarray:
    """Build a mask by name.

    Args:
        name: "causal" lets query i see keys 0..i; "none" lets every query see every key; "window" is causal and lets a
            query see only itself and the `size` - 1 tokens before it; "prefix" is causal, but the first `size` keys
            are visible to every query.
        length: tokens on either axis.

    Returns:
        `(query, key)` bool, True for visible keys.

    Raises:
        ValueError: no such pattern, or a `size` below 1.
    """
    if name not in PATTERNS:
        raise ValueError(f"There is no pattern {name!r}; choose one of {', '.join(PATTERNS)}.")
    if size < 1:
        raise ValueError(f"The size is {size}; a query must see at least one key.")
    causal = causal_mask(length)[0, 0].numpy()  # (query, key)
    if name == "none":
        return np.ones_like(causal)
    query, key = np.indices(causal.shape)
    if name == "window":
        return causal & (query - key < size)
    if name == "prefix":
        return causal | (key < size)
    return causal


@dataclass(frozen=True, eq=False)
class MaskEffect:
    """The decoder on one target under one mask; T decoder inputs. All heads, or one after `head`."""

    scores: np.ndarray  # `(layer, head, query, key)`, scaled, before the mask; of one head `(query, key)`
    allowed: np.ndarray  # `(layer, 1, query, key)` bool, the mask of each layer; of one head `(query, key)`
    weights: np.ndarray  # as the scores
    losses: np.ndarray  # `(T,)` -ln p of each token that should follow, in nats
    best: tuple[str, ...]  # the most probable next token at each position
    best_probability: np.ndarray  # `(T,)` probability of that token

    def head(self, layer: int, head: int) -> "MaskEffect":
        """One head alone; layer and head from 0."""
        one = {"scores": self.scores[layer, head], "weights": self.weights[layer, head]}
        return replace(self, **one, allowed=self.allowed[layer, 0])

    @property
    def masked_scores(self) -> np.ndarray:
        """The scores with minus infinity where masked."""
        return np.where(self.allowed, self.scores, np.float32(-np.inf))

    @property
    def probabilities(self) -> np.ndarray:
        """`(T,)` probability of each token that should follow."""
        return np.exp(-self.losses)

    @property
    def loss(self) -> float:
        """Mean of -ln p over the target, in nats."""
        return float(self.losses.mean(dtype=np.float64))

    @property
    def masked_weight(self) -> float:
        """Largest weight on a key that the mask hides; 0 where nothing is hidden."""
        hidden = self.weights[~np.broadcast_to(self.allowed, self.weights.shape)]
        return float(hidden.max()) if hidden.size else 0.0


@torch.inference_mode()
def measure_mask_effect(network: Transformer, trace: Trace, allowed: np.ndarray, layers: Sequence[int]) -> MaskEffect:
    """Decode the trace's target again with another mask in decoder self-attention.

    Args:
        allowed: `(T, T)` bool; every query has a visible key.
        layers: those in which it replaces the causal mask, from 0.

    Raises:
        ValueError: `allowed` leaves a query without a key, or has another shape than `(T, T)`.
    """
    length = len(trace.target_ids)
    if allowed.shape != (length, length):
        raise ValueError(f"The mask is {allowed.shape}; this target needs ({length}, {length}).")
    every = range(trace.decoder_attention.shape[0])
    steps = [[f"decoder.{layer}.self.{step}" for layer in every] for step in ("scores", "mask", "weights")]
    recorder = Recorder({name for names in steps for name in names})
    change = replace_mask(torch.from_numpy(np.ascontiguousarray(allowed))[None, None])
    tap = Chain(Intervention({f"decoder.{place}.self.mask": change for place in layers}), recorder)
    target = network.ids(trace.target_ids)
    logits = network.project(network.decode(target, _memory(network, trace), None, tap))[0]  # (T, vocabulary)
    losses = token_cross_entropy(logits, network.ids(trace.next_ids)[0])
    best = logits.float().softmax(dim=-1).max(dim=-1)
    scores, masks, weights = ([recorder.tensors[name] for name in names] for names in steps)
    return MaskEffect(
        scores=to_array(torch.cat(scores)),  # (layer, head, T, T)
        allowed=torch.cat([mask.expand(1, 1, length, length) for mask in masks]).cpu().numpy(),
        weights=to_array(torch.cat(weights)),
        losses=losses.cpu().numpy(),
        best=tuple(trace.tokenizer.labels(best.indices.tolist())),
        best_probability=best.values.cpu().numpy(),
    )


@torch.inference_mode()
def check_causality(
    network: Transformer, trace: Trace, position: int, replacement: int, masks: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """Change one token of the decoder's input and measure which positions change, under several masks.

    Both runs have the same shapes, so the arithmetic of a position that cannot see the changed one is the same
    operation by operation: the difference is exactly 0, not merely small.

    Args:
        position: of the decoder input that is replaced, from 0.
        replacement: the new id.
        masks: `(T, T)` bool each, used in every layer.

    Returns:
        For each mask `(layers + 1, T)` float32: the largest |difference| of the residual stream after each layer (the
        embedding first) at each position.

    Raises:
        ValueError: there is no such position, or a mask leaves a query without a key.
    """
    if not 0 <= position < len(trace.target_ids):
        raise ValueError(f"There is no position {position} in a target of {len(trace.target_ids)} tokens.")
    changed = list(trace.target_ids)
    changed[position] = replacement
    memory = _memory(network, trace)
    differences = []
    for mask in masks:
        after, before = (_streams(network, ids, memory, mask) for ids in (changed, trace.target_ids))
        differences.append(to_array((after - before).abs().amax(dim=-1)))  # (layers + 1, T)
    return differences


def _streams(network: Transformer, ids: Sequence[int], memory: Tensor, allowed: np.ndarray) -> Tensor:
    """`(layers + 1, T, d_model)`: the decoder's residual stream under a mask."""
    count = network.config.n_decoder_layers
    names = ["decoder.embedded", *(f"decoder.{layer}.residual" for layer in range(count))]
    recorder = Recorder(set(names))
    change = replace_mask(torch.from_numpy(np.ascontiguousarray(allowed))[None, None])
    tap = Chain(Intervention({f"decoder.{layer}.self.mask": change for layer in range(count)}), recorder)
    network.decode(network.ids(ids), memory, None, tap)
    return torch.cat([recorder.tensors[name] for name in names])


def _memory(network: Transformer, trace: Trace) -> Tensor:
    """The encoder's output for the trace's source, `(1, S, d_model)`, which masks of the decoder do not change."""
    return torch.from_numpy(trace.encoder_stream[-1])[None].to(network.device)
