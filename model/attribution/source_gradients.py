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
from ..networks.tap import Chain, Intervention, Recorder
from ..networks.transformer import Transformer
from ..runtime.arrays import furthest
from ..runtime.progress import InSteps, Progress
from ..tracing.kinds import TRANSLATION
from ..tracing.trace import Trace
from .rollout import added_up, identity_like, weighed_by_gradient

WEIGHTS = 6_000_000  # of all layers and rows of a batch; with gradients and what they need about four times as much


def normalised(total: Tensor) -> Tensor:
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
    memory = normalised(added_up(encoder))
    target, total = identity_like(decoder[0]), torch.zeros_like(cross[0])
    for own, attended in zip(decoder, cross, strict=True):
        target, total = target + own @ target, total + own @ total
        total = total + normalised(target).transpose(-2, -1) @ attended @ memory
    return total


def gradient_relevance_in_steps(network: Transformer, trace: Trace) -> InSteps[np.ndarray]:
    """`source_relevance` of every target position for its own token: `(T, S)` float64.

    All positions are explained in one batched forward and backward pass, for long sentences in a few.
    """
    length = len(trace.target_ids)
    config = network.config
    sizes = len(trace.source_ids) ** 2 * config.n_encoder_layers
    sizes += length * (length + len(trace.source_ids)) * config.n_decoder_layers
    rows = max(1, WEIGHTS // (sizes * config.n_heads))
    found: list[Tensor] = []
    for start in range(0, length, rows):
        positions = range(start, min(start + rows, length))
        found.append(_relevance_of(network, trace, positions))
        yield Progress(positions.stop, length)
    return torch.cat(found).double().cpu().numpy()


def _relevance_of(network: Transformer, trace: Trace, positions: Sequence[int]) -> Tensor:
    """`(row, S)`: attribution of the token at each of `positions`."""
    weights, gradients = weight_gradients(network, trace, positions)
    weighed = {
        kind: [weighed_by_gradient(*pair) for pair in zip(weights[kind], gradients[kind], strict=True)]
        for kind in weights
    }
    total = source_relevance(weighed["encoder"], weighed["decoder"], weighed["cross"])  # (row, T, S)
    return total[torch.arange(len(positions)), list(positions)]


Layers = dict[str, list[Tensor]]


def weight_gradients(network: Transformer, trace: Trace, positions: Sequence[int]) -> tuple[Layers, Layers]:
    """The attention weights of every kind, and the gradients of ln p of the token at each of `positions`.

    Both are kind -> a tensor a layer, `(row, head, query, key)`. Row r belongs to `positions[r]`. The target ends with
    the last of `positions`: no later one can matter.
    """
    names = {kind.name: kind.tap_names(network, "weights") for kind in TRANSLATION}
    # the weights of the network are no variables, so something before the first layer has to be one
    begin = dict.fromkeys(("encoder.embedded", "decoder.embedded"), lambda tensor: tensor.detach().requires_grad_(True))
    recorder = Recorder({name for layers in names.values() for name in layers})
    with torch.enable_grad():
        log_probabilities = _log_probabilities(network, trace, positions, Chain(Intervention(begin), recorder))
        flat = [recorder.tensors[name] for layers in names.values() for name in layers]
        found = iter(torch.autograd.grad(log_probabilities.sum(), flat))
    weights = {kind: [recorder.tensors[name].detach() for name in layers] for kind, layers in names.items()}
    return weights, {kind: [next(found) for _ in layers] for kind, layers in names.items()}


def _log_probabilities(network: Transformer, trace: Trace, positions: Sequence[int], tap) -> Tensor:
    """`(row,)` ln p of the token at each position, each in a row of its own."""
    read = trace.source_ids, trace.target_ids[: max(positions) + 1]
    source, target = (network.ids(ids).expand(len(positions), -1) for ids in read)
    stream = network.decode(target, network.encode(source, None, tap), None, tap)  # (row, T, d_model)
    chosen = stream[range(len(positions)), list(positions)]  # (row, d_model)
    return -token_cross_entropy(network.project(chosen), network.ids(trace.next_ids)[0, list(positions)])


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
    _, gradients = weight_gradients(network, trace, [position])
    stacked = torch.stack(gradients["cross"])[:, 0]  # (layer, head, T, S)
    place = np.unravel_index(int(stacked.abs().argmax()), stacked.shape)
    layer, head, query, key = (int(number) for number in place)

    def moved(weights: Tensor) -> Tensor:
        weights = weights.clone()
        weights[:, head, query, key] += torch.tensor([step, -step]).to(weights)
        return weights

    with torch.inference_mode():
        tap = Intervention({f"decoder.{layer}.cross.weights": moved})
        higher, lower = _log_probabilities(network, trace, [position, position], tap).double().tolist()
    alone = _relevance_of(network, trace, [position])[0].double().cpu().numpy()
    return GradientCheck(
        *(layer, head, query, key),
        float(stacked[layer, head, query, key]),
        (higher - lower) / (2 * step),
        furthest(alone, found[position]),
    )
