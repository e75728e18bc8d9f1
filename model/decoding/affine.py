"""A linear map of a few rows, cut into blocks so that every core takes part.

One step of decoding multiplies one to four rows by every weight of the decoder. Some
libraries compute one product of so few rows on one core only, or read the weights at half the speed; a batch of smaller
products they do not. Both compute in single precision with the same weights and differ by rounding alone.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

FEW = 16  # rows up to which blocks are used; beyond, one product of matrices
BLOCKS = 4  # two a core on the smallest machine this is made for
WIDE = 2048  # outputs beyond which copying a row at a time is faster


class Affine:
    """A linear map from `in` to `out` numbers. On a GPU it is one product of matrices.

    Args:
        weight: `(out, in)`; its blocks are views of it.
        bias: `(out,)`.
    """

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        self.weight, self.bias = weight, bias
        count = math.gcd(BLOCKS, len(weight))
        self._blocks = weight.unflatten(0, (count, -1))  # (block, out / block, in)
        self._biases = bias.view(count, -1, 1)  # (block, out / block, 1)
        self._few = FEW if weight.device.type == "cpu" else 0

    @classmethod
    def of(cls, *modules: nn.Linear) -> Affine:
        """One map with the outputs of all `modules` side by side."""
        weights, biases = ([getattr(module, name).detach() for module in modules] for name in ("weight", "bias"))
        if len(modules) == 1:
            return cls(weights[0], biases[0])
        return cls(torch.cat(weights), torch.cat(biases))

    def __call__(self, stream: Tensor) -> Tensor:
        """`(row, in)` -> `(row, out)`."""
        rows = len(stream)
        if rows > self._few:
            return torch.addmm(self.bias, stream, self.weight.t())
        inputs = stream.t().expand(len(self._blocks), -1, -1)  # (block, in, row)
        product = torch.baddbmm(self._biases, self._blocks, inputs)  # (block, out / block, row)
        if rows == 1:
            return product.view(1, -1)
        by_row = product.view(-1, rows).t()
        return torch.stack(by_row.unbind()) if len(by_row[0]) > WIDE else by_row.contiguous()
