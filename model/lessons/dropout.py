"""Dropout as in training: between a sub-layer's output and the addition (sections 3.1 and 5.4).

Many programs drop the hidden units of the feed-forward network too, which the paper does not.
"""

from dataclasses import dataclass

import numpy as np
import torch

from ..networks.transformer import Transformer
from ..runtime.arrays import largest_difference, to_array
from ..tracing.trace import Trace, record_tensors
from .feed_forward import Stack
from .residual import NORMS

HIDDEN = "hidden"  # the step in which hidden units are dropped; the norm is that of "ffn"


@dataclass(frozen=True, eq=False)
class DropoutDraws:
    """One token after one Add & Norm, without dropout and with several draws of it; float32 but for `kept`."""

    without: np.ndarray  # `(d_model,)` LayerNorm(x + output), as in inference
    drawn: np.ndarray  # `(draw, d_model)` LayerNorm(x + dropout(output)), as in training
    # bool, which numbers are not dropped: `(draw, d_model)` of the output, or `(draw, d_ff)` of the hidden units
    kept: np.ndarray
    cosines: np.ndarray  # `(draw,)` of each draw with `without`
    mean_cosine: float  # of the mean of all draws with `without`
    difference: float  # largest |difference| of `drawn` from a recomputation in double precision with numpy


@torch.inference_mode()
def draw_dropout(
    network: Transformer, trace: Trace, stack: Stack, at: tuple[int, str, int], rate: float, draws: int, seed: int
) -> DropoutDraws:
    """Draw the dropout of Srivastava et al. (2014) `draws` times.

    Args:
        at: layer from 0, step as in `residual.NORMS` or `HIDDEN`, and position from 0.
        rate: the probability p that a number is set to 0, below 1; the others are divided by 1 - p.
        seed: equal seeds give equal draws.
    """
    layer, place, position = at
    step, block = "ffn" if place == HIDDEN else place, getattr(network, stack)[layer]
    steps = [name for name in NORMS if hasattr(block, NORMS[name])]
    before = steps[: steps.index(step)]
    names = {
        "x": f"{stack}.{layer}.{before[-1]}.normalised" if before else _entering(network, stack, layer),
        "output": f"{stack}.{layer}.{step}.sublayer_output",
        HIDDEN: f"{stack}.{layer}.ffn.hidden",
    }
    tensors = record_tensors(network, trace, stack, list(names.values()))
    x, output, hidden = (tensors[name][0, position] for name in names.values())
    norm, second = getattr(block, NORMS[step]).norm, block.feed_forward.contract
    dropped_from = hidden if place == HIDDEN else output
    generator = torch.Generator(output.device).manual_seed(seed)
    shape = (draws, len(dropped_from))
    mask = torch.empty(shape, device=output.device).bernoulli_(1 - rate, generator=generator)
    dropped = dropped_from * mask / (1 - rate)
    drawn = norm(x + (second(dropped) if place == HIDDEN else dropped))  # (draw, d_model)
    without = norm(x + output)  # (d_model,)
    own_dropped = to_array(dropped_from).astype(np.float64) * to_array(mask) / (1 - rate)
    if place == HIDDEN:
        weight, bias = (to_array(each).astype(np.float64) for each in (second.weight, second.bias))
        own_dropped = own_dropped @ weight.T + bias
    added = to_array(x).astype(np.float64) + own_dropped
    normal = (added - added.mean(1, keepdims=True)) / np.sqrt(added.var(1, keepdims=True) + norm.eps)
    cosines = torch.cosine_similarity(drawn.double(), without.double()[None])
    mean = torch.cosine_similarity(drawn.double().mean(0), without.double(), dim=0)
    own = normal * to_array(norm.weight) + to_array(norm.bias)
    return DropoutDraws(
        to_array(without),
        to_array(drawn),
        to_array(mask) > 0,
        to_array(cosines),
        float(mean),
        largest_difference(own, to_array(drawn)),
    )


def _entering(network: Transformer, stack: Stack, layer: int) -> str:
    """Name of the residual stream that a layer reads."""
    if layer == 0:
        return f"{stack}.embedded"
    return f"{stack}.{layer - 1}.ffn.normalised"
