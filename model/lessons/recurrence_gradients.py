"""Measure what a recurrent encoder forgets: gradients of its last state by input, and how a changed token fades.

Vanishing gradients: Bengio et al. 1994, Pascanu et al. 2013.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import torch
from torch import Tensor

from ..networks.cells import GATES, RecurrentLayer
from ..networks.recurrent import RecurrentNetwork
from ..networks.tap import Recorder
from ..runtime.progress import InSteps, Progress, as_one_call

SEED = 0  # of the direction in which autograd computes the check
STEPS_PER_PART = 4  # steps of the sentence after which the generator yields

Quantities = dict[str, Tensor]  # of one step, `(width,)` each
BackwardStep = tuple[int, Quantities, Quantities | None]  # position, quantities of the step and of the one before


@dataclass(frozen=True, eq=False)
class StateGradients:
    """Sizes of the Jacobians of the last state with respect to every input, by position in the sentence.

    The size is the Frobenius norm. x_t is the embedding as the cell reads it.
    """

    distance: np.ndarray  # `(S,)`, steps from the reading of a token to the last state; 0 for the token read last
    hidden: np.ndarray  # `(S,)`, |d h_N / d x_t|
    cell: np.ndarray | None  # `(S,)`, |d c_N / d x_t|; None for an RNN
    # largest |difference| of a product v . J_t to autograd's, for one random v of length 1, relative to the largest
    # element.
    difference: float


@dataclass(frozen=True, eq=False)
class StateDrift:
    """Distance of the states from those of the same sentence with one token replaced."""

    # `(replaced, step)`, |h_t - h'_t| / |h_t|; both axes in the order of reading, 0 before the replaced one
    hidden: np.ndarray
    cell: np.ndarray | None  # likewise of the cell state; None for an RNN
    difference: float  # largest |difference| of a state to the one computed for its sentence alone


@torch.inference_mode()
def state_gradients_in_steps(network: RecurrentNetwork, source_ids: Sequence[int]) -> InSteps[StateGradients]:
    """Compute the Jacobians of the encoder's last state by the chain rule from the last step to the first.

    Their rows are independent: where PyTorch uses one thread, two threads compute half of the rows each.

    Raises:
        ValueError: the encoder reads in both directions, so that no state is the last.
    """
    encoder = _one_direction(network)
    direction, count, width = encoder.directions[0], len(source_ids), encoder.width
    embedded = network.embed(network.ids(source_ids))  # (1, S, d_model)
    recorder = Recorder()
    encoder.run_tapped(embedded, recorder, "encoder")
    order = list(range(count)) if direction == "forwards" else list(reversed(range(count)))
    steps = [_quantities(recorder, f"encoder.{direction}.{place}", width) for place in order]
    weights = torch.cat(encoder.weights()[:2], dim=1)  # (gates * width, d_model + width), W next to U
    states = 1 if encoder.cell == "rnn" else 2
    rows = torch.eye(states * width, device=embedded.device)  # d last / d (h_N, c_N)
    probe = _probe(len(rows), rows.device)
    halves = [JacobianRows(*half, weights) for half in zip(probe.chunk(2), rows.chunk(2), strict=True)]
    backwards = list(zip(order, steps, [None, *steps[:-1]], strict=True))[::-1]
    squares, products = np.zeros((count, states)), torch.zeros_like(embedded[0])
    map_halves = _two_threads().map if torch.get_num_threads() == 1 else map
    for done in range(0, count, STEPS_PER_PART):
        part = backwards[done : done + STEPS_PER_PART]
        results = map_halves(partial(_steps_back, part), halves)
        for (place, *_), of_halves in zip(part, zip(*results, strict=True), strict=True):
            lengths, parts = zip(*of_halves, strict=True)
            squares[place] = torch.cat(lengths).square().view(states, width).sum(dim=1).cpu()
            products[place] = sum(parts)
        yield Progress(min(done + STEPS_PER_PART, count), count)
    sizes = np.sqrt(squares)
    distance = np.array([count - 1 - order.index(place) for place in range(count)])
    expected = _by_autograd(encoder, embedded[0, order], probe)[[order.index(place) for place in range(count)]]
    difference = float((products - expected).abs().max() / expected.abs().max())
    return StateGradients(distance, sizes[:, 0], sizes[:, 1] if states == 2 else None, difference)


state_gradients = as_one_call(state_gradients_in_steps)


@cache
def _two_threads() -> ThreadPoolExecutor:
    """Two threads that are reused: a thread's first product is slow, since the library allocates memory for it."""
    return ThreadPoolExecutor(2, thread_name_prefix="halves of a product")


