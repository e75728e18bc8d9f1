"""How a tensor lies in memory: strides, and why `transpose` and then `view` fails."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

MOST_NUMBERS = 1_000_000  # in a tensor that a reader asks for


@dataclass(frozen=True)
class Layout:
    """One tensor as PyTorch describes it."""

    shape: tuple[int, ...]  # sizes of its axes
    strides: tuple[int, ...]  # how many numbers in memory lie between neighbours along each axis
    contiguous: bool  # True if walking through the last axis fastest walks through memory in order
    # where in memory the first number of each `[i, j, 0, ...]` lies, a row for each i
    offsets: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, tensor: Tensor) -> "Layout":
        steps = tensor.stride()
        rows, columns = tensor.shape[:2]
        offsets = tuple(tuple(i * steps[0] + j * steps[1] for j in range(columns)) for i in range(rows))
        return cls(tuple(tensor.shape), steps, tensor.is_contiguous(), offsets)


@dataclass(frozen=True)
class TransposeLayouts:
    """A tensor, its transpose and the transpose copied into order, and what `view` said."""

    # the three layouts
    original: Layout
    transposed: Layout
    contiguous: Layout
    wanted: tuple[int, ...]  # the shape that `view` was asked for: the first two axes of the transpose merged
    message: str  # what PyTorch answered to `view` on the transpose; empty if it worked
    merged: tuple[int, ...]  # strides of that view after `contiguous()`
    shares_memory: bool  # True if the transpose is the same memory read in another order


@dataclass(frozen=True)
class ViewResult:
    """What PyTorch answers to `view` on one tensor.

    Attributes:
        shape, strides: of the view; empty where it fails.
        message: why it fails; empty where it works.
    """

    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    message: str = ""

    @classmethod
    def of(cls, tensor: Tensor, target: tuple[int, ...]) -> "ViewResult":
        try:
            view = tensor.view(target)
        except RuntimeError as error:
            return cls(message=str(error))
        return cls(tuple(view.shape), view.stride())


def try_views(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[ViewResult, ViewResult, ViewResult]:
    """Ask for `target` of a tensor of this shape, of its transpose (0, 1), and of the transpose copied into order.

    Args:
        target: sizes of the view's axes; -1 once for the size that follows from the others.

    Raises:
        ValueError: see `memory_layout`.
    """
    original = _numbered(shape)
    transposed = original.transpose(0, 1)
    return tuple(ViewResult.of(tensor, target) for tensor in (original, transposed, transposed.contiguous()))


def describe_layouts(shape: tuple[int, ...]) -> TransposeLayouts:
    """Transpose the first two axes of a tensor of this shape and try to merge them with `view`.

    Raises:
        ValueError: fewer than two axes, an axis without any number, or more than a million numbers.
    """
    original = _numbered(shape)
    transposed = original.transpose(0, 1)
    wanted = (shape[0] * shape[1], *shape[2:])
    message = ViewResult.of(transposed, wanted).message
    ordered = transposed.contiguous()
    layouts = [Layout.of(tensor) for tensor in (original, transposed, ordered)]
    shares_memory = transposed.data_ptr() == original.data_ptr()
    return TransposeLayouts(*layouts, wanted, message, ordered.view(wanted).stride(), shares_memory)


def _numbered(shape: tuple[int, ...]) -> Tensor:
    if len(shape) < 2 or min(shape) < 1:
        raise ValueError("Two axes at least are needed, and each must hold at least one number.")
    count = math.prod(shape)
    if count > MOST_NUMBERS:
        raise ValueError(f"That tensor would hold {count:,} numbers; keep it below {MOST_NUMBERS:,}.")
    return torch.arange(count, dtype=torch.float32).view(shape)
