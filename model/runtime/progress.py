"""Long computations in parts: between two of them others can have their turn, and a reader sees how far it is.

Such a function is a generator: it yields a `Progress` after each part and returns its result at the end.
"""

import functools
from collections.abc import Callable, Generator
from typing import NamedTuple, ParamSpec, TypeVar

from .fallback import HasNetwork, device_of, move_to_cpu, ran_out_of_memory

P = ParamSpec("P")
T = TypeVar("T")


class Progress(NamedTuple):
    """How far a computation is: `done` of `total` parts of about the same size."""

    done: int
    total: int


InSteps = Generator[Progress, None, T]


def whole(parts: InSteps[T]) -> T:
    """The result, all parts in one go."""
    while True:
        try:
            next(parts)
        except StopIteration as end:
            return end.value


def in_one_go(function: Callable[P, InSteps[T]]) -> Callable[P, T]:
    """The same function with all parts in one go, for callers that need not stop on the way."""

    @functools.wraps(function)
    def run(*arguments: P.args, **options: P.kwargs) -> T:
        return whole(function(*arguments, **options))

    return run


def steps_with_fallback(owner: HasNetwork, begin: Callable[[], InSteps[T]]) -> InSteps[T]:
    """`model.runtime.fallback.with_fallback` for parts: when the GPU's memory does not suffice, begun anew on the CPU.

    `begin` starts the computation; it must read the network's device then.
    """
    while True:
        device, parts = device_of(owner.network), begin()
        while device_of(owner.network) == device:  # else another computation found the memory full between two parts
            try:
                part = next(parts)
            except StopIteration as end:
                return end.value
            except RuntimeError as error:
                if not ran_out_of_memory(error) or not move_to_cpu(owner.network):
                    raise
                break
            yield part
