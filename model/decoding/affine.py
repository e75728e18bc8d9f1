"""A linear map of a few rows, in the form that is quickest on the processor at hand.

One step of decoding multiplies one to four rows by every weight of the decoder. Which way of doing that is quickest
differs between processors by a factor of two: some libraries multiply so few rows on one core only, and some processors
wait for the weights rather than for the arithmetic. So the ways are timed once, when a network first decodes, as they
will be used: all matrices of a step one after the other, which no fast cache holds.

All forms compute in single precision with the same weights and differ by rounding alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import torch
from torch import Tensor, nn

FEW = 16  # rows up to which the chosen form is used; beyond, one product of matrices
PARTS = 4  # that a matrix is cut into; two a core on the smallest machine this is made for
WIDE = 2048  # outputs beyond which copying a row at a time is faster
TIMED_ROWS = (1, 4)  # greedy decoding and four beams
ROUNDS = 7

Product = Callable[[Tensor], Tensor]  # (row, in) -> (row, out)
Shape = tuple[int, int]  # (out, in)
_chosen: dict[tuple, dict[Shape, str]] = {}  # by what was timed


class Affine:
    """A linear map from `in` to `out` numbers.

    Args:
        weight: `(out, in)`.
        bias: `(out,)`.
        form: one of `FORMS`; "whole" does for every matrix and device.

    Raises:
        ValueError: this form cannot hold this matrix.
    """

    def __init__(self, weight: Tensor, bias: Tensor, form: str = "whole") -> None:
        self.weight, self.bias = weight, bias
        self.choose(form)

    @classmethod
    def of(cls, *modules: nn.Linear) -> Affine:
        """One map with the outputs of all `modules` side by side."""
        weights, biases = ([getattr(module, name).detach() for module in modules] for name in ("weight", "bias"))
        if len(modules) == 1:
            return cls(weights[0], biases[0])
        return cls(torch.cat(weights), torch.cat(biases))

    @cached_property
    def fits_half(self) -> bool:
        """True if half precision holds every weight exactly."""
        return self.weight.dtype == torch.float32 and torch.equal(self.weight.half().float(), self.weight)

    def product(self, form: str) -> Product | None:
        """The map in this form; None where it cannot hold the matrix exactly, or not on this processor."""
        return FORMS[form](self.weight, self.bias) if form != "half" or self.fits_half else None

    def choose(self, form: str, product: Product | None = None) -> None:
        """Multiply in another form from now on; see the class for what is raised.

        Args:
            product: what `product(form)` gave, if it is there already.
        """
        multiply = product or self.product(form)
        if multiply is None:
            raise ValueError(f"The form {form!r} cannot hold this matrix here; 'whole' holds every one.")
        self.form, self._multiply = form, multiply

    def __call__(self, stream: Tensor) -> Tensor:
        """`(row, in)` -> `(row, out)`."""
        if len(stream) > FEW:
            return torch.addmm(self.bias, stream, self.weight.t())
        return self._multiply(stream)


def _whole(weight: Tensor, bias: Tensor) -> Product:
    """One product of matrices, as `torch.nn.functional.linear` does it."""
    transposed = weight.t()  # (in, out)
    return lambda stream: torch.addmm(bias, stream, transposed)


def _parts(weight: Tensor, bias: Tensor) -> Product:
    """A batch of smaller matrices, views of the one, so that every core takes part."""
    count = math.gcd(PARTS, len(weight))
    blocks, biases = weight.unflatten(0, (count, -1)), bias.view(count, -1, 1)  # (part, out / part, in or 1)

    def multiply(stream: Tensor) -> Tensor:
        rows = len(stream)
        product = torch.baddbmm(biases, blocks, stream.t().expand(count, -1, -1))  # (part, out / part, row)
        if rows == 1:
            return product.view(1, -1)
        by_row = product.view(-1, rows).t()
        return torch.stack(by_row.unbind()) if len(by_row[0]) > WIDE else by_row.contiguous()

    return multiply


def _half(weight: Tensor, bias: Tensor) -> Product | None:
    """Weights kept in half precision, half as much to read; None where the processor has no such product.

    Each is widened to single precision on its way into the product, so weights that were stored in half precision, as
    shipped ones are, give what they give in single precision.
    """
    try:
        packed = torch.ops.quantized.linear_prepack_fp16(weight.contiguous(), bias.contiguous())
        torch.ops.quantized.linear_dynamic_fp16(weight[:1], packed)
    except (AttributeError, RuntimeError):
        return None
    multiply = torch.ops.quantized.linear_dynamic_fp16.default
    return lambda stream: multiply(stream, packed)


FORMS: dict[str, Callable[[Tensor, Tensor], Product | None]] = {"whole": _whole, "parts": _parts, "half": _half}


@torch.inference_mode()
def choose_forms(maps: Sequence[Affine]) -> None:
    """Give each map the form that is quickest for matrices of its shape on this machine.

    Timed once in a process for the same shapes and number of threads. On a GPU every map stays whole.

    Args:
        maps: in the order of a step.
    """
    if maps[0].weight.device.type != "cpu":
        return
    shapes = [tuple(each.weight.shape) for each in maps]
    key = (tuple(shapes), all(each.fits_half for each in maps), torch.get_num_threads())
    products: dict[str, list[Product | None]] = {}
    if key not in _chosen:
        products = {form: [each.product(form) for each in maps] for form in FORMS}
        possible = {form: made for form, made in products.items() if None not in made}
        _chosen[key] = quickest(shapes, _seconds(maps, possible))
    for place, (each, shape) in enumerate(zip(maps, shapes, strict=True)):
        form = _chosen[key][shape]
        each.choose(form, products[form][place] if products else None)


def quickest(shapes: Sequence[Shape], seconds: Mapping[str, Sequence[float]]) -> dict[Shape, str]:
    """Which form takes least time over all matrices of a shape; the first of equals.

    Args:
        shapes: of the matrices.
        seconds: form -> what each matrix took in it.
    """
    totals = {shape: dict.fromkeys(seconds, 0.0) for shape in shapes}
    for form, taken in seconds.items():
        for shape, each in zip(shapes, taken, strict=True):
            totals[shape][form] += each
    return {shape: min(total, key=total.__getitem__) for shape, total in totals.items()}


def _seconds(maps: Sequence[Affine], forms: Mapping[str, Sequence[Product]]) -> dict[str, list[float]]:
    """Shortest time of every product, the forms in turns; of one row and of several together."""
    taken: dict[str, list[list[list[float]]]] = {name: [] for name in forms}
    for rows in TIMED_ROWS:
        streams = [each.weight.new_ones(rows, each.weight.shape[1]) for each in maps]
        for times in taken.values():
            times.append([[] for _ in maps])
        for _ in range(ROUNDS):
            for name, products in forms.items():
                for place, (product, stream) in enumerate(zip(products, streams, strict=True)):
                    started = time.perf_counter()
                    product(stream)
                    taken[name][-1][place].append(time.perf_counter() - started)
    return {name: [sum(map(min, both)) for both in zip(*by_rows, strict=True)] for name, by_rows in taken.items()}
