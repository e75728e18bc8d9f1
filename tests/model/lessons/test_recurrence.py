"""An unrolled encoder: its sums are its states, and each direction depends on one side of the sentence."""

import numpy as np
import pytest

from model import RecurrentTranslator
from model.lessons.recurrence import context_difference, unroll
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