class JacobianRows:
    """Some rows of d last / d (h_t, c_t), or of d last / d h_t for an RNN, from t = N back to the first step.

    Buffers are reused at every step: allocation would cost as much as a tenth of the products.

    Args:
        probe: factors of the rows in the check, `(row,)`.
        last: at t = N, `(row, states)`; changed in place.
        weights: W next to U, `(gates x width, d_model + width)`, the rows of all gates one below the other.
    """

    def __init__(self, probe: Tensor, last: Tensor, weights: Tensor) -> None:
        lstm = len(weights) > last.shape[1]
        self.probe, self.by_state, self.weights = probe, last, weights
        self.width = last.shape[1] // (2 if lstm else 1)
        self.by_sum = weights.new_empty(last.shape[1], weights.shape[1])
        self.by_read = last.new_empty(len(last), weights.shape[1])

    @torch.inference_mode()
    def step_back(self, step: dict[str, Tensor], before: dict[str, Tensor] | None) -> tuple[Tensor, Tensor]:
        """Go from step t to t - 1; returns the lengths of the rows of d last / d x_t, `(row,)`, and probe . rows.

        Args:
            step, before: quantities of step t and of t - 1, `(width,)` each; None before the first.
        """
        by_hidden, *by_cell = self.by_state.split(self.width, dim=1)  # (row, width) each
        if not by_cell:  # d h_t / d sum = 1 - h_t^2
            torch.mul((1 - step["hidden"] ** 2)[:, None], self.weights, out=self.by_sum)
        for cell in by_cell:  # h_t = o tanh(c_t)
            cell.addcmul_(by_hidden, step["output_gate"] * (1 - step["cell"].tanh() ** 2))
            self._through_gates(step, before)
        torch.mm(self.by_state, self.by_sum, out=self.by_read)
        jacobian, by_previous = self.by_read[:, : -self.width], self.by_read[:, -self.width :]
        by_hidden.copy_(by_previous)
        for cell in by_cell:  # c_t = f c_(t-1) + i g
            cell.mul_(step["forget_gate"])
        return torch.linalg.vector_norm(jacobian, dim=1, dtype=torch.float64), self.probe @ jacobian

    def _through_gates(self, step: dict[str, Tensor], before: dict[str, Tensor] | None) -> None:
        """Derivatives by the gates' inputs, x_t and h_(t-1): of h_t for fixed c_t, and below it of c_t."""
        i, f, g, o = (step[gate] for gate in GATES)
        previous = torch.zeros_like(i) if before is None else before["cell"]
        by_output, through_cell = self.by_sum.chunk(2)  # (width, d_model + width) each
        *inner, outer = self.weights.chunk(len(GATES))
        torch.mul((step["cell"].tanh() * o * (1 - o))[:, None], outer, out=by_output)
        slopes = (g * i * (1 - i), previous * f * (1 - f), i * (1 - g**2))  # of c_t by each gate's sum
        torch.mul(slopes[0][:, None], inner[0], out=through_cell)
        for slope, part in zip(slopes[1:], inner[1:], strict=True):
            through_cell.addcmul_(slope[:, None], part)


def _steps_back(part: Sequence[BackwardStep], rows: JacobianRows) -> list[tuple[Tensor, Tensor]]:
    """Take some rows back through several steps, from the latest to the earliest."""
    return [rows.step_back(step, before) for _, step, before in part]


@torch.inference_mode(False)
def _by_autograd(encoder: RecurrentLayer, read: Tensor, probe: Tensor) -> Tensor:
    """`(S, d_model)` in the order of reading: the gradient of probe . (h_N, c_N), by the library's cells."""
    with torch.enable_grad():
        inputs = read.clone().requires_grad_()
        state = encoder.start(1, inputs)
        for row in inputs:
            state = encoder.step(row[None], state)
        last = torch.cat([part[0] for part in state if part is not None])
        (gradient,) = torch.autograd.grad(last @ probe.clone(), inputs)
    return gradient


@torch.inference_mode()
def measure_drift(network: RecurrentNetwork, source_ids: Sequence[int], replacement: int) -> StateDrift:
    """Replace every token in turn and compare the states.

    Args:
        replacement: id of the token that replaces each; a position that has it already does not change.

    Raises:
        ValueError: the encoder reads in both directions.
    """
    encoder = _one_direction(network)
    count = len(source_ids)
    ids = network.ids(source_ids).repeat(count + 1, 1)  # (S + 1, S), the last one unchanged
    ids[range(count), range(count)] = replacement
    embedded = network.embed(ids if encoder.directions == ("forwards",) else ids.flip(1))  # in the order of reading
    if encoder.directions != ("forwards",):
        embedded = torch.cat([embedded[:count].flip(0), embedded[count:]])  # the first one replaced first
    state, states = encoder.start(count + 1, embedded), []
    for inputs in embedded.unbind(dim=1):
        state = encoder.step(inputs, state)
        states.append(state)
    hidden = torch.stack([state.hidden for state in states], dim=1)  # (S + 1, step, width)
    alone, _ = encoder.layer(embedded[-1:])
    difference = float((alone[0] - hidden[-1]).abs().max())
    cells = [state.cell for state in states if state.cell is not None]  # none of an RNN
    cell = _share(torch.stack(cells, dim=1)) if cells else None
    return StateDrift(_share(hidden), cell, difference)


def _share(states: Tensor) -> np.ndarray:
    """`(S + 1, step, width)` -> `(S, step)`: distance to the states of the last sentence, relative to their size."""
    distance = (states[:-1] - states[-1]).norm(dim=-1) / states[-1].norm(dim=-1)
    return distance.double().cpu().numpy()


def _one_direction(network: RecurrentNetwork) -> RecurrentLayer:
    if len(network.encoder.directions) != 1:
        raise ValueError("An encoder that reads both ways has no last state; choose one with one vector.")
    return network.encoder


def _quantities(recorder: Recorder, name: str, width: int) -> dict[str, Tensor]:
    """Recorded quantities of one step of an encoder, `(width,)` each."""
    names = [quantity for quantity in ("hidden", "cell", *GATES) if f"{name}.{quantity}" in recorder.tensors]
    return {quantity: recorder.tensors[f"{name}.{quantity}"][0] for quantity in names}


def _probe(rows: int, device: torch.device) -> Tensor:
    probe = torch.randn(rows, generator=torch.Generator().manual_seed(SEED))
    return (probe / probe.norm()).to(device)
