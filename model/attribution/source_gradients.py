"""Gradient-weighted relevance for an encoder with a decoder: a target token's probability attributed to source tokens.

The rules are those of Chefer, Gur and Wolf 2021 ("Generic Attention-model Explainability", section 3), with the source
s and the target t: relevance of source for source R_ss, of target for target R_tt, and of source for target R_ts.
The explained quantity is ln p of the token that really follows, one target position at a time: position r is row r of
a batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..networks.losses import token_cross_entropy
from ..networks.tap import Chain, Intervention, Recorder, Tap
from ..networks.transformer import Transformer
from ..runtime.arrays import largest_difference
from ..runtime.progress import InSteps, Progress
from ..tracing.kinds import TRANSLATION
from ..tracing.trace import Trace
from .rollout import accumulate_relevance, identity_like, weigh_by_gradient

WEIGHTS = 6_000_000  # numbers in all layers and rows of a batch; gradients need about four times as much memory


def normalise_relevance(total: Tensor) -> Tensor:
    """Subtract the identity from R `(..., position, position)`, scale rows to sum to 1, and add it (equations 8 and 9).

    A row that equals the identity's stays so; the paper's quotient is 0 / 0 there.
    """
    identity = identity_like(total)
    gained = total - identity
    rows = gained.sum(dim=-1, keepdim=True)
    return torch.where(rows > 0, gained / rows, 0) + identity


def source_relevance(encoder: Sequence[Tensor], decoder: Sequence[Tensor], cross: Sequence[Tensor]) -> Tensor:
    """Compute R_ts after all layers, from each layer's attention weighed by its gradients.

    Masked self-attention adds A R_tt to R_tt and A R_ts to R_ts (equations 6 and 7). Cross-attention adds
    R_tt' A R_ss, both normalised and R_tt transposed (equation 10). Equation 11 adds nothing, as the source never
    attends to the target.

    Args:
        encoder: `(..., S, S)` a layer, from `weighed_by_gradient`.
        decoder: `(..., T, T)` a layer.
        cross: `(..., T, S)` a layer.

    Returns:
        `(..., T, S)`, nowhere negative.
    """
    memory = normalise_relevance(accumulate_relevance(encoder))
    target, total = identity_like(decoder[0]), torch.zeros_like(cross[0])
    for own, attended in zip(decoder, cross, strict=True):
        target, total = target + own @ target, total + own @ total
        total = total + normalise_relevance(target).transpose(-2, -1) @ attended @ memory
    return total


def gradient_relevance_in_steps(network: Transformer, trace: Trace) -> InSteps[np.ndarray]:
    """Compute `source_relevance` of every target position for its own token: `(T, S)` float64.

    All positions are explained by one forward pass and one batched backward pass, for long sentences by a few.
    """
    length = len(trace.target_ids)
    config = network.config
    sizes = len(trace.source_ids) ** 2 * config.n_encoder_layers
    sizes += length * (length + len(trace.source_ids)) * config.n_decoder_layers
    rows = max(1, WEIGHTS // (sizes * config.n_heads))
    batches: list[Tensor] = []
    for start in range(0, length, rows):
        positions = range(start, min(start + rows, length))
        batches.append(_relevance(*weight_gradients(network, trace, positions), positions))
        yield Progress(positions.stop, length)
    return torch.cat(batches).double().cpu().numpy()


Layers = dict[str, list[Tensor]]


def _relevance(weights: Layers, gradients: Layers, positions: Sequence[int]) -> Tensor:
    """Attribute the token at each of `positions` to the source, `(row, S)`, from the results of `weight_gradients`."""
    weighed = {
        kind: [weigh_by_gradient(*pair) for pair in zip(weights[kind], gradients[kind], strict=True)]
        for kind in weights
    }
    total = source_relevance(weighed["encoder"], weighed["decoder"], weighed["cross"])  # (row, T, S)
    return total[torch.arange(len(positions)), list(positions)]


def weight_gradients(network: Transformer, trace: Trace, positions: Sequence[int]) -> tuple[Layers, Layers]:
    """Compute the attention weights of every kind, and the gradients of ln p of the token at each of `positions`.

    Both are kind -> a tensor a layer, weights `(1, head, query, key)` and gradients `(row, head, query, key)`. Row r
    belongs to `positions[r]`. One forward pass serves all rows: the causal mask hides from each position what follows
    it. The target ends with the last of `positions`: no later one can matter.
    """
    names = {kind.name: kind.tap_names(network, "weights") for kind in TRANSLATION}
    # the parameters need no gradients, so a tensor before the first layer has to
    inputs = dict.fromkeys(
        ("encoder.embedded", "decoder.embedded"), lambda tensor: tensor.detach().requires_grad_(True)
    )
    recorder = Recorder({name for layers in names.values() for name in layers})
    with torch.enable_grad():
        tap = Chain(Intervention(inputs), recorder)
        log_probabilities = _log_probabilities(network, trace, positions, tap)[0]
        flat = [recorder.tensors[name] for layers in names.values() for name in layers]
        one_hot = torch.eye(len(positions)).to(log_probabilities)
        gradients = iter(torch.autograd.grad(log_probabilities, flat, one_hot, is_grads_batched=True))  # (row, 1, ...)
    weights = {kind: [recorder.tensors[name].detach() for name in layers] for kind, layers in names.items()}
    return weights, {kind: [next(gradients)[:, 0] for _ in layers] for kind, layers in names.items()}


def _log_probabilities(network: Transformer, trace: Trace, positions: Sequence[int], tap: Tap) -> Tensor:
    """Compute ln p of the token at each of `positions`, `(row, position)`; one row, or as many as the tap creates."""
    source, target = map(network.ids, (trace.source_ids, trace.target_ids[: max(positions) + 1]))
    stream = network.decode(target, network.encode(source, None, tap), None, tap)  # (row, T, d_model)
    right = network.ids(trace.next_ids)[:, list(positions)].expand(len(stream), -1)
    return -token_cross_entropy(network.project(stream[:, list(positions)]), right)


@dataclass(frozen=True)
class GradientCheck:
    """One weight's gradient, and the measured slope of ln p when that weight is moved a little in both directions."""

    # the weight of cross-attention with the steepest gradient, counted from 0
    layer: int
    head: int
    query: int
    key: int
    gradient: float  # by backpropagation
    slope: float  # the central difference, from two forward passes
    relevance: float  # largest |difference| of the position's relevance in the batch from that computed on its own

    @property
    def relative_difference(self) -> float:
        """Difference of slope and gradient, as a share of the larger of the two."""
        return abs(self.gradient - self.slope) / (max(abs(self.gradient), abs(self.slope)) or 1.0)


