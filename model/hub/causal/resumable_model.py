"""An opened model as a network that can be resumed at any layer: the causal methods run it as they run our own.

Where its residual streams are not found or not proven, `has_stream` is false and `stream_refusal` states why; then runs
begin at the input, and only what passes the tap of attention can be changed.
"""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import torch
from torch import Tensor, nn

from ...causal.causal_error import CausalError
from ...causal.resumable import HeadMatrices, Inputs, RecordedRun, ResumableNetwork, stream_name
from ...networks.tap import Tap, identity_tap
from ...tracing.kinds import AttentionKind
from ..eager_attention import CallRecorder, is_half
from ..errors import states_errors
from ..forward_run import ModelInputs, call_options
from ..interface import recording_calls
from ..library_version import Network
from ..model_inputs import probe_inputs, same_length_inputs
from ..opened_network import OpenedNetwork
from ..scoring import end_id
from .block_places import BlockPlaces, find_blocks, find_places
from .head_maps import read_matrices
from .module_calls import ModuleCall, ObservedRun, observe_run, stream_argument, stream_output
from .stream_proof import BATCHES, HALF_SUMS, SUMS, ProvenRuns, StreamProof, prove_streams

# Find everything about the residual streams of an opened model that its modules show in one short run.


@dataclass(frozen=True)
class FoundStreams:
    """The streams of a network, found but not yet proven."""

    places: BlockPlaces  # see `model.hub.causal.block_places`
    # stack and layer -> names of its calls of attention, in their order; None for one that has none
    calls: dict[tuple[str, int], list[str | None]]
    # modules that read the last stream of the output stack as it is, and return as many numbers
    last_norms: tuple[str, ...]
    # module that returns what a feed-forward layer adds -> the matrix inside that computes it
    feed_forward_ends: dict[str, str]
    tolerance: float  # largest difference that counts as rounding, as a share of the largest number


def find_streams(opened: OpenedNetwork, probe: ModelInputs, output_stack: str) -> FoundStreams:
    """Run a network once on a short input and find its streams.

    Raises:
        CausalError: they are not found; the message states where.
    """
    network, plan = opened.network, opened.proof.plan
    observed = observe_run(network, probe, plan.names, opened.proof.by_interface)
    tolerance = SUMS * (HALF_SUMS if is_half(next(network.parameters()).dtype) else 1.0)
    lists = {name: len(modules) for name, modules in network.named_modules() if isinstance(modules, nn.ModuleList)}
    stacks = find_blocks(observed, plan, lists)
    lengths = [probe[name].shape[1] for name in ("input_ids", "decoder_input_ids") if name in probe]
    places = find_places(observed, plan, stacks, _find_embeddings(opened, observed, lengths), tolerance)
    return FoundStreams(
        places,
        _name_calls(opened, observed, places),
        _find_last_norms(observed, places.stacks[output_stack][-1].module),
        _find_matrices(network, observed, places),
        tolerance,
    )


def _find_embeddings(opened: OpenedNetwork, observed: ObservedRun, lengths: list[int]) -> tuple[str, ...]:
    """The modules that embed the tokens of each stack, by its number of tokens; none where they are not found."""
    if opened.vision:
        return ()
    table = getattr(token_embedding(opened), "weight", None)
    modules = {name: one for name, one in opened.network.named_modules() if isinstance(one, nn.Embedding)}
    calls = [call for call in observed.calls if call.name in modules and modules[call.name].weight is table]
    shapes = [None if call.returned is None else tuple(call.returned.shape[:-1]) for call in calls]
    return tuple(call.name for call in calls) if shapes == [(1, length) for length in lengths] else ()


def token_embedding(opened: OpenedNetwork) -> nn.Module:
    """The module that embeds the tokens of the input."""
    network: Any = opened.network
    module: nn.Module = network.get_input_embeddings()
    return module


def _name_calls(
    opened: OpenedNetwork, observed: ObservedRun, places: BlockPlaces
) -> dict[tuple[str, int], list[str | None]]:
    layers = {
        block.module: (stack, number) for stack, blocks in places.stacks.items() for number, block in enumerate(blocks)
    }
    calls: dict[tuple[str, int], list[str | None]] = {place: [] for place in layers.values()}
    for place, name in zip(observed.attention, opened.proof.plan.names, strict=True):
        own = None if place.layer is None else layers.get(f"{place.layer[0]}.{place.layer[1]}")
        if own is not None:
            calls[own].append(name)
    return calls


