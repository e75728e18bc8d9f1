"""Run a network once and observe what its modules read and returned, when, and which of them called attention."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from ..eager_attention import CallRecorder, Place, RunningLayers
from ..forward_run import ModelInputs, run_network
from ..library_version import Network


@dataclass(eq=False)
class ModuleCall:
    """One call of a module; times are counted in starts and ends of modules and in calls of attention."""

    name: str
    start: int
    read: Tensor | None  # its first argument of three axes, `(row, position, width)`
    end: int = 0
    returned: Tensor | None = None  # its output, or the first tensor of it
    index: int | None = None  # of that tensor in a tuple


@dataclass(eq=False)
class AttentionPlace:
    """One call of attention: the layer and the module that made it."""

    time: int
    layer: Place | None
    module: str


@dataclass(eq=False)
class ObservedRun(RunningLayers):
    """Everything that modules did in one run, in the order in which they ended."""

    calls: list[ModuleCall] = field(default_factory=list)
    attention: list[AttentionPlace] = field(default_factory=list)
    open: list[ModuleCall] = field(default_factory=list)
    time: int = 0
    output: Any = None

    @property
    def outermost(self) -> Place | None:
        """The layer that runs now; `CallRecorder` asks for it once for every call of attention."""
        place = self.running[0] if self.running else None
        self.time += 1
        self.attention.append(AttentionPlace(self.time, place, self.open[-1].name if self.open else ""))
        return place

    def of(self, name: str) -> list[ModuleCall]:
        """The calls of one module."""
        return [call for call in self.calls if call.name == name]


def observe_run(
    network: Network, inputs: ModelInputs, names: tuple[str | None, ...], by_interface: bool
) -> ObservedRun:
    """Run a network on a short input and observe its modules.

    Args:
        names: of its calls of attention; see `model.hub.eager_attention.CallRecorder`.
    """
    run = ObservedRun()
    with _watch_modules(network, run):
        recorder = CallRecorder(names, None, lambda index, call: None, layers=run)
        run.output = run_network(network, inputs, recorder, by_interface)
    return run


@contextmanager
def _watch_modules(network: Network, run: ObservedRun) -> Iterator[None]:
    lists = {name: module for name, module in network.named_modules() if isinstance(module, nn.ModuleList)}
    layers = {id(module): (name, index) for name, modules in lists.items() for index, module in enumerate(modules)}
    handles = []
    for name, module in network.named_modules():
        place = layers.get(id(module))

        def before(_: nn.Module, arguments: Any, options: Any, name: str = name, place: Place | None = place) -> None:
            run.time += 1
            run.open.append(ModuleCall(name, run.time, _copied(stream_argument(arguments, options)[1])))
            if place is not None:
                run.running.append(place)

        def after(_: nn.Module, arguments: Any, output: Any, place: Place | None = place) -> None:
            run.time += 1
            call = run.open.pop()
            call.end = run.time
            call.index, returned = stream_output(output)
            call.returned = _copied(returned)
            run.calls.append(call)
            if place is not None:
                run.running.remove(place)

        handles.append(module.register_forward_pre_hook(before, with_kwargs=True))
        handles.append(module.register_forward_hook(after))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _copied(tensor: Tensor | None) -> Tensor | None:
    """A copy, since some networks add to what a module has returned."""
    return None if tensor is None else tensor.clone()


def stream_argument(arguments: tuple, options: dict) -> tuple[int | str | None, Tensor | None]:
    """The first argument that has the form of a stream, `(row, position, width)`, and where it is."""
    for key, value in (*enumerate(arguments), *options.items()):
        if isinstance(value, Tensor) and value.ndim == 3 and value.is_floating_point():
            return key, value
    return None, None


def stream_output(output: Any) -> tuple[int | None, Tensor | None]:
    """The tensor that a module returns, alone or in a tuple or a list, and its index there."""
    if isinstance(output, Tensor):
        return None, output
    if isinstance(output, tuple | list):
        for index, value in enumerate(output):
            if isinstance(value, Tensor):
                return index, value
    return None, None
