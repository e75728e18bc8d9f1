"""Which layer of a network runs: the number that a call of attention has among all layers, also those without any."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from torch import nn

from .library_types import Network

Place = tuple[str, int]  # name of a list of modules, and the index of the running one


@dataclass
class RunningLayers:
    """The lists of modules of a network of which a module is running, outermost first."""

    running: list[Place] = field(default_factory=list)  # a place for each module of a list that is running

    @property
    def outermost(self) -> Place | None:
        """The place of the running layer; None outside of all lists."""
        return self.running[0] if self.running else None


@contextmanager
def watch_layers(network: Network) -> Iterator[RunningLayers]:
    """Within this context, know which module of which `nn.ModuleList` of a network is running."""
    layers = RunningLayers()
    handles = []
    for name, modules in network.named_modules():
        if not isinstance(modules, nn.ModuleList):
            continue
        for index, module in enumerate(modules):
            place = name, index
            handles.append(module.register_forward_pre_hook(lambda *_, place=place: layers.running.append(place)))
            handles.append(
                module.register_forward_hook(lambda *_, place=place: layers.running.remove(place), always_call=True)
            )
    try:
        yield layers
    finally:
        for handle in handles:
            handle.remove()


def layer_numbers(places: Sequence[Place | None]) -> tuple[int, ...]:
    """Numbers from 0 of the layers that make these calls of one kind, in the order of the calls.

    They are the indices in the network's list of layers, where each call is in another layer of one list; otherwise,
    as where layers share their weights, the calls are counted.
    """
    numbers = [place[1] for place in places if place is not None]
    of_one_list = len(numbers) == len(places) and len({place[0] for place in places if place is not None}) == 1
    if of_one_list and all(first < second for first, second in zip(numbers, numbers[1:], strict=False)):
        return tuple(numbers)
    return tuple(range(len(places)))
