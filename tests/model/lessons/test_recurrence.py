"""An unrolled encoder: its sums are its states, and each direction depends on one side of the sentence."""

import numpy as np
import pytest
import torch

from model import RecurrentTranslator
from model.lessons.recurrence import context_difference, first_token_left, unroll
from tests.model.networks import tiny_recurrent

IDS = [7, 8, 9, 10, 3]


@pytest.mark.parametrize("reads", ["forwards", "backwards"])
@pytest.mark.parametrize("trained", ["forwards", "backwards"])
def test_every_step_is_the_sum_of_its_terms(trained, reads):
    network = tiny_recurrent("rnn-vector", reads=trained)
    unrolled = unroll(network, IDS, reads)
    assert unrolled.order == ((0, 1, 2, 3, 4) if reads == "forwards" else (4, 3, 2, 1, 0))
    np.testing.assert_allclose(unrolled.hidden, np.tanh(unrolled.from_token + unrolled.from_state + unrolled.bias))
    np.testing.assert_array_equal(unrolled.before[1:], unrolled.hidden[:-1])
    assert not unrolled.before[0].any() and not unrolled.from_state[0].any()
    assert unrolled.difference < 1e-6


def test_the_trained_direction_gives_the_states_of_the_trace():
    translator = RecurrentTranslator.load("rnn-vector", "cpu")
    trace = translator.trace("I want to buy a car.")
    unrolled = unroll(translator.network, trace.source_ids, "backwards")
    np.testing.assert_allclose(unrolled.hidden[::-1], trace.encoder["backwards"].hidden, atol=1e-5)


def test_what_is_left_of_the_first_token_is_the_size_of_its_derivative():
    network = tiny_recurrent("rnn-vector", reads="forwards").double()
    states = unroll(network, IDS, "forwards")
    left = first_token_left(states, network)
    assert left[0] == 1 and left.shape == (len(IDS),)
    cell = [part.detach() for part in network.encoder.weights()]
    inputs = network.embed(network.ids(IDS))[0].detach()

    def last_state(first: torch.Tensor) -> torch.Tensor:
        state = torch.zeros(cell[1].shape[0], dtype=torch.double)
        for step in (first, *inputs[1:]):
            state = torch.tanh(cell[0] @ step + cell[1] @ state + cell[2] + cell[3])
        return state

    def first_state(first: torch.Tensor) -> torch.Tensor:
        return torch.tanh(cell[0] @ first + cell[2] + cell[3])

    last, start = (torch.autograd.functional.jacobian(f, inputs[0]).norm() for f in (last_state, first_state))
    assert left[-1] == pytest.approx(float(last / start), rel=1e-9)


def test_other_networks_are_refused():
    for kind in ("lstm-vector", "lstm-additive"):
        with pytest.raises(ValueError, match="an RNN that reads one way"):
            unroll(tiny_recurrent(kind), IDS, "forwards")


@pytest.mark.parametrize("kind", ["rnn-vector", "lstm-vector", "lstm-additive", "lstm-dot"])
def test_a_state_depends_on_its_side_of_the_sentence_only(kind):
    assert context_difference(tiny_recurrent(kind), IDS) < 1e-6


def test_a_state_that_depends_on_the_other_side_is_detected():
    network = tiny_recurrent("lstm-dot")
    run = network.encoder.run
    network.encoder.run = lambda *args, **named: (run(*args, **named)[0] + args[0].mean(), None)
    assert context_difference(network, IDS) > 1e-3
