"""Norms with frozen statistics, and how the last stream becomes logits: as formulas that are compared with the network.

A norm is that of Ba et al. 2016 (LayerNorm) or of Zhang and Sennrich 2019 (RMSNorm), whose weight some networks store
without the 1 that is added to it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ...causal.causal_error import CausalError

FORMULA = 1e-4  # largest difference from the network, as a share of the largest number


@dataclass(frozen=True, eq=False)
class FrozenNorm:
    """A norm whose statistics are those of one vector. Weight and bias are `(width,)` float64."""

    weight: Tensor
    bias: Tensor
    eps: float
    centred: bool  # whether the mean is subtracted

    def __call__(self, stream: Tensor) -> Tensor:
        """The norm itself, of `(..., width)`."""
        return self._centre(stream) / self.deviation(stream) * self.weight + self.bias

    def deviation(self, stream: Tensor) -> Tensor:
        """What a vector is divided by, `(..., 1)`."""
        return (self._centre(stream).square().mean(dim=-1, keepdim=True) + self.eps).sqrt()

    def pull_back(self, direction: Tensor, stream: Tensor) -> Tensor:
        """The direction before the norm that has the same product as `direction` after it, but for the bias."""
        return self._centre(self.weight * direction / self.deviation(stream))

    def _centre(self, stream: Tensor) -> Tensor:
        return stream - stream.mean(dim=-1, keepdim=True) if self.centred else stream


def read_norm(module: nn.Module, read: Tensor, returned: Tensor) -> FrozenNorm | None:
    """The formula of a norm, if one of the known formulas gives what the module returned; None otherwise."""
    for norm in _forms(module, read.shape[-1], read.device):
        if _close(norm(read.double()), returned.double()):
            return norm
    return None


def _forms(module: nn.Module, width: int, device: torch.device) -> Iterator[FrozenNorm]:
    weight, bias = getattr(module, "weight", None), getattr(module, "bias", None)
    if not isinstance(weight, Tensor) or weight.shape != (width,):
        return
    names = ("eps", "variance_epsilon", "epsilon")
    eps = next((float(value) for name in names if (value := getattr(module, name, None)) is not None), 0.0)
    none = torch.zeros(width, dtype=torch.float64, device=device)
    for centred in (True, False):
        for factor in (weight.double(), 1 + weight.double()):
            yield FrozenNorm(factor, bias.double() if isinstance(bias, Tensor) else none, eps, centred)


@dataclass(frozen=True, eq=False)
class Readout:
    """How the last stream becomes logits: `norm(stream) @ weight.T + bias`."""

    norm: FrozenNorm | None  # None where the last stream is read as it is
    # `weight`, `bias`: `(column, width)` and `(column,)`
    weight: Tensor
    bias: Tensor

    def __call__(self, stream: Tensor) -> Tensor:
        """Logits of `(..., width)` float64."""
        normed = stream if self.norm is None else self.norm(stream)
        return normed @ self.weight.double().T + self.bias.double()


def find_readout(
    network: nn.Module, norms: list[tuple[nn.Module, Tensor, Tensor]], stream: Tensor, logits: Tensor
) -> Readout:
    """Find the norm and the matrix that give the logits.

    Args:
        norms: modules that read the last stream, with what they read and returned.
        stream, logits: `(position, width)` and `(position, column)`.

    Raises:
        CausalError: no such formula gives the network's own logits.
    """
    forms = [form for module, read, returned in norms if (form := read_norm(module, read, returned)) is not None]
    for linear in reversed([module for module in network.modules() if _fits(module, logits.shape[1], stream.shape[1])]):
        weight, bias = linear.weight, getattr(linear, "bias", None)
        assert isinstance(weight, Tensor)
        own = bias if isinstance(bias, Tensor) else weight.new_zeros(len(weight))
        for norm in (*forms, None):
            readout = Readout(norm, weight, own)
            if _close(readout(stream.double()), logits.double()):
                return readout
    raise CausalError(
        "The logits of this model are not a matrix times its last normalised stream, so they are not a sum over "
        "its parts."
    )


def _fits(module: nn.Module, columns: int, width: int) -> bool:
    weight = getattr(module, "weight", None)
    return isinstance(module, nn.Linear) and isinstance(weight, Tensor) and weight.shape == (columns, width)


def _close(first: Tensor, second: Tensor) -> bool:
    scale = float(second.abs().max()) or 1.0
    return first.shape == second.shape and float((first - second).abs().max()) <= FORMULA * scale
