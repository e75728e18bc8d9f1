"""A linear map that is also fast for few rows, as in one step of decoding.

Decoding multiplies a few rows by every weight of the decoder, and most of the time goes into reading the weights.
Trained weights are stored in half precision; reading them in that form halves the memory traffic. Without packed
weights, some libraries compute a product of so few rows on one core only, or read the weights at half the speed; a
batch of smaller products avoids this. All forms compute in single precision with the same weights and differ by
rounding alone.
"""

import warnings
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PACKED = 64  # rows up to which packed weights are used: with more, computing takes longer than reading
FEW = 4  # rows up to which blocks are used if nothing is packed, as wide as the usual beam
BLOCKS = 4  # two a core on the smallest supported machine, which has two cores


class Packed(NamedTuple):
    """A copy of a weight in half precision, in the order in which a product reads it.

    It is valid while `source` is the weight, with the same `version` and its numbers at the same `address`.
    """

    weight: Tensor
    no_bias: Tensor  # zeros
    source: Tensor  # the weight that was packed
    version: int
    address: int

    def __deepcopy__(self, memo: dict) -> "Packed":
        """Return the same object: it is never changed, and is not valid for a copy of the weight."""
        return self


def linear(stream: Tensor, weight: Tensor, bias: Tensor | None = None, packed: Packed | None = None) -> Tensor:
    """`torch.nn.functional.linear`; for a few rows on a CPU in inference mode, with packed weights or in blocks.

    Args:
        stream: `(..., in)`.
        weight: `(out, in)`.
        bias: `(out,)`.
        packed: from `pack`; ignored unless it is valid for `weight`.

    Returns:
        `(..., out)`.
    """
    count, width = weight.shape
    rows = stream.numel() // width
    if rows > PACKED or stream.is_cuda or not torch.is_inference_mode_enabled():
        return F.linear(stream, weight, bias)
    if (
        packed is not None
        and packed.source is weight
        and packed.version == weight._version
        and packed.address == weight.data_ptr()
        and stream.is_cpu
    ):
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

    def __init__(self, inputs: int, outputs: int, bias: bool = True) -> None:
        super().__init__(inputs, outputs, bias)
        self.packed: Packed | None = None

    def pack(self) -> None:
        """Read the weight in half precision from now on, if possible; see `pack`. A copy of this layer does not."""
        self.packed = pack(self.weight)

    def forward(self, stream: Tensor) -> Tensor:
        """`(..., in)` -> `(..., out)`."""
        own: dict[str, Any] = self._parameters  # an attribute of a module is looked up several times slower
        return linear(stream, own["weight"], own["bias"], self.packed)


def pack(weight: Tensor) -> Packed | None:
    """Pack a weight `(out, in)` for `linear`.

    None if half precision does not represent its numbers exactly, or if PyTorch has no such product for this CPU.
    """
    exact = weight.is_cpu and weight.dtype == torch.float32 and torch.equal(weight.half().float(), weight)
    if not exact or "fbgemm" not in torch.backends.quantized.supported_engines:
        return None
    with warnings.catch_warnings():  # PyTorch warns once about each of both functions that a later version drops it
        warnings.simplefilter("ignore")
        rows = torch.fbgemm_pack_gemm_matrix_fp16(weight.detach())
        no_bias = torch.zeros(len(weight))
        torch.fbgemm_linear_fp16_weight_fp32_activation(torch.zeros(1, weight.shape[1]), rows, no_bias)
    return Packed(rows, no_bias, weight, weight._version, weight.data_ptr())
