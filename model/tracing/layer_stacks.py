"""A recorder that stacks the same step of all layers while the network runs.

`Recorder` stores a reference to every tensor; stacking them afterwards copies them when they are no longer in the CPU's
cache. Here each tensor is copied as it passes, while it is in the cache, and then released: the next layer reuses the
same memory, so recording takes less time and less memory.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..networks.tap import Recorder

ATTENTION_STEPS = ("queries", "keys", "values", "scores", "weights", "outputs")


class StackPlan(NamedTuple):
    """Which tensors `LayerStacks` records."""

    # name of a stack -> names of the tensors (see `model.networks.tap`) that become its rows, all of one shape
    stacks: Mapping[str, Sequence[str]]
    stack_of: Mapping[str, str]  # name of a tensor -> name of its stack
    referenced: frozenset[str]  # names of tensors of which only a reference is stored

    @classmethod
    def of(cls, stacks: Mapping[str, Sequence[str]], referenced: Iterable[str] = ()) -> "StackPlan":
        """Create a plan, with `stack_of` computed from `stacks`."""
        return cls(stacks, {name: stack for stack, names in stacks.items() for name in names}, frozenset(referenced))


class LayerStacks(Recorder):
    """A tap that changes nothing and stacks the tensors that `plan` names; the batch is one sentence or picture.

    The plan's `referenced` tensors are in `tensors`, as in any `Recorder`.
    """

    def __init__(self, plan: StackPlan) -> None:
        super().__init__(plan.referenced)
        self.plan = plan
        self._stacks: dict[str, Tensor] = {}  # (row, 1, ...) each
        self._rows: dict[str, Tensor] = {}  # views of them, by the name of the tensor
        self._passed: set[str] = set()

    def __call__(self, name: str, tensor: Tensor) -> Tensor:
        stack = self.plan.stack_of.get(name)
        if stack is None:
            return super().__call__(name, tensor)
        if stack not in self._stacks:
            names = self.plan.stacks[stack]
            self._stacks[stack] = tensor.new_empty(len(names), *tensor.shape)
            self._rows.update(zip(names, self._stacks[stack].unbind(), strict=True))
        self._rows[name].copy_(tensor)
        self._passed.add(name)
        return tensor

    def array(self, stack: str) -> np.ndarray:
        """Return one stack, `(row, ...)` float32, without the axis of the batch.

        Raises:
            LookupError: one of its tensors never passed.
        """
        missing = [name for name in self.plan.stacks[stack] if name not in self._passed]
        if missing:
            raise LookupError(f"No tensor passed that is named {', '.join(missing)}.")
        return self._stacks[stack][:, 0].to(torch.float32).cpu().numpy()


def layer_names(stack: str, step: str, layers: int) -> list[str]:
    """List the names of one step in all layers: ("decoder", "cross.mask", 2) returns those of layers 0 and 1."""
    return [f"{stack}.{layer}.{step}" for layer in range(layers)]


def attention_stacks(stack: str, kind: str, layers: int) -> dict[str, list[str]]:
    """Plan all of `ATTENTION_STEPS` of one kind of attention, as `<stack>.<kind>.<step>`."""
    return {f"{stack}.{kind}.{step}": layer_names(stack, f"{kind}.{step}", layers) for step in ATTENTION_STEPS}


def stream_stack(stack: str, layers: int) -> dict[str, list[str]]:
    """Plan the residual stream as `<stack>.stream`: the embedded input, then the output of each layer."""
    return {f"{stack}.stream": [f"{stack}.embedded", *layer_names(stack, "residual", layers)]}
