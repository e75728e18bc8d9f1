"""What a recurrent encoder forgets: how much its last state would move with each input, and how a change fades.

Vanishing gradients are due to Bengio et al. 1994 and Pascanu et al. 2013. Here they are measured, not assumed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..networks.cells import GATES, Recurrence
from ..networks.recurrent import RecurrentNetwork
from ..networks.tap import Recorder
from ..runtime.progress import InSteps, Progress, in_one_go

SEED = 0  # of the direction in which autograd is asked
TOGETHER = 4  # steps between two of which others may have their turn


@dataclass(frozen=True, eq=False)
class StateGradients:
    """Sizes of the Jacobians of the last state with respect to every input, by place in the sentence.

    The size is the Frobenius norm. x_t is the embedding as the cell reads it.

    Attributes:
        distance: `(S,)`, how many steps after a token is read the last state is left; 0 for the token read last.
        hidden: `(S,)`, |d h_N / d x_t|.
        cell: `(S,)`, |d c_N / d x_t|; None for an RNN.
        difference: largest |difference| of a product v . J_t to autograd's, for one random v of length 1, as a share
            of the largest element of any of them.
    """

    distance: np.ndarray
    hidden: np.ndarray
    cell: np.ndarray | None
    difference: float


@dataclass(frozen=True, eq=False)
class Drift:
    """How far the states are from those of the same sentence with one token replaced.

    Attributes:
        hidden: `(replaced, step)`, |h_t - h'_t| / |h_t|; both axes in the order of reading, 0 before the replaced one.
        cell: likewise of the cell state; None for an RNN.
        difference: largest |difference| of a state to the one computed for its sentence alone.
    """

    hidden: np.ndarray
    cell: np.ndarray | None
    difference: float


@torch.inference_mode()
def state_gradients_in_steps(network: RecurrentNetwork, source_ids: Sequence[int]) -> InSteps[StateGradients]:
    """Jacobians of the encoder's last state, exactly, by the chain rule from the last step to the first.

    Raises:
        ValueError: the encoder reads both ways, so that no state is the last.
    """
    encoder = _one_way(network)
    direction, count, width = encoder.directions[0], len(source_ids), encoder.width
    embedded = network.embed(network.ids(source_ids))  # (1, S, d_model)
    recorder = Recorder()
    encoder.run_tapped(embedded, recorder, "encoder")
    order = list(range(count)) if direction == "forwards" else list(reversed(range(count)))
    steps = [_quantities(recorder, f"encoder.{direction}.{place}", width) for place in order]
    weights = torch.cat(encoder.weights()[:2], dim=1)  # (gates * width, d_model + width), W beside U
    rows = width if encoder.cell == "rnn" else 2 * width  # of h_N, and of c_N below
    by_hidden = torch.eye(rows, width, device=embedded.device)  # d last / d h_t, at first t = N
    by_cell = torch.eye(rows, device=embedded.device)[:, width:] if encoder.cell == "lstm" else None
    probe = _probe(rows, embedded.device)
    sizes, products = np.zeros((2, count)), torch.zeros(count, embedded.shape[2], device=embedded.device)
    for done, (place, step) in enumerate(reversed(list(zip(order, steps, strict=True)))):
        before = steps[count - done - 2] if done < count - 1 else None
        jacobian, by_hidden, by_cell = _one_back(step, before, weights, by_hidden, by_cell)
        sizes[0, place] = float(jacobian[:width].double().norm())  # (width, d_model)
        sizes[1, place] = float(jacobian[width:].double().norm())
        products[place] = probe @ jacobian
        if done % TOGETHER == TOGETHER - 1:
            yield Progress(done + 1, count)
    distance = np.array([count - 1 - order.index(place) for place in range(count)])
    expected = _by_autograd(encoder, embedded[0, order], probe)[[order.index(place) for place in range(count)]]
    difference = float((products - expected).abs().max() / expected.abs().max())
    return StateGradients(distance, sizes[0], sizes[1] if encoder.cell == "lstm" else None, difference)


state_gradients = in_one_go(state_gradients_in_steps)


def _one_back(
    step: dict[str, Tensor],
    before: dict[str, Tensor] | None,
    weights: Tensor,
    by_hidden: Tensor,
    by_cell: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """From d last / d (h_t, c_t) to d last / d x_t and d last / d (h_(t-1), c_(t-1)).

    Args:
        step, before: quantities of this step and of the one before, `(width,)` each; None before the first.
        weights: W beside U, the rows of all gates one below the other.
        by_hidden, by_cell: `(rows, width)`.
    """
    width = by_hidden.shape[1]
    inputs = weights.shape[1] - width  # columns of W
    if by_cell is None:  # d h_t / d sum = 1 - h_t^2
        both = (by_hidden * (1 - step["hidden"] ** 2)) @ weights  # (rows, d_model + width)
        return both[:, :inputs], both[:, inputs:], None
    i, f, g, o = (step[gate] for gate in GATES)
    squashed = step["cell"].tanh()
    previous = torch.zeros_like(i) if before is None else before["cell"]
    to_cell = torch.addcmul(by_cell, by_hidden, o * (1 - squashed**2))  # (rows, width), d last / d c_t by both ways
    # what a gate's sum does to c_t, and the output gate's to h_t
    slopes = (g * i * (1 - i), previous * f * (1 - f), i * (1 - g**2))
    *inner, outer = weights.split(width)  # (width, d_model + width) each
    through_cell = slopes[0][:, None] * inner[0]
    for slope, part in zip(slopes[1:], inner[1:], strict=True):
        through_cell.addcmul_(slope[:, None], part)
    both = torch.addmm(to_cell @ through_cell, by_hidden, (squashed * o * (1 - o))[:, None] * outer)
    return both[:, :inputs], both[:, inputs:], to_cell * f


@torch.inference_mode(False)
def _by_autograd(encoder: Recurrence, read: Tensor, probe: Tensor) -> Tensor:
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
def drift(network: RecurrentNetwork, source_ids: Sequence[int], replacement: int) -> Drift:
    """Replace every token in turn and follow the states.

    Args:
        replacement: id of the token that takes the place of each; where it stands already, nothing changes.

    Raises:
        ValueError: the encoder reads both ways.
    """
    encoder = _one_way(network)
    count = len(source_ids)
    ids = network.ids(source_ids).repeat(count + 1, 1)  # (S + 1, S), the last one unchanged
    ids[range(count), range(count)] = replacement
    embedded = network.embed(ids if encoder.directions == ("forwards",) else ids.flip(1))  # in the order of reading
    if encoder.directions != ("forwards",):
        embedded = torch.cat([embedded[:count].flip(0), embedded[count:]])  # the first one replaced first
    state, found = encoder.start(count + 1, embedded), []
    for inputs in embedded.unbind(dim=1):
        state = encoder.step(inputs, state)
        found.append(state)
    hidden = torch.stack([each.hidden for each in found], dim=1)  # (S + 1, step, width)
    alone, _ = encoder.layer(embedded[-1:])
    difference = float((alone[0] - hidden[-1]).abs().max())
    cell = None if encoder.cell == "rnn" else _share(torch.stack([each.cell for each in found], dim=1))
    return Drift(_share(hidden), cell, difference)


def _share(states: Tensor) -> np.ndarray:
    """`(S + 1, step, width)` -> `(S, step)`: distance to the last sentence's states, as a share of their size."""
    distance = (states[:-1] - states[-1]).norm(dim=-1) / states[-1].norm(dim=-1)
    return distance.double().cpu().numpy()


def _one_way(network: RecurrentNetwork) -> Recurrence:
    if len(network.encoder.directions) != 1:
        raise ValueError("An encoder that reads both ways has no last state; choose one with one vector.")
    return network.encoder


def _quantities(recorder: Recorder, name: str, width: int) -> dict[str, Tensor]:
    """What one step of an encoder left, `(width,)` each."""
    names = [quantity for quantity in ("hidden", "cell", *GATES) if f"{name}.{quantity}" in recorder.tensors]
    return {quantity: recorder.tensors[f"{name}.{quantity}"][0] for quantity in names}


def _probe(rows: int, device: torch.device) -> Tensor:
    probe = torch.randn(rows, generator=torch.Generator().manual_seed(SEED))
    return (probe / probe.norm()).to(device)
