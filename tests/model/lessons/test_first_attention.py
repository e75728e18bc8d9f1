"""Recomputed attention over states: rows sum to 1 and equal those of the networks."""

from dataclasses import replace

import numpy as np
import pytest

from model import RecurrentTranslator
from model.lessons.first_attention import recompute_first_attention

TEXT = "The animal didn't cross the street because it was too tired."
with_alignment = pytest.mark.parametrize("name", ["lstm-additive", "lstm-dot"])


@pytest.fixture(scope="module")
def traces():
    return {name: RecurrentTranslator.load(name, "cpu").trace(TEXT) for name in ("lstm-additive", "lstm-dot")}


@with_alignment
def test_rows_sum_to_one_and_equal_what_the_network_used(traces, name):
    trace = traces[name]
    attention = recompute_first_attention(trace)
    steps, tokens = len(trace.next_tokens), len(trace.source_tokens)
    assert attention.weights.shape == attention.scores.shape == (steps, tokens)
    np.testing.assert_allclose(attention.weights.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(attention.weights, trace.alignment, atol=1e-5)
    np.testing.assert_allclose(attention.contexts, trace.records["cross"].outputs[0, 0], atol=1e-5)
    assert attention.difference < 1e-5 and attention.row_sum_error < 1e-6
    exponentials = attention.exponentials / attention.exponentials.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(exponentials, attention.weights, atol=1e-12)
    assert (attention.exponentials.max(axis=1) == 1).all()


@with_alignment
def test_the_query_is_the_state_before_the_step_or_after_it(traces, name):
    trace = traces[name]
    before = np.concatenate([trace.start_hidden[None], trace.decoder.hidden[:-1]])
    states = before if name == "lstm-additive" else trace.decoder.hidden
    np.testing.assert_allclose(recompute_first_attention(trace).queries, states, atol=1e-6)


@with_alignment
def test_the_states_are_those_of_both_directions(traces, name):
    trace = traces[name]
    both = np.concatenate([trace.encoder["forwards"].hidden, trace.encoder["backwards"].hidden], axis=1)
    attention = recompute_first_attention(trace)
    np.testing.assert_allclose(attention.states, both, atol=1e-6)
    np.testing.assert_allclose(attention.contexts, attention.weights @ both, atol=1e-5)


def test_wrong_records_are_detected(traces):
    trace = traces["lstm-dot"]
    record = trace.records["cross"]
    wrong = replace(trace, records={"cross": replace(record, weights=np.roll(record.weights, 1, axis=-1) * 0.9)})
    attention = recompute_first_attention(wrong)
    assert attention.difference > 0.1 and attention.row_sum_error == pytest.approx(0.1, abs=1e-3)
