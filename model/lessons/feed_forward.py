"""Position-wise feed-forward sub-layer of one layer: which hidden units are active, and the check (section 3.3)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from ..networks.transformer import FeedForward, Transformer
from ..runtime.arrays import largest_difference, to_array
from ..tracing.trace import Trace, record_tensors

Stack = Literal["encoder", "decoder"]


@dataclass(frozen=True, eq=False)
class HiddenUnits:
    """The hidden units of one feed-forward sub-layer; float32."""

    stream: np.ndarray  # `(position, d_model)` x, input of the sub-layer
    before: np.ndarray  # `(position, d_ff)` x W1 + b1, recomputed
    hidden: np.ndarray  # `(position, d_ff)` max(0, x W1 + b1); 0 where a unit is not active
    output: np.ndarray  # `(position, d_model)` h W2 + b2, added to the residual stream
    first_bias: np.ndarray  # `(d_ff,)` b1
    second_bias: np.ndarray  # `(d_model,)` b2
    d_model: int  # width before and after
    parameters: int  # weights and biases of both maps
    # largest |difference| from a recomputation in double precision with numpy, of `hidden` and of the sub-layer's
    # output
    hidden_difference: float
    output_difference: float
    # largest |difference| between the sub-layer's output for a position in the sequence and for that position alone:
    # positions are independent
    alone_difference: float

    @property
    def fired(self) -> np.ndarray:
        """`(position,)` how many units are above 0 at each position."""
        return (self.hidden > 0).sum(axis=1)

    @property
    def share(self) -> float:
        """Share of all units at all positions that are active."""
        return float((self.hidden > 0).mean())

    @property
    def never(self) -> int:
        """Number of units that are active at no position of this sentence."""
        return int((self.hidden <= 0).all(axis=0).sum())

    def strongest(self, position: int, count: int = 8) -> tuple[np.ndarray, np.ndarray]:
        """Numbers (from 0) and activations of the strongest units at a position, strongest first."""
        order = np.argsort(-self.hidden[position], kind="stable")[:count]
        return order, self.hidden[position, order]


@torch.inference_mode()
def measure_hidden_units(network: Transformer, trace: Trace, stack: Stack, layer: int) -> HiddenUnits:
    """Record the feed-forward sub-layer of `layer` (from 0) and recompute it."""
    step = "self" if stack == "encoder" else "cross"
    names = f"{stack}.{layer}.{step}.normalised", f"{stack}.{layer}.ffn.sublayer_output"
    tensors = record_tensors(network, trace, stack, names)
    module: FeedForward = getattr(network, stack)[layer].feed_forward
    stream, sublayer_output = (tensors[name][0] for name in names)  # (position, d_model) each
    alone = torch.cat([module(stream[place : place + 1]) for place in range(len(stream))])
    hidden = (trace.encoder_hidden if stack == "encoder" else trace.decoder_hidden)[layer]
    before, own_hidden, own_output = _recompute(module, to_array(stream))
    return HiddenUnits(
        to_array(stream),
        before.astype(np.float32),
        hidden,
        to_array(sublayer_output),
        to_array(module.expand.bias),
        to_array(module.contract.bias),
        stream.shape[1],
        sum(parameter.numel() for parameter in module.parameters()),
        largest_difference(own_hidden, hidden),
        largest_difference(own_output, to_array(sublayer_output)),
        float((alone - sublayer_output).abs().max()),
    )


def _recompute(module: FeedForward, stream: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hidden units before and after ReLU, and the sub-layer's output, float64, with numpy alone."""
    first, first_bias, second, second_bias = (
        parameter.detach().cpu().numpy().astype(np.float64)
        for linear in (module.expand, module.contract)
        for parameter in (linear.weight, linear.bias)
    )
    before = stream @ first.T + first_bias  # (position, d_ff)
    hidden = np.maximum(0, before)
    return before, hidden, hidden @ second.T + second_bias
