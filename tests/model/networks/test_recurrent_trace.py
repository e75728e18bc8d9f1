"""The trace of a recurrent network, and its check, which detects errors."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from model.networks.recurrent_config import VARIANTS
from model.networks.recurrent_trace import RecurrentTrace, record_recurrent_trace
from model.networks.tap import AtEveryStep, Intervention, hold_gate
from tests.model.networks import tiny_recurrent

SOURCE, TARGET, NEXT = [7, 8, 9, 10, 3], [2, 20, 21, 22], [20, 21, 22, 3]
every_kind = pytest.mark.parametrize("kind", VARIANTS)
with_alignment = pytest.mark.parametrize("kind", ["lstm-additive", "lstm-dot"])


@pytest.fixture
def traced(tokenizer):
    def trace(kind: str, intervention=None, source=SOURCE) -> RecurrentTrace:
        network = tiny_recurrent(kind, vocabulary_size=len(tokenizer))
        return record_recurrent_trace(network, tokenizer, source, TARGET, NEXT, intervention)

    return trace


@every_kind
def test_a_trace_contains_states_cells_and_gates_of_every_step(traced, kind):
    trace, lstm = traced(kind), kind.startswith("lstm")
    width = 6 if kind in ("lstm-additive", "lstm-dot") else 12
    assert list(trace.encoder) == (["forwards", "backwards"] if width == 6 else ["backwards"])
    for cells, shape in [*((cells, (5, width)) for cells in trace.encoder.values()), (trace.decoder, (4, None))]:
        computed = vars(cells)
        assert all((array is not None) == (lstm or name == "hidden") for name, array in computed.items())
        for array in computed.values():
            assert array is None or (array.dtype == np.float32 and array.shape[0] == shape[0])
            assert array is None or shape[1] in (None, array.shape[1])
    assert (trace.start_cell is None) == (not lstm)
    assert trace.encoder_embedded.shape == (5, 8) and trace.decoder_embedded.shape == (4, 8)
    assert trace.readout.shape == (4, 8) and trace.logits.shape == (4, len(trace.tokenizer))
    assert trace.source_tokens[-1] == "</s>" and trace.target_tokens[0] == "<s>"
    assert [token.id for token in trace.predictions()] == NEXT


@every_kind
def test_a_trace_equals_the_networks_results(traced, tokenizer, kind):
    trace = traced(kind)
    network = tiny_recurrent(kind, vocabulary_size=len(tokenizer))
    with torch.inference_mode():
        logits = network(torch.tensor([SOURCE]), torch.tensor([TARGET]))[0].numpy()
    assert np.abs(trace.logits - logits).max() < 1e-5
    assert np.abs(trace.readout @ network.embedding.weight.detach().numpy().T - logits).max() < 1e-5
    if "vector" in kind:
        last = trace.encoder["backwards"]  # it reads the first token last
        assert np.array_equal(trace.start_hidden, last.hidden[0])
        assert kind == "rnn-vector" or np.array_equal(trace.start_cell, last.cell[0])


@every_kind
def test_a_trace_passes_its_check(traced, kind):
    trace = traced(kind)
    assert trace.verification.keys() == {"encoder", "decoder"} | ({"cross"} if trace.records else set())
    figures = trace.verify()
    assert figures.max_difference < 1e-5 and figures.row_sum_error < 1e-6 and figures.masked_weight == 0


@with_alignment
def test_alignment_is_attention_with_one_layer_and_one_head_over_the_encoders_states(traced, kind):
    trace = traced(kind)
    record = trace.records["cross"]
    assert trace.alignment.shape == (4, 5) and record.weights.shape == (1, 1, 4, 5)
    assert np.abs(trace.alignment.sum(axis=1) - 1).max() < 1e-6 and trace.alignment.min() > 0
    states = np.concatenate([trace.encoder["forwards"].hidden, trace.encoder["backwards"].hidden], axis=1)
    assert np.array_equal(record.keys[0, 0], states) and np.array_equal(record.values[0, 0], states)
    before = np.concatenate([trace.start_hidden[None], trace.decoder.hidden[:-1]])
    expected_queries = before if kind == "lstm-additive" else trace.decoder.hidden
    assert np.array_equal(record.queries[0, 0], expected_queries)
    if kind == "lstm-dot":
        scores = expected_queries.astype(np.float64) @ states.T
    else:
        computed = record.parameters
        scores = np.array(
            [
                [computed["v"] @ np.tanh(computed["W"] @ s + computed["b"] + computed["U"] @ h) for h in states]
                for s in expected_queries
            ]
        )
    assert np.abs(scores - record.scores[0, 0]).max() < 1e-5
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert np.abs(weights - trace.alignment).max() < 1e-6
    assert np.abs(weights @ states - record.outputs[0, 0]).max() < 1e-5
    assert trace.axes("cross") == (trace.target_tokens, trace.source_tokens)


@with_alignment
@pytest.mark.parametrize("name", ["queries", "keys", "values", "weights", "outputs"])
def test_the_check_detects_altered_arrays(traced, kind, name):
    record = traced(kind).records["cross"]
    altered = getattr(record, name).copy()
    altered[0, 0, 1] = 2 - 4 * altered[0, 0, 1]
    assert record.verify().max_difference < 1e-5
    assert replace(record, **{name: altered}).verify().max_difference > 1e-3
    if name == "weights":
        assert replace(record, weights=altered).verify().row_sum_error > 0.1


@every_kind
def test_the_check_detects_states_that_the_cells_did_not_compute(traced, kind):
    moved = {"decoder.2.hidden": lambda hidden: hidden + 0.1}
    computed = traced(kind, Intervention(moved)).verification
    assert computed["decoder"].max_difference > 0.05 and computed["encoder"].max_difference < 1e-5


@every_kind
def test_a_trace_under_an_intervention_contains_its_result(traced, kind):
    tap = AtEveryStep({"decoder.output_gate": hold_gate(0)})
    plain, trace = traced(kind), traced(kind, tap)
    if kind == "rnn-vector":  # it has no gate to hold
        assert np.array_equal(plain.logits, trace.logits)
        return
    assert not trace.decoder.hidden.any() and not trace.decoder.output_gate.any()
    assert np.array_equal(plain.encoder["backwards"].hidden, trace.encoder["backwards"].hidden)
    assert np.abs(plain.logits - trace.logits).max() > 1e-3
    if kind == "lstm-vector":  # without states, every step has the same result
        assert np.ptp(trace.logits, axis=0).max() < 1e-6


def test_a_network_with_one_vector_has_no_alignment(traced):
    trace = traced("lstm-vector")
    assert trace.records == {}
    with pytest.raises(LookupError, match="one vector"):
        trace.alignment  # noqa: B018


def test_different_numbers_of_next_tokens_and_decoder_inputs_are_refused(tokenizer):
    network = tiny_recurrent("lstm-dot", vocabulary_size=len(tokenizer))
    with pytest.raises(ValueError, match="4 decoder inputs need as many"):
        record_recurrent_trace(network, tokenizer, SOURCE, TARGET, NEXT[:-1])
