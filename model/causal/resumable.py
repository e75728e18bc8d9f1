"""Networks as stacks of layers that can be run again from any layer on: the base of all causal methods.

A method changes tensors in some layer and measures the effect. Earlier layers are the same as without the change, so
the run starts at that layer, from the residual stream of a recorded run. Many changes run in one batch, one a row.

Layers count from 0. The stream has a row more than there are layers: row 0 is the embedded input, row k + 1 the output
of layer k; both "before layer k" and "after layer k - 1" are row k.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..networks.tap import Chain, Recorder, Tap
from ..tracing.kinds import AttentionKind
from .causal_error import CausalError

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


class HeadMatrices(NamedTuple):
    """The four matrices of every head of a layer, `(head, d_model, d_k)` float64, which act on rows: x @ matrix.

    W_QK is `query @ key.mT`, W_OV is `value @ output.mT`, both `(d_model, d_model)` of rank d_k.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    output: Tensor


class CausalNetwork(ABC):
    """A network whose runs can be changed and continued."""

    network: nn.Module
    """In evaluation mode."""
    stacks: dict[str, int]
    """Name of a stack -> number of its layers, in the order in which they run."""

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
    def stage_of(self, name: str) -> tuple[int, int]:
        """Number of the stack and layer from which a run must be resumed to change this tensor."""

    @abstractmethod
    def logits(self, hidden: Tensor, columns: Sequence[int] | None = None) -> Tensor:
        """Logits `(..., column)` of hidden states `(..., d_model)`; all columns, or only these."""

    @abstractmethod
    def lengths(self, inputs: Inputs) -> dict[str, int]:
        """Stack -> number of its positions."""

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


class ResumableNetwork(CausalNetwork):
    """A network whose layers can be run again from any of them on."""

    kinds: tuple[AttentionKind, ...]
    """Its kinds of attention."""
    output_stack: str
    """The stack whose last stream the logits are computed from."""
    pre_norm: bool
    """Sub-layers read the normalised stream, and a last norm precedes the logits; else every sum is normalised and no
    norm follows the last layer.
    """
    has_stream: bool = True
    """Whether its residual streams can be replaced."""

    def stage_of(self, name: str) -> tuple[int, int]:
        """Number of the stack and layer; a row of the stream is changed where it enters the next layer."""
        stack, number, *rest = name.split(".")
        order = list(self.stacks).index(stack)
        if number == "embedded":
            return order, 0
        return order, int(number) + (rest == ["residual"])

    @abstractmethod
    def read_out(self, stream: Tensor) -> Tensor:
        """What the logits are computed from, of any row of the output stack's stream: `(..., d_model)` each.

        A pre-norm network applies its last norm; in a post-norm network every row is normalised already.
        """

    @property
    @abstractmethod
    def n_heads(self) -> int:
        """Heads in every layer."""

    @abstractmethod
    def check_tensor(self, name: str) -> None:
        """Check that a tensor of this name passes the tap.

        Raises:
            CausalError: it does not; the message states why.
        """

    def answering(self) -> slice:
        """The positions of the output stack that answer: all of a text."""
        return slice(None)

    def kind(self, name: str) -> AttentionKind | None:
        """The kind of attention of that name; None if there is none."""
        return next((kind for kind in self.kinds if kind.name == name), None)

    @abstractmethod
    def head_matrices(self, kind: AttentionKind, layer: int) -> HeadMatrices:
        """The matrices of all heads of a layer.

        Raises:
            CausalError: the heads are not linear in what they read.
        """

    @abstractmethod
    def token_matrices(self) -> tuple[Tensor, Tensor]:
        """Embedding and output matrix of the tokens, `(token, d_model)` each.

        Raises:
            CausalError: the network reads or writes no tokens.
        """

    @abstractmethod
    def ordinary_ids(self) -> tuple[Tensor, int]:
        """Ids that are no special tokens, `(id,)`, and how many of them can be repeated.

        Raises:
            CausalError: the network reads no tokens.
        """

    @abstractmethod
    def with_ids(self, ids: Tensor) -> tuple[Inputs, dict[str, int]]:
        """Inputs of random ids `(row, T)`, and stack -> position of the first of them."""

    @abstractmethod
    def embedded_tokens(self, run: RecordedRun, stack: str) -> tuple[str, Tensor]:
        """Name of the tensor that has the embedded tokens of a stack, and their part of it, without positions."""

    @abstractmethod
    def embedding_deviation(self, run: RecordedRun) -> float:
        """Standard deviation of the numbers of embedded tokens or patches; see `model.causal.embedding_noise`."""

    @property
    def reads_pixels(self) -> bool:
        """Whether it reads pictures."""
        return False

    def patch_grid(self, inputs: Inputs) -> tuple[int, int, int]:
        """Rows and columns of patches of a picture, and the position of the first.

        Raises:
            CausalError: the network reads no pictures.
        """
        raise CausalError("This network reads no pictures, so its input has no patches.")

    def key_stack(self, kind: AttentionKind) -> str:
        """The stack whose positions are the keys of a kind."""
        return kind.stack if kind.square else next(iter(self.stacks))

    def entering(self, run: RecordedRun, stack: str, layer: int, rows: Tensor, tap: Tap | None) -> Tensor:
        """The stream that enters a layer, `(row, position, d_model)`, of these rows of a run, after the tap."""
        name = stream_name(stack, layer)
        stream = run.tensors[name][rows]
        return stream if tap is None else tap(name, stream)


def stream_name(stack: str, row: int) -> str:
    """The tap's name of a row of the stream: row 0 is the embedded input, row k + 1 the output of layer k."""
    return f"{stack}.embedded" if row == 0 else f"{stack}.{row - 1}.residual"
