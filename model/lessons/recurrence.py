"""Unroll a recurrent encoder: inputs and terms of each step, and a check of which tokens a state depends on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..networks.recurrent import RecurrentNetwork


@dataclass(frozen=True, eq=False)
class UnrolledEncoder:
    """An RNN's encoder step by step: h_t = tanh(W x_t + U h_(t-1) + b), Elman 1990."""

    order: tuple[int, ...]  # positions of the tokens in the order in which they are read
    difference: float  # largest |difference| of `hidden` to the states of the library's fused layer
    hidden: np.ndarray  # `(step, units)` float64, h_t; `before` likewise h_(t-1), 0 at the first step
    before: np.ndarray
    # `from_token`, `from_state`: `(step, units)`, W x_t and U h_(t-1)
    from_token: np.ndarray
    from_state: np.ndarray
    bias: np.ndarray  # `(units,)`, the sum of the library's two biases


@torch.inference_mode()
def unroll(network: RecurrentNetwork, source_ids: Sequence[int], direction: str) -> UnrolledEncoder:
    """Unroll the encoder of an RNN with one direction over a sentence.

    Args:
        source_ids: input of the encoder.
        direction: "forwards" or "backwards"; the weights are the same in the direction that it was not trained for.

    Raises:
        ValueError: the encoder is not an RNN of one direction.
    """
    encoder = network.encoder
    if encoder.cell != "rnn" or len(encoder.directions) != 1:
        raise ValueError("Only the encoder of an RNN that reads one way is unrolled here.")
    order = tuple(range(len(source_ids)))[:: 1 if direction == "forwards" else -1]
    embedded = network.embed(network.ids(source_ids))  # (1, S, d_model)
    inputs = embedded[0].cpu().double()
    # program: one-word
    w, u, b_w, b_u = (part.cpu().double() for part in encoder.weights())
    if direction == "backwards":
        inputs = inputs.flip(0)
    from_token, bias = inputs @ w.T, b_w + b_u  # (step, units), W x_t, and (units,)
    states, from_states = [torch.zeros_like(b_u)], []
    for w_x in from_token:
        from_states.append(u @ states[-1])  # U h_(t-1)
        states.append(torch.tanh(w_x + from_states[-1] + bias))
    from_state, hidden = torch.stack(from_states), torch.stack(states[1:])  # (step, units)
    # end of program
    as_trained = (direction,) == encoder.directions
    fused, _ = encoder.run(embedded if as_trained else embedded.flip(1))  # (1, S, units)
    fused = (fused if as_trained else fused.flip(1))[0, list(order)].cpu()
    arrays = (part.numpy() for part in (hidden, torch.stack(states[:-1]), from_token, from_state, bias))
    return UnrolledEncoder(order, float((hidden - fused).abs().max()), *arrays)


def first_token_left(states: UnrolledEncoder, network: RecurrentNetwork) -> np.ndarray:
    """Return for every step the size of dh_t/dx_1 as a share of its size at step 1, `(step,)`.

    A size is the Frobenius norm. dh_t/dx_1 is diag(1 - h_t^2) U dh_(t-1)/dx_1, and dh_1/dx_1 is diag(1 - h_1^2) W.
    """
    from_inputs, from_states, *_ = network.encoder.weights()
    w, u = (part.detach().double().cpu().numpy() for part in (from_inputs, from_states))
    slopes = 1 - states.hidden**2  # (step, units)
    jacobian = slopes[0][:, None] * w  # (units, d_model)
    sizes = [float(np.linalg.norm(jacobian))]
    for slope in slopes[1:]:
        jacobian = slope[:, None] * (u @ jacobian)
        sizes.append(float(np.linalg.norm(jacobian)))
    return np.array(sizes) / sizes[0]


@torch.inference_mode()
def context_difference(network: RecurrentNetwork, source_ids: Sequence[int]) -> float:
    """Check that each direction of an encoder depends on one side of the sentence only.

    For every token the forward state is recomputed from the sentence up to that token, and the backward state from the
    sentence that begins with it.

    Returns:
        The largest |difference|; 0 up to rounding if one has left context only and the other right context only.
    """
    encoder = network.encoder
    count, width = len(source_ids), encoder.width
    whole, _ = encoder.run(network.embed(network.ids(source_ids)))  # (1, S, directions x width)
    largest = 0.0
    for place, direction in enumerate(encoder.directions):
        sides = [source_ids[: t + 1] if direction == "forwards" else source_ids[t:] for t in range(count)]
        padded = torch.full((count, count), network.config.pad_id, device=network.device)
        for row, side in enumerate(sides):
            padded[row, : len(side)] = torch.tensor(side)
        states, _ = encoder.run(network.embed(padded), lengths=torch.tensor([len(side) for side in sides]))
        own = slice(place * width, (place + 1) * width)
        last = [len(side) - 1 if direction == "forwards" else 0 for side in sides]
        cut = states[torch.arange(count), last, own]  # (S, width)
        largest = max(largest, float((cut - whole[0, :, own]).abs().max()))
    return largest
