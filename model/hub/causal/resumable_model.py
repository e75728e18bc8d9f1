"""An opened model as a network that can be resumed at any layer: the causal methods run it as they run our own.

Where its residual streams are not found or not proven, `has_stream` is false and `stream_refusal` states why; then runs
begin at the input, and only what passes the tap of attention can be changed.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from ...causal.causal_error import CausalError
from ...causal.resumable import HeadMatrices, Inputs, RecordedRun, ResumableNetwork, stream_name
from ...networks.tap import Tap, identity_tap
from ...tracing.kinds import AttentionKind
from ..eager_attention import CallRecorder
from ..errors import states_errors
from ..forward_run import ModelInputs
from ..model_inputs import probe_inputs, same_length_inputs
from ..opened_network import OpenedNetwork
from ..scoring import end_id
from .block_runs import STEPS, BlockRun, StreamHooks, head_tap, heads_of, run_with_calls
from .found_streams import FoundStreams, find_streams, token_embedding
from .head_maps import read_matrices
from .stream_proof import BATCHES, ProvenRuns, StreamProof, prove_streams

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