def check_gradients(
    network: Transformer, trace: Trace, position: int, relevance: np.ndarray, step: float = 0.002
) -> GradientCheck:
    """Check the gradients of one position, from 0, of the `relevance` from `gradient_relevance_in_steps`.

    The weight with the steepest gradient is moved by `step` both ways; weights lie between 0 and 1.
    """
    weights, gradients = weight_gradients(network, trace, [position])
    stacked = torch.stack(gradients["cross"])[:, 0]  # (layer, head, T, S)
    steepest = np.unravel_index(int(stacked.abs().argmax()), stacked.shape)
    layer, head, query, key = (int(index) for index in steepest)

    def move(weights: Tensor) -> Tensor:
        moved = weights.repeat(2, 1, 1, 1)
        moved[:, head, query, key] += torch.tensor([step, -step]).to(moved)
        return moved

    with torch.inference_mode():
        tap = Intervention({f"decoder.{layer}.cross.weights": move})
        higher, lower = _log_probabilities(network, trace, [position], tap)[:, 0].double().tolist()
    alone = _relevance(weights, gradients, [position])[0].double().cpu().numpy()
    return GradientCheck(
        *(layer, head, query, key),
        float(stacked[layer, head, query, key]),
        (higher - lower) / (2 * step),
        largest_difference(alone, relevance[position]),
    )
