"""A linear map that is fast also where it has few rows to map, as one step of decoding has.

Decoding multiplies a few rows by every weight of the decoder, and what takes the time is reading the weights. Trained
weights are stored in half precision; read as they are stored, they are half as much to read. Without that, some
libraries compute a product of so few rows on one core only, or read the weights at half the speed; a batch of smaller
products they do not. All forms compute in single precision with the same weights and differ by rounding alone.
"""

import warnings
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PACKED = 64  # rows up to which packed weights are used: with more, computing takes longer than reading
FEW = 4  # rows up to which blocks are used where nothing is packed, as wide as the usual beam
BLOCKS = 4  # two a core on the smallest machine this is made for


class Packed(NamedTuple):
    """A weight in half precision, in the order in which a product reads it.

    It belongs to the tensor it was made from as long as that has the same `version` and its numbers the same `place`.
    """

    weight: Tensor
    no_bias: Tensor  # zeros
    version: int
    place: int


def linear(stream: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`torch.nn.functional.linear`; for a few rows on a processor where nothing is trained, packed or in blocks.

    Args:
        stream: `(..., in)`.
        weight: `(out, in)`.
        bias: `(out,)`.

    Returns:
        `(..., out)`.
    """
    count, width = weight.shape
    rows = stream.numel() // width
    if rows > PACKED or stream.is_cuda or not torch.is_inference_mode_enabled():
        return F.linear(stream, weight, bias)
    packed: Packed | None = getattr(weight, "packed", None)
    if packed and packed.version == weight._version and packed.place == weight.data_ptr() and stream.is_cpu:
        added = packed.no_bias if bias is None else bias
        return torch.fbgemm_linear_fp16_weight_fp32_activation(stream, packed.weight, added)
    if rows > FEW or count % BLOCKS:
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


def pack(weight: nn.Parameter) -> None:
    """Have `linear` read this weight, `(out, in)`, in half precision from now on; a copy of the parameter does not.

    Nothing changes where half precision does not hold its numbers exactly, and where PyTorch has no such product for
    this processor.
    """
    exact = weight.is_cpu and weight.dtype == torch.float32 and torch.equal(weight.half().float(), weight)
    if not exact or "fbgemm" not in torch.backends.quantized.supported_engines:
        return
    with warnings.catch_warnings():  # PyTorch says once of each of both functions that a later version will not have it
        warnings.simplefilter("ignore")
        rows = torch.fbgemm_pack_gemm_matrix_fp16(weight.detach())
        no_bias = torch.zeros(len(weight))
        torch.fbgemm_linear_fp16_weight_fp32_activation(torch.zeros(1, weight.shape[1]), rows, no_bias)
    weight.packed = Packed(rows, no_bias, weight._version, weight.data_ptr())
