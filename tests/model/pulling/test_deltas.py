"""The number that gives a key a wanted weight."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model import HeadInterventions, InterventionError, Pull
from model.pulling.deltas import ALL, REMOVED, pulled_weights, solve_delta, solve_deltas

weights = st.lists(st.floats(1e-6, 1 - 1e-6), min_size=1, max_size=8)


@given(weights, st.floats(1e-4, 1 - 1e-4))
def test_the_mean_over_heads_becomes_the_wanted_weight(old, wanted):
    delta = solve_delta(old, wanted)
    assert pulled_weights(old, delta).mean() == pytest.approx(wanted, abs=1e-6)


@given(
    st.lists(st.tuples(st.floats(1e-6, 1 - 1e-6), st.floats(1e-6, 1 - 1e-6), st.floats(0, 1)), min_size=1, max_size=9)
)
def test_keys_that_are_solved_together_get_the_numbers_of_each_alone(keys):
    together = solve_deltas([own for *own, _ in keys], [wanted for *_, wanted in keys])
    assert together == [solve_delta(own, wanted) for *own, wanted in keys]


@given(weights, st.floats(-30, 30))
def test_a_number_is_found_again_from_the_weight_that_it_gives(old, delta):
    wanted = pulled_weights(old, delta).mean()
    again = solve_delta(old, wanted) if 1e-9 < wanted < 1 - 1e-9 else delta
    assert again == pytest.approx(delta, abs=1e-4)


@given(st.lists(st.floats(-20, 20), min_size=2, max_size=9), st.floats(0.01, 0.99))
def test_it_is_the_softmax_of_the_changed_scores(scores, wanted):
    def softmax(values):
        powers = np.exp(np.array(values) - max(values))
        return powers / powers.sum()

    before = softmax(scores)
    delta = solve_delta(before[:1], wanted) if 0 < before[0] < 1 else None
    if delta is not None:
        after = softmax([scores[0] + delta, *scores[1:]])
        assert after[0] == pytest.approx(wanted, abs=1e-6)
        np.testing.assert_allclose(after[1:] / after[1:].sum(), before[1:] / before[1:].sum(), atol=1e-9)


def test_the_present_weight_needs_nothing_and_the_ends_are_limits():
    assert solve_delta([0.2, 0.5], 0.35) == pytest.approx(0, abs=1e-9)
    assert solve_delta([0.2, 0.5], 0) == REMOVED and solve_delta([0.2, 0.5], 1) == ALL
    assert pulled_weights([0.2], REMOVED) == 0 and pulled_weights([0.2], ALL) == 1


def test_the_number_can_be_saved_as_text():
    """A number of NumPy's would be written with its type."""
    pull = Pull("cross", ((0, 0),), 1, 2, solve_delta(np.array([0.2, 0.5], np.float32), 0.7))
    text = HeadInterventions((pull,)).to_text()
    assert HeadInterventions.from_text(text).changes == (pull,) and "np" not in text
    assert "np" not in HeadInterventions((replace(pull, delta=np.float64(1.5)),)).to_text()


@pytest.mark.parametrize(
    ("old", "wanted", "sentence"),
    [
        ([0.0, 0.5], 0.5, "is 0.5 whatever its score"),
        ([0.0], 0.5, "is 0 whatever its score"),
        ([1.0], 0.5, "is 1 whatever its score"),
        ([0.5], 1.5, "must be from 0 to 1"),
        ([0.5], math.nan, "must be from 0 to 1"),
    ],
)
def test_what_no_number_can_give_is_refused(old, wanted, sentence):
    with pytest.raises(InterventionError, match=sentence):
        solve_delta(old, wanted)