def _find_last_norms(observed: ObservedRun, last: str) -> tuple[str, ...]:
    (block,) = observed.of(last)
    return tuple(
        call.name
        for call in observed.calls
        if call.start > block.end
        and _same(call.read, block.returned)
        and call.returned is not None
        and call.read is not None
        and call.returned.shape == call.read.shape
    )


def _find_matrices(network: nn.Module, observed: ObservedRun, places: BlockPlaces) -> dict[str, str]:
    """For each feed-forward layer, the module with a matrix that returns the same numbers, if there is one."""
    parts = {part.output for blocks in places.stacks.values() for block in blocks for part in block.sub_layers[-1:]}
    by_name: dict[str, ModuleCall] = {call.name: call for call in observed.calls}
    matrices = [
        by_name[name]
        for name, module in network.named_modules()
        if name in by_name and getattr(getattr(module, "weight", None), "ndim", 0) == 2
    ]
    ends: dict[str, str] = {}
    for name in parts:
        block = name.rsplit(".", 1)[0]
        returned = by_name[name].returned
        inside = (call for call in matrices if call.name == name or call.name.startswith(f"{block}."))
        for call in inside:
            if _same(call.returned, returned):
                ends[name] = call.name
    return ends


def _same(first: Tensor | None, second: Tensor | None) -> bool:
    return first is not None and second is not None and first.shape == second.shape and torch.equal(first, second)


# Run an opened network with a tap on its residual streams, from any layer on.
#
# Hooks on the modules that were found send tensors through the tap of the run that is current in this thread, and do
# nothing without one. Layers before the first one that runs are not computed: each returns the stream that it receives,
# and the first one reads a recorded stream instead. What the network computes besides, such as masks and positions, it
# computes from the inputs as always.

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


TAIL_ROWS = 64  # single positions that are read out together


