"""A linear map that every core takes part in also where it has few rows to map, as one step of decoding has.

Decoding multiplies one to four rows by every weight of the decoder. Some libraries compute one product of so few rows
on one core only, or read the weights at half the speed; a batch of smaller products they do not. Both compute in single
precision with the same weights and differ by rounding alone.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

FEW = 4  # rows up to which blocks are used, as wide as the usual beam; beyond, one product of matrices
BLOCKS = 4  # two a core on the smallest machine this is made for


def linear(stream: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`torch.nn.functional.linear`, in blocks for a few rows on a processor where nothing is trained.

    Args:
        stream: `(..., in)`.
        weight: `(out, in)`.
        bias: `(out,)`.

    Returns:
        `(..., out)`.
    """
    count, width = weight.shape
    rows = stream.numel() // width
    if rows > FEW or count % BLOCKS or stream.is_cuda or not torch.is_inference_mode_enabled():
        return F.linear(stream, weight, bias)
    inputs = stream.reshape(rows, width).t().expand(BLOCKS, -1, -1)  # (block, in, row)
    blocks = weight.view(BLOCKS, -1, width)  # (block, out / block, in)
    product = blocks @ inputs if bias is None else torch.baddbmm(bias.view(BLOCKS, -1, 1), blocks, inputs)
    if rows > 1:
        product = product.view(count, rows).t().contiguous()  # (out, row) -> (row, out)
    return product.view(*stream.shape[:-1], count)


class Linear(nn.Linear):
    """`torch.nn.Linear`, computed by `linear`."""

    def forward(self, stream: Tensor) -> Tensor:
        """`(..., in)` -> `(..., out)`."""
        return linear(stream, self.weight, self.bias)
