"""Long work in parts: the result, how far it is, and what happens when a GPU runs out of memory on the way."""

import pytest
import torch

from model.runtime.fallback import NetworkOwner
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
    seen = []
    while True:
        try:
            seen.append(next(parts))
        except StopIteration as end:
            return seen, end.value


def test_whole_gives_the_result():
    assert run_to_end(three_parts()) == "found"


def test_without_trouble_all_parts_pass():
    assert steps_of(steps_with_fallback(Owner(), three_parts)) == ([(1, 3), (2, 3), (3, 3)], "found")


def test_full_memory_begins_anew_once():
    owner, begun = Owner(), []

    def begin():
        begun.append(1)
        yield Progress(1, 2)
        if len(begun) == 1:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return "on the CPU"

    assert steps_of(steps_with_fallback(owner, begin)) == ([(1, 2), (1, 2)], "on the CPU")
    with pytest.raises(torch.OutOfMemoryError):  # it has moved before, so another failure is no GPU's
        begun.clear()
        steps_of(steps_with_fallback(owner, begin))


def test_other_errors_pass():
    def begin():
        yield Progress(1, 2)
        raise RuntimeError("something else")

    with pytest.raises(RuntimeError, match="something else"):
        steps_of(steps_with_fallback(Owner(), begin))
