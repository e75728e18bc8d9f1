"""Recurrent cells in two forms: the library's fused one without a tap, step by step with one."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from .recurrent_config import READS
from .tap import Tap

GATES = ("input_gate", "forget_gate", "candidate", "output_gate")  # in the order of the library's stacked rows


class CellState(NamedTuple):
    """What a cell hands to its next step, `(batch, width)` each; an RNN has no cell state."""

    hidden: Tensor
    cell: Tensor | None


class RecurrentLayer(nn.Module):
    """One layer of `torch.nn.RNN` or `torch.nn.LSTM`, which holds the parameters, run whole, step by step or tapped.

    RNN (Elman 1990): h_t = tanh(W x_t + U h_{t-1} + b).

    LSTM (Hochreiter and Schmidhuber 1997; forget gate by Gers et al. 2000; no peepholes):
    i, f, o = sigmoid(W x_t + U h_{t-1} + b), one such map each; g = tanh(W x_t + U h_{t-1} + b) likewise;
    c_t = f c_{t-1} + i g; h_t = o tanh(c_t).

    Args:
        cell: "rnn" or "lstm".
        inputs: width of x_t.
        width: units in one direction.
        reads: "forwards", "backwards" or "both", with the states of both directions side by side.
    """

    def __init__(self, cell: str, inputs: int, width: int, reads: str = "forwards") -> None:
        super().__init__()
        library = nn.LSTM if cell == "lstm" else nn.RNN
        self.cell, self.width, self.directions = cell, width, READS[reads]
        self.layer = library(inputs, width, batch_first=True, bidirectional=reads == "both")
        self._initialise()

    def _initialise(self) -> None:
        """Orthogonal maps from state to state, biases 0, that of the forget gate 1 (Gers et al. 2000)."""
        for name, parameter in self.layer.named_parameters():
            if name.startswith("weight"):
                fill = nn.init.orthogonal_ if name.startswith("weight_hh") else nn.init.xavier_uniform_
                for part in parameter.detach().split(self.width):
                    fill(part)
            else:
                nn.init.zeros_(parameter)
                if self.cell == "lstm" and name.startswith("bias_ih"):
                    nn.init.ones_(parameter.detach()[self.width : 2 * self.width])

    def weights(self, direction: str = "forwards") -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """W `(gates x width, inputs)`, U `(gates x width, width)` and their two biases, as the library stacks them."""
        suffix = "_l0_reverse" if direction == "backwards" and self.layer.bidirectional else "_l0"
        layer = self.layer
        return tuple(getattr(layer, name + suffix) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))

    def start(self, batch: int, like: Tensor) -> CellState:
        """Zeros, `(batch, width)`."""
        zeros = like.new_zeros(batch, self.width)
        return CellState(zeros, zeros if self.cell == "lstm" else None)

    def run(
        self, inputs: Tensor, start: CellState | None = None, lengths: Tensor | None = None
    ) -> tuple[Tensor, CellState]:
        """All steps at once in the library's form.

        Args:
            inputs: `(batch, step, inputs)`.
            start: state before the first step, for one direction; zeros where None.
            lengths: `(batch,)` real steps of each row, on the CPU; None where nothing is padded.

        Returns:
            The states `(batch, step, directions x width)`, 0 where padded, and the state after the last real step,
            directions side by side.
        """
        turned = self.directions == ("backwards",)
        if turned:
            inputs = _turned(inputs, lengths)
        before = None
        if start is not None:
            before = tuple(part[None].contiguous() for part in start if part is not None)
            before = before if self.cell == "lstm" else before[0]
        if lengths is None:
            states, last = self.layer(inputs, before)
        else:
            packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
            states, last = self.layer(packed, before)
            states, _ = pad_packed_sequence(states, batch_first=True, total_length=inputs.shape[1])
        hidden, cell = last if self.cell == "lstm" else (last, None)
        last = CellState(_side_by_side(hidden), None if cell is None else _side_by_side(cell))
        return _turned(states, lengths) if turned else states, last

    def step(self, inputs: Tensor, state: CellState, tap: Tap | None = None, name: str = "cell") -> CellState:
        """One step of a layer that reads forwards: the library's fused one, or with a tap gate by gate.

        Args:
            inputs: `(batch, inputs)`.
            tap: gets `{name}.hidden` and, of an LSTM, the four of `GATES` and `{name}.cell`, `(batch, width)` each.
        """
        if tap is not None:
            return self._step_by_step(inputs, state, self.weights(), tap, name)
        if self.cell == "rnn":
            return CellState(torch.rnn_tanh_cell(inputs, state.hidden, *self.weights()), None)
        return CellState(*torch.lstm_cell(inputs, (state.hidden, state.cell), *self.weights()))

    def run_tapped(
        self, inputs: Tensor, tap: Tap, name: str, lengths: Tensor | None = None
    ) -> tuple[Tensor, CellState]:
        """The same as `run` from zeros, step by step, each in the form that passes the tap.

        The names are `{name}.{direction}.{place of the step in the sequence}.{quantity}`.
        """
        batch, count = inputs.shape[:2]
        states, lasts = [], []
        for direction in self.directions:
            state = self.start(batch, inputs)
            found: list[Tensor] = [state.hidden] * count
            for place in range(count) if direction == "forwards" else reversed(range(count)):
                new = self._step_by_step(
                    inputs[:, place], state, self.weights(direction), tap, f"{name}.{direction}.{place}"
                )
                if lengths is None:
                    state, found[place] = new, new.hidden
                    continue
                real = (place < lengths).to(inputs.device)[:, None]  # (batch, 1)
                pairs = zip(new, state, strict=True)
                state = CellState(*(None if after is None else torch.where(real, after, old) for after, old in pairs))
                found[place] = new.hidden * real
            states.append(torch.stack(found, dim=1))  # (batch, step, width)
            lasts.append(state)
        hidden = torch.cat([last.hidden for last in lasts], dim=-1)
        cell = torch.cat([last.cell for last in lasts], dim=-1) if self.cell == "lstm" else None
        return torch.cat(states, dim=-1), CellState(hidden, cell)

    def _step_by_step(
        self, inputs: Tensor, state: CellState, weights: tuple[Tensor, Tensor, Tensor, Tensor], tap: Tap, name: str
    ) -> CellState:
        """One step as its formula reads, every quantity through the tap."""
        from_inputs, from_state, input_bias, state_bias = weights
        summed = F.linear(inputs, from_inputs, input_bias) + F.linear(state.hidden, from_state, state_bias)
        if self.cell == "rnn":
            return CellState(tap(f"{name}.hidden", summed.tanh()), None)
        gates = {}
        for gate, part in zip(GATES, summed.split(self.width, dim=-1), strict=True):  # (batch, width) each
            gates[gate] = tap(f"{name}.{gate}", part.tanh() if gate == "candidate" else part.sigmoid())
        cell = gates["forget_gate"] * state.cell + gates["input_gate"] * gates["candidate"]
        cell = tap(f"{name}.cell", cell)
        return CellState(tap(f"{name}.hidden", gates["output_gate"] * cell.tanh()), cell)


def _turned(rows: Tensor, lengths: Tensor | None) -> Tensor:
    """The real steps of each row in the opposite order, padding left where it is: `(batch, step, width)`."""
    if lengths is None:
        return rows.flip(1)
    places = torch.arange(rows.shape[1])[None]  # (1, step)
    order = torch.where(places < lengths[:, None], lengths[:, None] - 1 - places, places).to(rows.device)
    return rows.take_along_dim(order[:, :, None], dim=1)


def _side_by_side(last: Tensor) -> Tensor:
    """`(direction, batch, width)` -> `(batch, direction x width)`."""
    return last.transpose(0, 1).flatten(1)