class ResumableModel(ResumableNetwork):
    """An opened model; inputs are ids `(row, T)`, of an encoder-decoder also the decoder's, or pixels `(row, 3, H, W)`.

    Hidden states are the last stream where each of its positions has an answer of its own; otherwise, as of a
    classifier, the logits themselves.

    Attributes:
        proof: of the streams; None where `has_stream` is false.
        stream_refusal: why the streams cannot be replaced; None where they can.
        by_position: whether each position of the last stream has an answer of its own.

    Raises:
        CausalError: its layers differ in their attention.
    """

    network: nn.Module
    answer_place: int | None
    """Otherwise, the position of the last stream that alone has the answer, 0 or -1; None where several have it
    together.
    """

    @torch.no_grad()
    def __init__(self, opened: OpenedNetwork) -> None:
        self.opened, self.network, self.kinds = opened, opened.network, opened.kinds
        sizes = opened.proof.sizes
        self.stacks: dict[str, int] = {}
        for kind in self.kinds:
            layers = opened.layers[kind.name]
            count = self.stacks.setdefault(kind.stack, len(layers))
            if layers != tuple(range(count)) or sizes[kind.name][1] != sizes[self.kinds[0].name][1]:
                raise CausalError(
                    "Causal methods need attention with equally many heads in all layers; this model has another one "
                    "in some of its layers."
                )
        self.output_stack = "decoder" if "decoder" in self.stacks else next(iter(self.stacks))
        self.heads = heads_of(self.kinds, sizes)
        probe = self._probe_inputs()
        self.probe = self.as_inputs(probe)
        self.proof: StreamProof | None = None
        self.stream_refusal: CausalError | None = None
        self.by_position, self.answer_place = False, None
        self.pre_norm, self.has_stream = True, False
        try:
            self._prove(find_streams(opened, probe, self.output_stack))
        except CausalError as refusal:
            self.stream_refusal = refusal
            self.has_stream = False
        recorded = self.record(self.probe)
        self.probe_tensors, self._columns = recorded.tensors, recorded.hidden.shape[-1]
        if self.has_stream:
            self._find_answers(recorded)

    def _probe_inputs(self) -> ModelInputs:
        """A short input, by the library's names."""
        opened = self.opened
        if opened.classifies_by_decoder:
            return same_length_inputs(opened.network, opened.reader, end_id(opened))
        probe, *_ = probe_inputs(opened.network, opened.reader, opened.languages, vision=opened.vision)
        return probe

    def _prove(self, streams: FoundStreams) -> None:
        self.streams, self.pre_norm, self.has_stream = streams, streams.places.pre_norm, True
        self.hooks = StreamHooks(self.opened.network, streams.places, streams.calls, self.heads)
        first_row = torch.zeros(1, dtype=torch.int64, device=self.device)
        runs = ProvenRuns(
            lambda tap, rows: self._stream(self._repeated(rows), BlockRun(tap, until=self.output_stack)),
            lambda tensors, stack, layer, tap, skips: self._resumed(
                self.probe, tensors, stack, layer, first_row, tap, skips
            ),
        )
        self.proof = prove_streams(streams.places, runs, streams.tolerance)

    def _find_answers(self, recorded: RecordedRun) -> None:
        """Find out whether each position of the last stream has an answer, or which one has the answer of all."""
        stream = recorded.tensors[stream_name(self.output_stack, self.stacks[self.output_stack])]
        logits = recorded.hidden  # (1, output, column)
        alone = self._tail(stream[0][:, None])  # (position, output, column), each position by itself
        tolerance = BATCHES * self.streams.tolerance * (float(logits.abs().max()) or 1.0)
        if alone.shape[1] == 1 and logits.shape[1] == len(alone) > 1:
            self.by_position = float((alone[:, 0] - logits[0]).abs().max()) <= tolerance
            self.answer_place = 0 if self.by_position else None
            return
        apart = (alone[:, 0] - logits[0, :1]).abs().amax(dim=-1)  # (position,)
        ends = [place for place in (0, -1) if float(apart[place]) <= tolerance]
        self.answer_place = ends[0] if ends and logits.shape[1] == 1 else None

    def as_inputs(self, inputs: ModelInputs) -> Inputs:
        """Inputs by the library's names, as the methods pass them on."""
        names = ("pixel_values",) if self.opened.vision else ("input_ids", "decoder_input_ids")
        return tuple(inputs[name] for name in names if name in inputs)

    def model_inputs(self, inputs: Inputs) -> dict[str, Tensor]:
        """Inputs by the library's names."""
        if self.opened.vision:
            return {"pixel_values": inputs[0]}
        named = {"input_ids": inputs[0], "attention_mask": torch.ones_like(inputs[0])}
        return named if len(inputs) == 1 else {**named, "decoder_input_ids": inputs[1]}

    def text_inputs(self, ids: Tensor, side: int) -> Inputs:
        """Inputs of one of two texts that are compared, from its ids `(row, T)`; `side` is 0 or 1."""
        return (ids,)

    def _repeated(self, rows: int) -> Inputs:
        return tuple(part.expand(rows, *part.shape[1:]) for part in self.probe)

    def _stream(self, inputs: Inputs, run: BlockRun) -> Tensor:
        stream: Tensor = self.hooks.start(run, self.model_inputs(inputs), self.opened.proof.by_interface)
        return stream

    def _logits(self, inputs: Inputs, run: BlockRun) -> Tensor:
        """`(row, output, column)`."""
        return _answers(self.hooks.start(run, self.model_inputs(inputs), self.opened.proof.by_interface))

    @states_errors
    def run(self, inputs: Inputs, tap: Tap | None = None) -> Tensor:
        tap = identity_tap if tap is None else tap
        if self.by_position:
            return self._stream(inputs, BlockRun(tap, until=self.output_stack))
        if self.has_stream:
            return self._logits(inputs, BlockRun(tap))
        own, heads = tap, self.heads
        recorder = _HeadCalls(self.opened.proof.plan.names, own, heads)
        return _answers(
            run_with_calls(self.opened.network, self.model_inputs(inputs), recorder, self.opened.proof.by_interface)
        )

    @states_errors
    def resume(self, run: RecordedRun, stack: str, layer: int, rows: Tensor, tap: Tap) -> Tensor:
        inputs = tuple(part[rows.to(part.device)] for part in run.inputs)
        if not self.has_stream:
            return self.run(inputs, tap)
        assert self.proof is not None
        if self.by_position and stack == self.output_stack and layer == self.stacks[stack]:
            return self.entering(run, stack, layer, rows, tap)
        return self._resumed(inputs, run.tensors, stack, layer, rows, tap, self.proof.skips)

    def _resumed(
        self,
        inputs: Inputs,
        tensors: dict[str, Tensor],
        stack: str,
        layer: int,
        rows: Tensor,
        tap: Tap,
        skips: bool,
    ) -> Tensor:
        first, entering = {stack: layer}, {}
        for earlier in self.stacks:
            if earlier == stack:
                break
            first[earlier] = self.stacks[earlier]
            entering[earlier] = tensors[stream_name(earlier, self.stacks[earlier])][rows]
        name = stream_name(stack, layer)
        entering[stack] = tap(name, tensors[name][rows])
        to_stream = self.by_position or self.proof is None
        run = BlockRun(tap, first, entering, self.output_stack if to_stream else "", skips=skips)
        return self._stream(inputs, run) if to_stream else self._logits(inputs, run)

    def _tail(self, stream: Tensor) -> Tensor:
        """Logits `(row, output, column)` of last streams `(row, position, width)`, by all that follows the layers."""
        assert self.proof is not None
        parts = []
        for part in stream.split(TAIL_ROWS):
            inputs = tuple(self._filler(given, part) for given in self.probe)
            run = BlockRun(first=self.stacks, entering={self.output_stack: part}, skips=self.proof.skips)
            parts.append(self._logits(inputs, run))
        return torch.cat(parts)

    def _filler(self, given: Tensor, stream: Tensor) -> Tensor:
        """Inputs that have no influence: a token at each position, or the picture."""
        if self.opened.vision:
            return given.expand(len(stream), *given.shape[1:])
        return given[:, :1].expand(len(stream), stream.shape[1])

    @states_errors
    def read_out(self, stream: Tensor) -> Tensor:
        if self.by_position:
            return stream
        if self.answer_place is None:
            raise CausalError(
                "This model computes its answer from several positions together, so a single one has none to read out."
            )
        return self._tail(stream.reshape(-1, 1, stream.shape[-1]))[:, 0].unflatten(0, stream.shape[:-1])

    @states_errors
    def logits(self, hidden: Tensor, columns: Sequence[int] | None = None) -> Tensor:
        if self.by_position:
            flat = hidden.reshape(-1, 1, hidden.shape[-1])
            hidden = self._tail(flat)[:, 0].unflatten(0, hidden.shape[:-1])
        return hidden if columns is None else hidden[..., list(columns)]

    def lengths(self, inputs: Inputs) -> dict[str, int]:
        if self.opened.vision:
            return {next(iter(self.stacks)): self.opened._layout({"pixel_values": inputs[0][:1]}).positions}
        return {stack: part.shape[1] for stack, part in zip(self.stacks, inputs, strict=True)}

    def answering(self) -> slice:
        if self.by_position:
            return slice(None)
        return slice(0, 1) if self.answer_place == 0 else slice(-1, None)

    def check_tensor(self, name: str) -> None:
        if name in self.probe_tensors:
            return
        step = name.rpartition(".")[2]
        if self.stream_refusal is not None and step not in STEPS:
            raise self.stream_refusal
        if step == "token_embedding":
            raise CausalError("The module that embeds this model's tokens is not found, so they cannot be changed.")
        raise CausalError(
            "The {step} of this model's heads do not pass our tap, since it computes attention by itself; choose "
            "another site, such as attention_weights.",
            step=step,
        )

    def run_layer(self, stack: str, layer: int, rows: int, length: int, tap: Tap) -> None:
        """Run one layer on a stream `(row, length, width)` of zeros; of a network with one stack."""
        width = self.probe_tensors[stream_name(stack, layer)].shape[-1]
        dtype = self.probe_tensors[stream_name(stack, layer)].dtype
        stream = torch.zeros(rows, length, width, dtype=dtype, device=self.device)
        inputs = tuple(self._filler(part, stream) for part in self.probe)
        self._stream(inputs, BlockRun(tap, {stack: layer}, {stack: stream}, stack, layer + 1))

    def head_matrices(self, kind: AttentionKind, layer: int) -> HeadMatrices:
        return read_matrices(self, kind, layer)

    def token_matrices(self) -> tuple[Tensor, Tensor]:
        network: Any = self.opened.network
        modules = token_embedding(self.opened), network.get_output_embeddings()
        first, second = (getattr(module, "weight", None) for module in modules)
        if self.opened.task not in ("complete", "translate") or first is None or second is None:
            raise CausalError("Only networks that read and write tokens copy them; choose one that continues text.")
        if first.shape != second.shape:
            raise CausalError("This model reads and writes tokens by matrices of different sizes; nothing is copied.")
        return first, second

    def ordinary_ids(self) -> tuple[Tensor, int]:
        if self.opened.vision:
            raise CausalError("Only networks that read tokens have these scores; choose one that reads text.")
        special = set(getattr(self.opened.reader, "all_special_ids", ()))
        count = len(self._embedding_table())
        ids = torch.tensor([number for number in range(count) if number not in special])
        most = self.opened.limits.source
        return ids, len(ids) if most is None else min(len(ids), most // 2)

    def with_ids(self, ids: Tensor) -> tuple[Inputs, dict[str, int]]:
        if len(self.probe) == 1:
            return (ids,), dict.fromkeys(self.stacks, 0)
        start = self.probe[1][:, :1].expand(len(ids), 1)
        return (ids, torch.cat([start, ids], dim=1)), {"encoder": 0, "decoder": 1}

    @torch.no_grad()
    def embedded_tokens(self, run: RecordedRun, stack: str) -> tuple[str, Tensor]:
        """Tokens less the mean of all tokens: without any, norms of some networks would divide 0 by 0."""
        if self.opened.vision:
            return stream_name(stack, 0), run.tensors[stream_name(stack, 0)]
        name = f"{stack}.token_embedding"
        self.check_tensor(name)
        embedded = run.tensors[name]
        own = self._embedding_table()[run.inputs[list(self.stacks).index(stack)]]
        factor = (embedded * own).sum() / own.square().sum()  # some networks multiply by a number
        return name, embedded - self._embedding_table().mean(dim=0) * factor

    def embedding_deviation(self, run: RecordedRun) -> float:
        if not self.opened.vision:
            return float(self._embedding_table().std())
        rows, columns, first = self.patch_grid(run.inputs)
        return float(run.tensors[stream_name("vision", 0)][:, first : first + rows * columns].std())

    def _embedding_table(self) -> Tensor:
        table = token_embedding(self.opened).weight
        assert isinstance(table, Tensor)
        return table.detach()

    @property
    def reads_pixels(self) -> bool:
        return self.opened.vision

    def patch_grid(self, inputs: Inputs) -> tuple[int, int, int]:
        layout = self.opened._layout({"pixel_values": inputs[0][:1]})
        return *layout.grid, layout.leading

    @property
    def n_heads(self) -> int:
        return self.opened.proof.sizes[self.kinds[0].name][1]

    @property
    def columns(self) -> int:
        return self._columns


class _HeadCalls(CallRecorder):
    """Calls of attention in the order of the plan, whose steps pass a tap."""

    def __init__(self, names: tuple[str | None, ...], own: Tap, heads: dict[str, int]) -> None:
        super().__init__(names, reduce=lambda index, call: None)
        self.own, self.heads = own, heads

    def next_step(self) -> Tap:
        name = self.names[self.count] if self.names is not None and self.count < len(self.names) else None
        self.count += 1
        return identity_tap if name is None else head_tap(self.own, name, self.heads)


def _answers(output) -> Tensor:
    """Logits of a batch, or last hidden states of a network without a head, `(row, output, column)`."""
    tensor = output.logits if getattr(output, "logits", None) is not None else output.last_hidden_state
    return tensor[:, None] if tensor.ndim == 2 else tensor
