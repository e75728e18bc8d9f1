"""Run an opened network with a tap on its residual streams, from any layer on.

Hooks on the modules that were found send tensors through the tap of the run that is current in this thread, and do
nothing without one. Layers before the first one that runs are not computed: each returns the stream that it receives,
and the first one reads a recorded stream instead. What the network computes besides, such as masks and positions, it
computes from the inputs as always.
"""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import torch
from torch import Tensor, nn

from ...causal.resumable import stream_name
from ...networks.tap import Tap, identity_tap
from ...tracing.kinds import AttentionKind
from ..eager_attention import CallRecorder
from ..forward_run import ModelInputs, call_options
from ..interface import recording_calls
from ..library_types import Network
from .block_places import BlockPlaces
from .module_calls import stream_argument, stream_output

STEPS = frozenset(("queries", "keys", "values", "weights", "outputs"))  # of attention, that pass the tap


class StreamReached(Exception):
    """The last layer of the stack that is asked for has run; what follows is not computed."""

    def __init__(self, stream: Tensor) -> None:
        super().__init__()
        self.stream = stream


@dataclass(eq=False)
class BlockRun:
    """One run of a network."""

    tap: Tap = identity_tap  # receives every tensor that has a name
    # stack -> the first layer that runs, by default 0; may be the number of layers
    first: Mapping[str, int] = field(default_factory=dict)
    # stack -> the stream that enters this layer, after the tap
    entering: Mapping[str, Tensor] = field(default_factory=dict)
    until: str = ""  # the run ends with the last layer of this stack; "" runs the network to its end
    layers: int | None = None  # how many layers of that stack; by default all
    # whether earlier layers are left out; otherwise they are computed, and what they return is not used
    skips: bool = True
    place: tuple[str, int] | None = None  # stack and layer that run now
    shape: tuple[int, ...] = ()  # rows and positions of the stream in this layer
    called: int = 0  # calls of attention that this layer has made
    embedded: int = 0  # stacks whose tokens have been embedded
    hooks: "StreamHooks | None" = None


current_run: ContextVar[BlockRun | None] = ContextVar("current_run", default=None)  # of this thread


class StreamHooks:
    """The hooks of one network. They stay on its modules.

    Args:
        calls: stack and layer -> names of its calls of attention, in their order; None for one that has none.
        heads: name of a kind's sub-layer in a stack, such as "decoder.self" -> number of heads.
    """

    def __init__(
        self,
        network: Network,
        places: BlockPlaces,
        calls: Mapping[tuple[str, int], Sequence[str | None]],
        heads: Mapping[str, int],
    ) -> None:
        self.network, self.places, self.calls, self.heads = network, places, calls, heads
        modules = dict(network.named_modules())
        for stack, blocks in places.stacks.items():
            for number, block in enumerate(blocks):
                self._wrap_block(modules[block.module], stack, number, len(blocks))
                for part in block.sub_layers:
                    name = f"{stack}.{number}.{part.name}"
                    self._tap_output(modules[part.output], f"{name}.sublayer_output")
                    if part.reads:
                        self._tap_input(modules[part.reads], f"{name}.sublayer_input")
                    if part.norm:
                        self._tap_input(modules[part.norm], f"{name}.summed")
                        self._tap_output(modules[part.norm], f"{name}.normalised")
        for name in set(places.embeddings):
            self._tap_embedding(modules[name])

    def _run(self) -> BlockRun | None:
        run = current_run.get()
        return run if run is not None and run.hooks is self else None

    def _tap_output(self, module: nn.Module, name: str) -> None:
        def hook(_: nn.Module, arguments: Any, output: Any) -> Any:
            run = self._run()
            if run is None:
                return None
            index, tensor = stream_output(output)
            assert tensor is not None
            tapped = run.tap(name, tensor.unflatten(0, run.shape) if tensor.ndim == 2 else tensor)
            # a copy, since some networks add to it in place, and what was recorded must not change
            return _put(
                output, index, tapped.clone().view(-1, tensor.shape[-1]) if tensor.ndim == 2 else tapped.clone()
            )

        module.register_forward_hook(hook)

    def _tap_embedding(self, module: nn.Module) -> None:
        """Tap the embedded tokens of the stacks, in the order in which they run."""
        stacks = list(self.places.stacks)

        def hook(_: nn.Module, arguments: Any, output: Tensor) -> Tensor | None:
            run = self._run()
            if run is None or run.place is not None or run.embedded == len(stacks):
                return None
            run.embedded += 1
            return run.tap(f"{stacks[run.embedded - 1]}.token_embedding", output)

        module.register_forward_hook(hook)

    def _tap_input(self, module: nn.Module, name: str) -> None:
        def hook(_: nn.Module, arguments: tuple, options: dict) -> Any:
            run = self._run()
            if run is None:
                return None
            key, tensor = stream_argument(arguments, options)
            if tensor is None:
                return None
            return _put_argument(arguments, options, key, run.tap(name, tensor))

        module.register_forward_pre_hook(hook, with_kwargs=True)

    def _wrap_block(self, module: nn.Module, stack: str, number: int, layers: int) -> None:
        original, joined = module.forward, self.places.joined.get(stack, frozenset())
        length: list[tuple[type, int] | None] = [None]  # form of what the layer returns, as seen when it last ran

        @wraps(original)
        def forward(*arguments: Any, **options: Any) -> Any:
            run = self._run()
            if run is None:
                return original(*arguments, **options)
            key, stream = stream_argument(arguments, options)
            assert stream is not None
            first = run.first.get(stack, 0)
            entering = run.entering.get(stack)
            if number == first and entering is not None:
                stream = entering
            elif number >= first and (number == 0 or number in joined):
                stream = run.tap(stream_name(stack, number), stream)
            if number < first and run.skips:
                ended = first == layers == number + 1 and entering is not None
                return self._finish(run, stack, number + 1 == layers, entering if ended else stream, length[0])
            run.place, run.called, run.shape = (stack, number), 0, tuple(stream.shape[:2])
            arguments, options = _put_argument(arguments, options, key, stream)
            output = original(*arguments, **options)
            run.place = None
            length[0] = None if isinstance(output, Tensor) else (type(output), len(output))
            index, after = stream_output(output)
            assert after is not None
            if number >= first and number + 1 not in joined:
                after = run.tap(stream_name(stack, number + 1), after)
            elif first == layers == number + 1 and entering is not None:
                after = entering
            if run.until == stack and number + 1 == (layers if run.layers is None else run.layers):
                raise StreamReached(after)
            return _put(output, index, after)

        module.forward = forward

    def _finish(
        self, run: BlockRun, stack: str, last: bool, stream: Tensor | None, form: tuple[type, int] | None
    ) -> Any:
        """What a layer returns that is left out."""
        assert stream is not None
        if last and run.until == stack:
            raise StreamReached(stream)
        if form is None:
            return stream
        return form[0]((stream, *[None] * (form[1] - 1)))

    def start(self, run: BlockRun, inputs: ModelInputs, by_interface: bool) -> Any:
        """Run the network with `run` as the current one.

        Returns:
            The library's output, or the stream of the stack `run.until`, `(row, position, width)`.
        """
        run.hooks = self
        token = current_run.set(run)
        try:
            return run_with_calls(self.network, inputs, _BlockCalls(run), by_interface)
        except StreamReached as reached:
            return reached.stream
        finally:
            current_run.reset(token)


