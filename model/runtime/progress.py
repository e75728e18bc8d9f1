"""Long computations in parts: between two parts other work can run, and the user sees the progress.

Such a function is a generator: it yields a `Progress` after each part and returns its result at the end.
"""

import functools
from collections.abc import Callable, Generator
from typing import NamedTuple, ParamSpec, TypeVar

from .device import NetworkOwner, device_of, ran_out_of_memory

P = ParamSpec("P")
T = TypeVar("T")
Part = TypeVar("Part")


class Progress(NamedTuple):
    """How far a computation is: `done` of `total` parts of about the same size."""

    done: int
    total: int


InSteps = Generator[Progress, None, T]


def run_to_end(parts: InSteps[T]) -> T:
    """Run all parts and return the result."""
    while True:
        try:
            next(parts)
        except StopIteration as end:
            return end.value


def as_one_call(function: Callable[P, InSteps[T]]) -> Callable[P, T]:
    """The same function with all parts at once, for callers that need not stop in between."""

    @functools.wraps(function)
    def run(*arguments: P.args, **options: P.kwargs) -> T:
        return run_to_end(function(*arguments, **options))

    return run


def steps_with_fallback(owner: NetworkOwner, begin: Callable[[], Generator[Part, None, T]]) -> Generator[Part, None, T]:
    """`model.runtime.device.with_fallback` for parts: if the GPU's memory does not suffice, restart on the CPU.

    `begin` starts the computation; it must read the network's device then.
    """
    while True:
        device, parts = device_of(owner.network), begin()
        while device_of(owner.network) == device:  # else another computation moved the network between two parts
            try:
                part = next(parts)
            except StopIteration as end:
                return end.value
            except RuntimeError as error:
                if not ran_out_of_memory(error) or not owner.move_to_cpu():
                    raise
                break
            yield part
