"""Gradient-weighted relevance for an encoder with a decoder: a target token's probability attributed to source tokens.

The rules are those of Chefer, Gur and Wolf 2021 ("Generic Attention-model Explainability", section 3), with the source
s and the target t: relevance of source for source R_ss, of target for target R_tt, and of source for target R_ts.
Explained is ln p of the token that really follows, of one target position at a time: position r is row r of a batch.
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

WEIGHTS = 6_000_000  # of all layers and rows of a batch; with gradients and what they need about four times as much


def normalise_relevance(total: Tensor) -> Tensor:
    """What R `(..., position, position)` holds beside the identity, rows summing to 1, plus that (equations 8 and 9).

    A row that holds the identity alone stays so; the paper's quotient is 0 / 0 there.
    """
    identity = identity_like(total)
    beside = total - identity
    rows = beside.sum(dim=-1, keepdim=True)
    return torch.where(rows > 0, beside / rows, 0) + identity


def source_relevance(encoder: Sequence[Tensor], decoder: Sequence[Tensor], cross: Sequence[Tensor]) -> Tensor:
    """R_ts after all layers, from each layer's attention weighed by its gradients.

    Masked self-attention adds A R_tt to R_tt and A R_ts to R_ts (equations 6 and 7). Cross-attention adds
    R_tt' A R_ss, both normalised and R_tt transposed (equation 10). Equation 11 has nothing to add, as the source never
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
    """`source_relevance` of every target position for its own token: `(T, S)` float64.

    All positions are explained by one forward pass and one batched backward pass, for long sentences by a few.
    """
    length = len(trace.target_ids)
    config = network.config
    sizes = len(trace.source_ids) ** 2 * config.n_encoder_layers
    sizes += length * (length + len(trace.source_ids)) * config.n_decoder_layers
    rows = max(1, WEIGHTS // (sizes * config.n_heads))
    found: list[Tensor] = []
    for start in range(0, length, rows):
        positions = range(start, min(start + rows, length))
        found.append(_relevance(*weight_gradients(network, trace, positions), positions))
        yield Progress(positions.stop, length)
    return torch.cat(found).double().cpu().numpy()


Layers = dict[str, list[Tensor]]


def _relevance(weights: Layers, gradients: Layers, positions: Sequence[int]) -> Tensor:
    """`(row, S)`: attribution of the token at each of `positions`, from what `weight_gradients` gives for them."""
    weighed = {
        kind: [weigh_by_gradient(*pair) for pair in zip(weights[kind], gradients[kind], strict=True)]
        for kind in weights
    }
    total = source_relevance(weighed["encoder"], weighed["decoder"], weighed["cross"])  # (row, T, S)
    return total[torch.arange(len(positions)), list(positions)]


def weight_gradients(network: Transformer, trace: Trace, positions: Sequence[int]) -> tuple[Layers, Layers]:
    """The attention weights of every kind, and the gradients of ln p of the token at each of `positions`.

    Both are kind -> a tensor a layer, weights `(1, head, query, key)` and gradients `(row, head, query, key)`. Row r
    belongs to `positions[r]`. One forward pass serves all rows: the causal mask hides from each position what follows
    it. The target ends with the last of `positions`: no later one can matter.
    """
    names = {kind.name: kind.tap_names(network, "weights") for kind in TRANSLATION}
    # the weights of the network are no variables, so something before the first layer has to be one
    begin = dict.fromkeys(("encoder.embedded", "decoder.embedded"), lambda tensor: tensor.detach().requires_grad_(True))
    recorder = Recorder({name for layers in names.values() for name in layers})
    with torch.enable_grad():
        tap = Chain(Intervention(begin), recorder)
        log_probabilities = _log_probabilities(network, trace, positions, tap)[0]
        flat = [recorder.tensors[name] for layers in names.values() for name in layers]
        each = torch.eye(len(positions)).to(log_probabilities)
        found = iter(torch.autograd.grad(log_probabilities, flat, each, is_grads_batched=True))  # (row, 1, ...)
    weights = {kind: [recorder.tensors[name].detach() for name in layers] for kind, layers in names.items()}
    return weights, {kind: [next(found)[:, 0] for _ in layers] for kind, layers in names.items()}


def _log_probabilities(network: Transformer, trace: Trace, positions: Sequence[int], tap: Tap) -> Tensor:
    """`(row, position)` ln p of the token at each of `positions`; one row, or as many as the tap makes of it."""
    source, target = map(network.ids, (trace.source_ids, trace.target_ids[: max(positions) + 1]))
    stream = network.decode(target, network.encode(source, None, tap), None, tap)  # (row, T, d_model)
    wanted = network.ids(trace.next_ids)[:, list(positions)].expand(len(stream), -1)
    return -token_cross_entropy(network.project(stream[:, list(positions)]), wanted)


@dataclass(frozen=True)
class GradientCheck:
    """One weight's gradient, and how fast ln p really changes when that weight is moved a little both ways."""

    # which weight of cross-attention: the one with the steepest gradient, from 0
    layer: int
    head: int
    query: int
    key: int
    gradient: float  # by backpropagation
    slope: float  # the central difference, from two forward passes
    relevance: float  # largest |difference| between the position's relevance in the batch of all positions and alone

    @property
    def relative_difference(self) -> float:
        """How far the slope is from the gradient, as a share of the larger of the two."""
        return abs(self.gradient - self.slope) / (max(abs(self.gradient), abs(self.slope)) or 1.0)


def check_gradients(
    network: Transformer, trace: Trace, position: int, found: np.ndarray, step: float = 0.002
) -> GradientCheck:
    """Check the gradients of one position, from 0, of what `gradient_relevance_in_steps` found.

    The weight with the steepest gradient is moved by `step` both ways; weights lie between 0 and 1.
    """
    weights, gradients = weight_gradients(network, trace, [position])
    stacked = torch.stack(gradients["cross"])[:, 0]  # (layer, head, T, S)
    place = np.unravel_index(int(stacked.abs().argmax()), stacked.shape)
    layer, head, query, key = (int(number) for number in place)

    def moved(weights: Tensor) -> Tensor:
        both = weights.repeat(2, 1, 1, 1)
        both[:, head, query, key] += torch.tensor([step, -step]).to(both)
        return both

    with torch.inference_mode():
        tap = Intervention({f"decoder.{layer}.cross.weights": moved})
        higher, lower = _log_probabilities(network, trace, [position], tap)[:, 0].double().tolist()
    alone = _relevance(weights, gradients, [position])[0].double().cpu().numpy()
    return GradientCheck(
        *(layer, head, query, key),
        float(stacked[layer, head, query, key]),
        (higher - lower) / (2 * step),
        largest_difference(alone, found[position]),
    )
