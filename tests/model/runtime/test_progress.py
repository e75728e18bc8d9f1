"""Long computations in parts: the result, the progress, and a GPU that runs out of memory in between."""

import pytest
import torch

from model.runtime.device import NetworkOwner
from model.runtime.progress import Progress, run_to_end, steps_with_fallback
from tests.model.networks import tiny_network


class Owner(NetworkOwner):
    """Owns a network, as a translator does."""

    def __init__(self):
        self.network = tiny_network()


def three_parts():
    for done in range(1, 4):
        yield Progress(done, 3)
    return "found"


def steps_of(parts):
    """Everything yielded, and the result."""
    yielded = []
    while True:
        try:
            yielded.append(next(parts))
        except StopIteration as end:
            return yielded, end.value


def test_running_to_the_end_returns_the_result():
    assert run_to_end(three_parts()) == "found"


def test_without_errors_all_parts_are_yielded():
    assert steps_of(steps_with_fallback(Owner(), three_parts)) == ([(1, 3), (2, 3), (3, 3)], "found")


def test_full_memory_restarts_once():
    owner, starts = Owner(), []

    def begin():
        starts.append(1)
        yield Progress(1, 2)
        if len(starts) == 1:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return "on the CPU"

    assert steps_of(steps_with_fallback(owner, begin)) == ([(1, 2), (1, 2)], "on the CPU")
    with pytest.raises(torch.OutOfMemoryError):  # it has moved before, so another failure is no GPU's
        starts.clear()
        steps_of(steps_with_fallback(owner, begin))


def test_other_errors_are_raised():
    def begin():
        yield Progress(1, 2)
        raise RuntimeError("something else")

    with pytest.raises(RuntimeError, match="something else"):
        steps_of(steps_with_fallback(Owner(), begin))
