"""The two linear maps of a feed-forward sub-layer: the shapes of all tensors, and one number of each as a sum."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from ..networks.transformer import FeedForward, Transformer
from .feed_forward import HiddenUnits, Stack
from .heads import StepShape


def feed_forward_shapes(batch: int, length: int, d_model: int, d_ff: int) -> list[StepShape]:
    """Shapes of x, W1, b1, h, W2, b2 and what comes between, from PyTorch's meta tensors; weights are `(in, out)`."""
    with torch.device("meta"):
        stream = torch.zeros(batch, length, d_model)
        first, second = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        before = first(stream)
        hidden = before.relu()
        output = second(hidden)
    steps = {
        "x": stream,
        "W1": first.weight.T,
        "b1": first.bias,
        "x W1 + b1": before,
        "h": hidden,
        "W2": second.weight.T,
        "b2": second.bias,
        "h W2 + b2": output,
    }
    return [StepShape(name, tuple(tensor.shape)) for name, tensor in steps.items()]


@dataclass(frozen=True, eq=False)
class LinearSum:
    """One number that a linear map puts out: the sum of its products, plus the bias; float64."""

    # `inputs`, `weights`: `(in,)` each; the products are `inputs * weights`
    inputs: np.ndarray
    weights: np.ndarray
    bias: float  # of this output
    activated: bool  # whether ReLU follows
    recorded: float  # the result as the network computed it, after ReLU if there is one

    @property
    def products(self) -> np.ndarray:
        """`(in,)`: each input times its weight."""
        return self.inputs * self.weights

    @property
    def product_sum(self) -> float:
        """The sum of all products, without the bias."""
        return float(self.products.sum())

    @property
    def total(self) -> float:
        """The sum with the bias."""
        return self.product_sum + self.bias

    @property
    def result(self) -> float:
        """The total, or 0 where ReLU follows and the total is below 0."""
        return max(0.0, self.total) if self.activated else self.total

    @property
    def difference(self) -> float:
        """|result - recorded|."""
        return abs(self.result - self.recorded)

    def largest(self, count: int) -> np.ndarray:
        """Indices (from 0) of the products of the largest size, largest first."""
        return np.argsort(-np.abs(self.products), kind="stable")[:count]


def split_sums(
    network: Transformer, hidden_units: HiddenUnits, place: tuple[Stack, int], position: int, unit: int, dimension: int
) -> tuple[LinearSum, LinearSum]:
    """Split a hidden unit and a dimension of the output into products and bias.

    Args:
        hidden_units: of the sub-layer that `place` names by stack and layer, from 0.
        position, unit, dimension: from 0.
    """
    stack, layer = place
    module: FeedForward = getattr(network, stack)[layer].feed_forward
    first, second = (
        linear.weight[row].detach().cpu().numpy().astype(np.float64)
        for linear, row in ((module.expand, unit), (module.contract, dimension))
    )
    stream, hidden = (array[position].astype(np.float64) for array in (hidden_units.stream, hidden_units.hidden))
    biases = float(hidden_units.first_bias[unit]), float(hidden_units.second_bias[dimension])
    recorded = float(hidden_units.hidden[position, unit]), float(hidden_units.output[position, dimension])
    return (
        LinearSum(stream, first, biases[0], True, recorded[0]),
        LinearSum(hidden, second, biases[1], False, recorded[1]),
    )
