"""Memory layout of a tensor: strides, and why `view` after `transpose` fails."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

MOST_NUMBERS = 1_000_000  # in a tensor of a user's shape


@dataclass(frozen=True)
class Layout:
    """Memory layout of one tensor."""

    shape: tuple[int, ...]  # sizes of its axes
    strides: tuple[int, ...]  # distance in memory of neighbours along each axis
    contiguous: bool  # True if the order of the elements is their order in memory
    # offset in memory of the first number of each `[i, j, 0, ...]`, a row for each i
    offsets: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, tensor: Tensor) -> "Layout":
        steps = tensor.stride()
        rows, columns = tensor.shape[:2]
        offsets = tuple(tuple(i * steps[0] + j * steps[1] for j in range(columns)) for i in range(rows))
        return cls(tuple(tensor.shape), steps, tensor.is_contiguous(), offsets)


@dataclass(frozen=True)
class TransposeLayouts:
    """Layouts of a tensor, its transpose and the contiguous copy of that, and the result of `view`."""

    original: Layout
    transposed: Layout
    contiguous: Layout
    view_shape: tuple[int, ...]  # the argument of `view`: the first two axes of the transpose merged
    message: str  # PyTorch's error for `view` on the transpose; empty if it worked
    merged: tuple[int, ...]  # strides of that view after `contiguous()`
    shares_memory: bool  # True if the transpose uses the same memory


@dataclass(frozen=True)
class ViewResult:
    """Result of `view` on one tensor."""

    # `shape`, `strides`: of the view; empty where it fails
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    message: str = ""  # PyTorch's error; empty where it works

    @classmethod
    def of(cls, tensor: Tensor, target: tuple[int, ...]) -> "ViewResult":
        try:
            view = tensor.view(target)
        except RuntimeError as error:
            return cls(message=str(error))
        return cls(tuple(view.shape), view.stride())


def try_views(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[ViewResult, ViewResult, ViewResult]:
    """Call `view(target)` on a tensor of this shape, on its transpose (0, 1), and on the contiguous copy of that.

    Args:
        target: sizes of the view's axes; -1 once for an inferred size.

    Raises:
        ValueError: see `describe_layouts`.
    """
    original = _numbered(shape)
    transposed = original.transpose(0, 1)
    ordered = transposed.contiguous()
    return ViewResult.of(original, target), ViewResult.of(transposed, target), ViewResult.of(ordered, target)


def describe_layouts(shape: tuple[int, ...]) -> TransposeLayouts:
    """Transpose the first two axes of a tensor of this shape and try to merge them with `view`.

    Raises:
        ValueError: fewer than two axes, an axis without any number, or more than a million numbers.
    """
    original = _numbered(shape)
    transposed = original.transpose(0, 1)
    merged = (shape[0] * shape[1], *shape[2:])
    message = ViewResult.of(transposed, merged).message
    ordered = transposed.contiguous()
    shares_memory = transposed.data_ptr() == original.data_ptr()
    return TransposeLayouts(
        Layout.of(original),
        Layout.of(transposed),
        Layout.of(ordered),
        merged,
        message,
        ordered.view(merged).stride(),
        shares_memory,
    )


def _numbered(shape: tuple[int, ...]) -> Tensor:
    if len(shape) < 2 or min(shape) < 1:
        raise ValueError("Two axes at least are needed, and each must hold at least one number.")
    count = math.prod(shape)
    if count > MOST_NUMBERS:
        raise ValueError(f"That tensor would hold {count:,} numbers; it may hold {MOST_NUMBERS:,} at most.")
    return torch.arange(count, dtype=torch.float32).view(shape)