class _BlockCalls(CallRecorder):
    """Calls of attention, named by the layer that makes them, since layers may be left out."""

    def __init__(self, run: BlockRun) -> None:
        super().__init__(reduce=lambda index, call: None)
        self.run = run

    def next_step(self) -> Tap:
        run = self.run
        assert run.hooks is not None
        if run.place is None:
            return identity_tap
        names = run.hooks.calls[run.place]
        name = names[run.called] if run.called < len(names) else None
        run.called += 1
        return identity_tap if name is None else head_tap(run.tap, name, run.hooks.heads)


def head_tap(tap: Tap, name: str, heads: Mapping[str, int]) -> Tap:
    """The tap of one call of attention; keys and values that heads share are repeated for each head."""
    stack, _, sublayer = name.split(".")
    count = heads[f"{stack}.{sublayer}"]

    def step(step: str, tensor: Tensor) -> Tensor:
        if step not in STEPS:
            return tensor
        if step in ("keys", "values") and tensor.shape[1] < count:
            tensor = tensor.repeat_interleave(count // tensor.shape[1], dim=1)
        return tap(f"{name}.{step}", tensor)

    return step


def run_with_calls(network: Network, inputs: ModelInputs, recorder: CallRecorder, by_interface: bool) -> Any:
    """Run a network on a batch; gradients are recorded where the caller enables them."""
    options = call_options(network, inputs)
    with recording_calls(recorder, by_interface, rows=len(next(iter(inputs.values())))):
        return network(**inputs, **options)


def heads_of(kinds: Sequence[AttentionKind], sizes: Mapping[str, tuple[int, int, int]]) -> dict[str, int]:
    """Number of heads by stack and sub-layer."""
    return {f"{kind.stack}.{kind.sublayer}": sizes[kind.name][1] for kind in kinds}


def _put(output: Any, index: int | None, tensor: Tensor) -> Any:
    if index is None:
        return tensor
    parts = list(output)
    parts[index] = tensor
    return type(output)(parts)


def _put_argument(arguments: tuple, options: dict, key: int | str | None, tensor: Tensor) -> tuple[tuple, dict]:
    if isinstance(key, int):
        return (*arguments[:key], tensor, *arguments[key + 1 :]), options
    assert key is not None
    return arguments, {**options, key: tensor}


def rows_of(inputs: ModelInputs, rows: Tensor) -> dict[str, Tensor]:
    """Some rows of the inputs of a batch."""
    return {name: torch.index_select(tensor, 0, rows) for name, tensor in inputs.items()}
