from dataclasses import replace

import numpy as np
import pytest

from model.tracing.trace import Verification, record_trace
from tests.model.networks import tiny_network


@pytest.fixture(scope="module")
def trace(tokenizer):
    source = tokenizer.encode_source("the cat sees a dog")
    target = tokenizer.encode_target("le chat voit un chien")
    network = tiny_network(vocabulary_size=len(tokenizer))
    return record_trace(network, tokenizer, source, target[:-1], target[1:])


def test_recorded_attention_passes(trace):
    figures = trace.verify()
    assert figures.max_difference < 1e-5
    assert figures.row_sum_error < 1e-5
    assert figures.masked_weight == 0


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_a_single_wrong_cell_is_detected(trace, kind):
    record = trace.records[kind]
    weights = record.weights.copy()
    weights[1, 0, 2, 1] += 0.01
    figures = replace(record, weights=weights).verify()
    assert figures.max_difference == pytest.approx(0.01, rel=1e-3)
    assert figures.row_sum_error == pytest.approx(0.01, rel=1e-3)


def test_swapped_heads_are_detected_although_every_row_sums_to_one(trace):
    record = trace.records["cross"]
    figures = replace(record, weights=record.weights[:, ::-1].copy()).verify()
    assert figures.row_sum_error < 1e-5
    assert figures.max_difference > 1e-3


def test_weight_on_masked_keys_is_measured(trace):
    record = trace.records["decoder"]
    weights = record.weights.copy()
    weights[0, 0, 0, 3] = 0.25
    assert replace(record, weights=weights).verify().masked_weight == 0.25


def test_wrong_head_outputs_are_detected(trace):
    record = trace.records["encoder"]
    figures = replace(record, outputs=np.zeros_like(record.outputs)).verify()
    assert figures.max_difference == pytest.approx(np.abs(record.outputs).max(), rel=1e-4)


def test_the_worst_of_several_is_the_maximum_of_each_figure():
    worst = Verification.worst([Verification(1.0, 0.0, 0.2), Verification(0.5, 0.3, 0.0)])
    assert worst == Verification(1.0, 0.3, 0.2)
