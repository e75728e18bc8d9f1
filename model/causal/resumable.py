"""Networks as stacks of layers that can be run again from any layer on: the base of all causal methods.

A method changes tensors in some layer and asks what follows. Earlier layers are the same as without the change, so the
run starts at that layer, from the residual stream of a recorded run. Many changes run in one batch, one a row.

Layers count from 0. The stream has a row more than there are layers: row 0 is the embedded input, row k + 1 the output
of layer k; both "before layer k" and "after layer k - 1" are row k.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..networks.decoder_only import DecoderOnlyTransformer
from ..networks.linear import linear
from ..networks.tap import Chain, Intervention, Recorder, Tap
from ..networks.transformer import Transformer
from ..networks.vision import VisionTransformer
from ..tracing.kinds import DECODER, TRANSLATION, VISION, AttentionKind, attention_module

Inputs = tuple[Tensor, ...]  # what a network reads, each with a batch in front


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """A run with every tensor that passed the tap; N rows."""

    inputs: Inputs
    tensors: dict[str, Tensor]  # name in the tap -> `(N, ...)`; masks have one row
    hidden: Tensor  # `(N, output, d_model)`, what the logits are computed from

    @property
    def rows(self) -> int:
        """Number of inputs that were run together."""
        return len(self.hidden)

    def row(self, number: int) -> "RecordedRun":
        """The run of one input alone."""
        own = slice(number, number + 1)
        tensors = {name: tensor[own] if len(tensor) == self.rows else tensor for name, tensor in self.tensors.items()}
        return RecordedRun(tuple(part[own] for part in self.inputs), tensors, self.hidden[own])


class ResumableNetwork(ABC):
    """A network whose layers can be run again from any of them on.

    Attributes:
        network: in evaluation mode.
        stacks: name of a stack -> number of its layers, in the order in which they run.
        kinds: its kinds of attention.
        output_stack: the stack whose last stream the logits are computed from.
        pre_norm: sub-layers read the normalised stream, and a last norm precedes the logits; else every sum is
            normalised and no norm follows the last layer.
    """

    network: nn.Module
    stacks: dict[str, int]
    kinds: tuple[AttentionKind, ...]
    output_stack: str
    pre_norm: bool

    @abstractmethod
    def run(self, inputs: Inputs, tap: Tap | None = None) -> Tensor:
        """Run the whole network: hidden states `(row, output, d_model)` for `logits`."""

    @abstractmethod
    def resume(self, run: RecordedRun, stack: str, layer: int, rows: Tensor, tap: Tap) -> Tensor:
        """Run again from a layer on.

        Args:
            run: the recorded run that is continued.
            stack, layer: the first layer that runs; `layer` may be the number of layers, where none is left.
            rows: `(row,)` int64, the row of `run` that each row of this batch continues.
            tap: receives the stream that enters the first layer, and all tensors of the layers that it changes.

        Returns:
            As `run`.
        """

    @abstractmethod
    def read_out(self, stream: Tensor) -> Tensor:
        """What the logits are computed from, of any row of the output stack's stream: `(..., d_model)` each.

        A pre-norm network applies its last norm; in a post-norm network every row is normalised already.
        """

    @abstractmethod
    def logits(self, hidden: Tensor, columns: Sequence[int] | None = None) -> Tensor:
        """Logits `(..., column)` of hidden states `(..., d_model)`; all columns, or only these."""

    @abstractmethod
    def lengths(self, inputs: Inputs) -> dict[str, int]:
        """Stack -> number of its positions."""

    @property
    @abstractmethod
    def n_heads(self) -> int:
        """Heads in every layer."""

    @property
    @abstractmethod
    def columns(self) -> int:
        """Number of logits: tokens of the vocabulary, or classes."""

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return next(self.network.parameters()).device

    def record(self, inputs: Inputs, intervention: Tap | None = None) -> RecordedRun:
        """Run the network and record every tensor, as an intervention leaves it."""
        recorder = Recorder()
        hidden = self.run(inputs, recorder if intervention is None else Chain(intervention, recorder))
        return RecordedRun(inputs, recorder.tensors, hidden)

    def kind(self, name: str) -> AttentionKind | None:
        """The kind of attention of that name; None if there is none."""
        return next((kind for kind in self.kinds if kind.name == name), None)

    def attention(self, kind: AttentionKind, layer: int):
        """The module that computes the attention of a kind in a layer."""
        return attention_module(self.network, kind, layer)

    def key_stack(self, kind: AttentionKind) -> str:
        """The stack whose positions are the keys of a kind."""
        return kind.stack if kind.square else next(iter(self.stacks))

    def entering(self, run: RecordedRun, stack: str, layer: int, rows: Tensor, tap: Tap | None) -> Tensor:
        """The stream that enters a layer, `(row, position, d_model)`, of these rows of a run, after the tap."""
        name = stream_name(stack, layer)
        stream = run.tensors[name][rows]
        return stream if tap is None else tap(name, stream)


class TextNetwork(ResumableNetwork):
    """A network on tokens whose output matrix is its embedding matrix."""

    network: Transformer | DecoderOnlyTransformer

    def logits(self, hidden: Tensor, columns: Sequence[int] | None = None) -> Tensor:
        if columns is None:
            return self.network.project(hidden)
        return linear(hidden, self.network.embedding.weight[list(columns)])

    @property
    def n_heads(self) -> int:
        return self.network.config.n_heads

    @property
    def columns(self) -> int:
        return self.network.config.vocabulary_size


class ResumableTranslator(TextNetwork):
    """The encoder-decoder Transformer; inputs are the ids of source `(row, S)` and of target `(row, T)`."""

    kinds, output_stack, pre_norm = TRANSLATION, "decoder", False

    def __init__(self, network: Transformer) -> None:
        self.network: Transformer = network
        self.stacks = {"encoder": len(network.encoder), "decoder": len(network.decoder)}

    def run(self, inputs: Inputs, tap: Tap | None = None) -> Tensor:
        source, target = inputs
        return self.network.decode(target, self.network.encode(source, None, tap), None, tap)

    def resume(self, run: RecordedRun, stack: str, layer: int, rows: Tensor, tap: Tap) -> Tensor:
        network = self.network
        if stack == "encoder":
            memory = self.entering(run, "encoder", layer, rows, tap)
            for number in range(layer, len(network.encoder)):
                name = f"encoder.{number}"
                memory = network.encoder[number](memory, None, within(tap, name), name)
            layer = 0
        else:
            memory = run.tensors[stream_name("encoder", len(network.encoder))]
            memory = memory if len(memory) == 1 else memory[rows]  # keys and values of one memory serve all rows
        stream = self.entering(run, "decoder", layer, rows, tap)
        length = stream.shape[1]
        allowed = network.triangle[:, :, :length, :length]
        for number in range(layer, len(network.decoder)):
            name, decoder_layer = f"decoder.{number}", network.decoder[number]
            cross_kv = decoder_layer.cross_attention.project_memory(memory)
            stream = decoder_layer(stream, cross_kv, allowed, None, within(tap, name), name)
        return stream

    def read_out(self, stream: Tensor) -> Tensor:
        return stream

    def lengths(self, inputs: Inputs) -> dict[str, int]:
        return {"encoder": inputs[0].shape[1], "decoder": inputs[1].shape[1]}


class ResumableLanguageModel(TextNetwork):
    """The decoder-only Transformer; the input is the ids `(row, T)`."""

    kinds, output_stack, pre_norm = (DECODER,), "decoder", True

    def __init__(self, network: DecoderOnlyTransformer) -> None:
        self.network: DecoderOnlyTransformer = network
        self.stacks = {"decoder": len(network.decoder)}

    def run(self, inputs: Inputs, tap: Tap | None = None) -> Tensor:
        return self.network.states(inputs[0], tap)

    def resume(self, run: RecordedRun, stack: str, layer: int, rows: Tensor, tap: Tap) -> Tensor:
        network = self.network
        stream = self.entering(run, stack, layer, rows, tap)
        length = stream.shape[1]
        allowed = network.triangle[:, :, :length, :length]
        for number in range(layer, len(network.decoder)):
            name = f"decoder.{number}"
            stream = network.decoder[number](stream, allowed, within(tap, name), name)
        return network.norm(stream)

    def read_out(self, stream: Tensor) -> Tensor:
        return self.network.norm(stream)

    def lengths(self, inputs: Inputs) -> dict[str, int]:
        return {"decoder": inputs[0].shape[1]}


class ResumableVision(ResumableNetwork):
    """The Vision Transformer; the input is pixels `(row, 3, height, width)` in [-1, 1], the output CLS alone."""

    kinds, output_stack, pre_norm = (VISION,), "vision", True

    def __init__(self, network: VisionTransformer) -> None:
        self.network: VisionTransformer = network
        self.stacks = {"vision": len(network.layers)}

    def run(self, inputs: Inputs, tap: Tap | None = None) -> Tensor:
        stream = self.network.embed(inputs[0], tap)
        for number, layer in enumerate(self.network.layers):
            stream = layer(stream, tap, f"vision.{number}")
        return self.network.norm(stream[:, :1])

    def resume(self, run: RecordedRun, stack: str, layer: int, rows: Tensor, tap: Tap) -> Tensor:
        stream = self.entering(run, stack, layer, rows, tap)
        for number in range(layer, len(self.network.layers)):
            name = f"vision.{number}"
            stream = self.network.layers[number](stream, within(tap, name), name)
        return self.network.norm(stream[:, :1])

    def read_out(self, stream: Tensor) -> Tensor:
        return self.network.norm(stream)

    def logits(self, hidden: Tensor, columns: Sequence[int] | None = None) -> Tensor:
        logits = self.network.head(hidden)
        return logits if columns is None else logits[..., list(columns)]

    def lengths(self, inputs: Inputs) -> dict[str, int]:
        size = self.network.config.patch_size
        return {"vision": 1 + (inputs[0].shape[-2] // size) * (inputs[0].shape[-1] // size)}

    @property
    def n_heads(self) -> int:
        return self.network.config.n_heads

    @property
    def columns(self) -> int:
        return len(self.network.config.classes)


def resumable(network: nn.Module) -> ResumableNetwork:
    """Return a network of this project as a `ResumableNetwork`.

    Raises:
        TypeError: it is of another type; recurrent networks have steps in time, not layers that can be resumed.
    """
    if isinstance(network, Transformer):
        return ResumableTranslator(network)
    if isinstance(network, DecoderOnlyTransformer):
        return ResumableLanguageModel(network)
    if isinstance(network, VisionTransformer):
        return ResumableVision(network)
    raise TypeError(f"A {type(network).__name__} has no layers that this method can resume.")


def stream_name(stack: str, row: int) -> str:
    """The tap's name of a row of the stream: row 0 is the embedded input, row k + 1 the output of layer k."""
    return f"{stack}.embedded" if row == 0 else f"{stack}.{row - 1}.residual"


def within(tap: Tap, layer: str) -> Tap | None:
    """The tap for a layer, named as `decoder.3`; None where it changes nothing, so that attention runs fused."""
    if isinstance(tap, Intervention) and not any(name.startswith(f"{layer}.") for name in tap.changes):
        return None
    return tap
