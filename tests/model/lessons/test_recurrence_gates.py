"""The gates of a layer in the order of reading, and the remaining share of a value."""

from dataclasses import replace

import numpy as np
import pytest

from model import RecurrentTranslator
from model.lessons.recurrence_gates import OPEN, SHUT, read_gates
from model.networks.recurrent_trace import record_recurrent_trace
from model.tracing.interventions import gated_layers
from tests.model.networks import tiny_recurrent

LSTMS = ("lstm-vector", "lstm-additive", "lstm-dot")
every_lstm = pytest.mark.parametrize("kind", LSTMS)


@pytest.fixture
def traced(tokenizer):
    def trace(kind: str):
        network = tiny_recurrent(kind, vocabulary_size=len(tokenizer))
        return network, record_recurrent_trace(network, tokenizer, [7, 8, 9, 3], [2, 20, 21], [20, 21, 3])

    return trace


@every_lstm
def test_steps_are_in_the_order_of_reading(traced, kind):
    network, trace = traced(kind)
    for layer in gated_layers(network.config):
        gates = read_gates(network, trace, layer)
        assert gates.difference < 1e-5
        if layer == "decoder":
            assert gates.tokens == trace.target_tokens
            np.testing.assert_array_equal(gates.record.cell, trace.decoder.cell)
            np.testing.assert_array_equal(gates.before[0], trace.start_cell)
        else:
            direction = layer.partition(".")[2]
            direction_sign = -1 if direction == "backwards" else 1
            assert gates.tokens == trace.source_tokens[::direction_sign]
            np.testing.assert_array_equal(
                gates.record.forget_gate, trace.encoder[direction].forget_gate[::direction_sign]
            )
            assert not gates.before[0].any()
        np.testing.assert_array_equal(gates.before[1:], gates.record.cell[:-1])
        fed = gates.record.input_gate * gates.record.candidate
        np.testing.assert_allclose(gates.record.forget_gate * gates.before + fed, gates.record.cell, atol=1e-6)


def test_the_remaining_share_is_the_product_of_later_forget_gates(traced):
    network, trace = traced("lstm-vector")
    gates = read_gates(network, trace, "encoder.backwards")
    forget = gates.record.forget_gate.astype(np.float64)
    for step in range(4):
        np.testing.assert_allclose(gates.remaining[step], forget[step + 1 :].prod(axis=0), rtol=1e-6)
    near = (forget > OPEN) & (gates.record.input_gate < SHUT)
    assert gates.copying == pytest.approx(near.mean())


@pytest.mark.parametrize("gate", ["input", "forget", "output"])
def test_units_are_sorted_by_the_mean_of_a_gate(traced, gate):
    gates = read_gates(*traced("lstm-dot"), "decoder")
    means = getattr(gates.record, f"{gate}_gate").mean(axis=0)[gates.order(gate)]
    assert (np.diff(means) <= 1e-6).all()
    assert gates.order("number").tolist() == list(range(12))


def test_a_wrong_record_is_detected(traced):
    network, trace = traced("lstm-vector")
    wrong = replace(trace, decoder=replace(trace.decoder, cell=trace.decoder.cell + 0.01))
    assert read_gates(network, wrong, "decoder").difference > 0.005


def test_the_formulas_hold_in_the_shipped_networks():
    for kind in LSTMS:
        model = RecurrentTranslator.load(kind, "cpu")
        trace = model.trace("She gave him the book that he had lost.")
        for layer in gated_layers(model.config):
            assert read_gates(model.network, trace, layer).difference < 1e-5
