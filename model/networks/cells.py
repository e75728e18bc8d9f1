"""Recurrent cells in two forms: PyTorch's fused one without a tap, step by step with one."""

from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from .recurrent_config import READS
from .tap import Tap

GATES = ("input_gate", "forget_gate", "candidate", "output_gate")  # in the order of the library's stacked rows


class CellState(NamedTuple):
    """The state that a cell passes to its next step, `(batch, width)` each; an RNN has no cell state."""

    hidden: Tensor
    cell: Tensor | None

    def map(self, function: Callable[[Tensor], Tensor]) -> "CellState":
        """Apply `function` to both parts."""
        return CellState(function(self.hidden), None if self.cell is None else function(self.cell))


class RecurrentLayer(nn.Module):
    """One layer of `torch.nn.RNN` or `torch.nn.LSTM`, run whole, step by step or with a tap.

    RNN (Elman 1990): h_t = tanh(W x_t + U h_{t-1} + b).

    LSTM (Hochreiter and Schmidhuber 1997; forget gate by Gers et al. 2000; no peepholes):
    i, f, o = sigmoid(W x_t + U h_{t-1} + b), one such map each; g = tanh(W x_t + U h_{t-1} + b) likewise;
    c_t = f c_{t-1} + i g; h_t = o tanh(c_t).

    Args:
        cell: "rnn" or "lstm".
        inputs: width of x_t.
        width: units in one direction.
        reads: "forwards", "backwards" or "both", with the states of both directions concatenated.
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
                for matrix in parameter.detach().split(self.width):
                    fill(matrix)
            else:
                nn.init.zeros_(parameter)
                if self.cell == "lstm" and name.startswith("bias_ih"):
                    nn.init.ones_(parameter.detach()[self.width : 2 * self.width])

    def weights(self, direction: str = "forwards") -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """W `(gates x width, inputs)`, U `(gates x width, width)` and their two biases, as the library stacks them."""
        suffix = "_l0_reverse" if direction == "backwards" and self.layer.bidirectional else "_l0"
        from_inputs, from_state, input_bias, state_bias = (
            self.layer.get_parameter(name + suffix) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        return from_inputs, from_state, input_bias, state_bias

    def start(self, batch: int, like: Tensor) -> CellState:
        """The state before the first step: zeros, `(batch, width)`."""
        zeros = like.new_zeros(batch, self.width)
        return CellState(zeros, zeros if self.cell == "lstm" else None)

    def run(
        self, inputs: Tensor, start: CellState | None = None, lengths: Tensor | None = None
    ) -> tuple[Tensor, CellState]:
        """Run all steps at once in PyTorch's fused form.

        Args:
            inputs: `(batch, step, inputs)`.
            start: state before the first step, for one direction; zeros where None.
            lengths: `(batch,)` real steps of each row, on the CPU; None if nothing is padded.

        Returns:
            The states `(batch, step, directions x width)`, 0 where padded, and the state after the last real step,
            directions concatenated.
        """
        reversed_order = self.directions == ("backwards",)
        if reversed_order:
            inputs = _reverse_steps(inputs, lengths)
        initial: Tensor | tuple[Tensor, ...] | None = None
        if start is not None:
            parts = tuple(part[None].contiguous() for part in start if part is not None)
            initial = parts if self.cell == "lstm" else parts[0]
        if lengths is None:
            states, last = self.layer(inputs, initial)
        else:
            packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
            states, last = self.layer(packed, initial)
            states, _ = pad_packed_sequence(states, batch_first=True, total_length=inputs.shape[1])
        final = CellState(*last) if self.cell == "lstm" else CellState(last, None)
        return _reverse_steps(states, lengths) if reversed_order else states, final.map(_concatenate_directions)

    def step(self, inputs: Tensor, state: CellState, tap: Tap | None = None, name: str = "cell") -> CellState:
        """Run one step of a layer that reads forwards: fused, or with a tap gate by gate.

        Args:
            inputs: `(batch, inputs)`.
            tap: gets `{name}.hidden` and, of an LSTM, the four of `GATES` and `{name}.cell`, `(batch, width)` each.
        """
        if tap is not None:
            return self._step_by_step(inputs, state, self.weights(), tap, name)
        if self.cell == "rnn":
            return CellState(torch.rnn_tanh_cell(inputs, state.hidden, *self.weights()), None)
        assert state.cell is not None
        return CellState(*torch.lstm_cell(inputs, (state.hidden, state.cell), *self.weights()))

    def run_tapped(
        self, inputs: Tensor, tap: Tap, name: str, lengths: Tensor | None = None
    ) -> tuple[Tensor, CellState]:
        """Run all steps from zeros as `run` does, one by one, with every quantity passed to the tap.

        The names are `{name}.{direction}.{position of the step in the sequence}.{quantity}`.
        """
        batch, count = inputs.shape[:2]
        states, finals = [], []
        for direction in self.directions:
            state = self.start(batch, inputs)
            hidden_states: list[Tensor] = [state.hidden] * count
            for position in range(count) if direction == "forwards" else reversed(range(count)):
                new = self._step_by_step(
                    inputs[:, position], state, self.weights(direction), tap, f"{name}.{direction}.{position}"
                )
                if lengths is None:
                    state, hidden_states[position] = new, new.hidden
                    continue
                real = (position < lengths).to(inputs.device)[:, None]  # (batch, 1)
                hidden = torch.where(real, new.hidden, state.hidden)
                if new.cell is None or state.cell is None:
                    state = CellState(hidden, None)
                else:
                    state = CellState(hidden, torch.where(real, new.cell, state.cell))
                hidden_states[position] = new.hidden * real
            states.append(torch.stack(hidden_states, dim=1))  # (batch, step, width)
            finals.append(state)
        cells = [state.cell for state in finals if state.cell is not None]
        final = CellState(
            torch.cat([state.hidden for state in finals], dim=-1), torch.cat(cells, -1) if cells else None
        )
        return torch.cat(states, dim=-1), final

    def _step_by_step(
        self, inputs: Tensor, state: CellState, weights: tuple[Tensor, Tensor, Tensor, Tensor], tap: Tap, name: str
    ) -> CellState:
        """Run one step by its formulas, with every quantity passed to the tap."""
        from_inputs, from_state, input_bias, state_bias = weights
        summed = F.linear(inputs, from_inputs, input_bias) + F.linear(state.hidden, from_state, state_bias)
        if self.cell == "rnn":
            return CellState(tap(f"{name}.hidden", summed.tanh()), None)
        gates = {}
        for gate, part in zip(GATES, summed.split(self.width, dim=-1), strict=True):  # (batch, width) each
            gates[gate] = tap(f"{name}.{gate}", part.tanh() if gate == "candidate" else part.sigmoid())
        assert state.cell is not None
        cell = gates["forget_gate"] * state.cell + gates["input_gate"] * gates["candidate"]
        cell = tap(f"{name}.cell", cell)
        return CellState(tap(f"{name}.hidden", gates["output_gate"] * cell.tanh()), cell)


def _reverse_steps(rows: Tensor, lengths: Tensor | None) -> Tensor:
    """Reverse the real steps of each row and leave padding where it is: `(batch, step, width)`."""
    if lengths is None:
        return rows.flip(1)
    steps = torch.arange(rows.shape[1])[None]  # (1, step)
    order = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps).to(rows.device)
    return rows.take_along_dim(order[:, :, None], dim=1)


def _concatenate_directions(state: Tensor) -> Tensor:
    """`(direction, batch, width)` -> `(batch, direction x width)`."""
    return state.transpose(0, 1).flatten(1)
