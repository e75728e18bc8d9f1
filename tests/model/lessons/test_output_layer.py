"""Linear map and softmax: the worked rows, and the network's own logits."""

import math

import numpy as np
import pytest

from model.lessons.output_layer import check_row, recompute_output
from tests.model.traces import traced_network

# row, argmax, sum, is it a distribution
WORKED = [([0.2, 0.1, 0.1], 0, 0.4, False), ([0.4, 0.5, 0.1], 1, 1.0, True), ([0.9, 0.05, 0.05], 0, 1.0, True)]


@pytest.mark.parametrize(("values", "argmax", "total", "is_distribution"), WORKED)
def test_the_worked_rows(values, argmax, total, is_distribution):
    row = check_row(values)
    assert row.argmax == argmax
    assert row.total == pytest.approx(total)
    assert row.is_distribution is is_distribution
    assert math.fsum(row.softmax) == pytest.approx(1)
    assert max(range(3), key=row.softmax.__getitem__) == argmax
    assert row.softmax[0] / row.softmax[1] == pytest.approx(math.exp(values[0] - values[1]))


def test_a_row_with_a_negative_number_is_no_distribution():
    assert not check_row([1.5, -0.5]).is_distribution


@pytest.mark.parametrize("values", [[], [math.nan], [1.0, math.inf]])
def test_invalid_rows_are_refused(values):
    with pytest.raises(ValueError, match="at least one number"):
        check_row(values)


def test_the_softmax_of_a_row_equals_the_library_s():
    assert (
        max(check_row(np.random.default_rng(seed).normal(0, 9, 8).tolist()).difference for seed in range(200)) <= 2e-15
    )


def test_large_numbers_do_not_overflow():
    assert check_row([1e300, 0.0]).softmax == (1.0, 0.0)


def test_the_network_s_logits_are_recomputed(tokenizer):
    network, trace = traced_network(tokenizer)
    for position in range(len(trace.next_ids)):
        step = recompute_output(network, trace, position)
        assert step.difference < 1e-5
        np.testing.assert_allclose(step.logits, trace.logits[position], atol=1e-5)
        assert step.probabilities.sum() == pytest.approx(1)
        produced = trace.predictions(5)[position]
        assert step.probabilities[produced.id] == pytest.approx(produced.probability, abs=1e-6)


def test_a_wrong_vector_is_detected(tokenizer):
    network, trace = traced_network(tokenizer)
    trace.decoder_stream[-1, 0] += 0.1
    assert recompute_output(network, trace, 0).difference > 1e-2
