"""The seven steps against the recorded tensors, and against PyTorch's own multi-head attention."""

import numpy as np
import pytest
import torch

from model.lessons.layer_steps import STEPS, recompute_attention, record_layer_inputs
from model.tracing.kinds import KINDS, TRANSLATION, attention_module


def steps_of(network, trace, kind, layer=1, head=1):
    return recompute_attention(network, trace, record_layer_inputs(network, trace, kind, layer), kind, layer, head)


@pytest.mark.parametrize("kind", [kind.name for kind in TRANSLATION])
def test_every_step_agrees_with_the_recorded_tensor(network, trace, kind):
    steps = steps_of(network, trace, kind)
    assert tuple(steps.differences) == STEPS
    assert all(difference < 1e-5 for difference in steps.differences.values())
    np.testing.assert_array_equal(steps.weights, trace.attention(kind)[1, 1])


@pytest.mark.parametrize("kind", [kind.name for kind in TRANSLATION])
def test_a_wrong_number_in_any_step_is_detected(network, trace, kind):
    inputs = record_layer_inputs(network, trace, kind, 0)
    shifted = type(inputs)(inputs.query_input + 0.1, inputs.key_input + 0.1, inputs.sublayer_output)
    differences = recompute_attention(network, trace, shifted, kind, 0, 0).differences
    assert all(difference > 1e-4 for difference in differences.values())


@pytest.mark.parametrize("kind", [kind.name for kind in TRANSLATION])
def test_each_displayed_matrix_is_computed_from_the_ones_before(network, trace, kind):
    steps = steps_of(network, trace, kind, 0, 1)
    sources = {"query": steps.inputs.query_input, "key": steps.inputs.key_input, "value": steps.inputs.key_input}
    results = {"query": steps.queries, "key": steps.keys, "value": steps.values}
    for name, stream in sources.items():
        weight, bias = steps.projections[name]
        assert weight.shape == (16, 8)
        np.testing.assert_allclose(stream @ weight + bias, results[name], atol=1e-5)
    np.testing.assert_allclose(steps.queries @ steps.keys.T, steps.products, atol=1e-5)
    np.testing.assert_allclose(steps.products / np.sqrt(8), steps.scores, atol=1e-6)
    np.testing.assert_allclose(steps.weights @ steps.values, steps.output, atol=1e-6)
    np.testing.assert_array_equal(steps.concatenated[:, 8:], steps.output)
    weight, bias = steps.projections["output"]
    sublayer_output = steps.concatenated @ weight + bias
    np.testing.assert_allclose(sublayer_output, steps.inputs.sublayer_output, atol=1e-5)


@pytest.mark.parametrize("kind", [kind.name for kind in TRANSLATION])
def test_the_output_equals_that_of_torch(network, trace, kind):
    module = attention_module(network, KINDS[kind], 1)
    inputs = record_layer_inputs(network, trace, kind, 1)
    theirs = torch.nn.MultiheadAttention(16, 2, batch_first=True).eval()
    with torch.no_grad():
        parts = (module.query, module.key, module.value)
        theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        theirs.out_proj.weight.copy_(module.output.weight)
        theirs.out_proj.bias.copy_(module.output.bias)
        query, key = (torch.from_numpy(array)[None] for array in (inputs.query_input, inputs.key_input))
        allowed = trace.records[kind].allowed
        mask = None if allowed is None else ~torch.from_numpy(allowed)
        sublayer_output = theirs(query, key, key, attn_mask=mask, need_weights=False)[0][0]
    np.testing.assert_allclose(inputs.sublayer_output, sublayer_output.numpy(), atol=1e-5)


def test_sources_of_queries_keys_and_values(network, trace):
    encoder = record_layer_inputs(network, trace, "encoder", 1)
    np.testing.assert_array_equal(encoder.query_input, trace.encoder_stream[1])
    cross = record_layer_inputs(network, trace, "cross", 1)
    np.testing.assert_array_equal(cross.key_input, trace.encoder_stream[-1])  # the encoder's output, in every layer
    assert len(cross.query_input) == len(trace.target_ids)
    assert np.abs(cross.query_input - trace.decoder_stream[1]).max() > 0.01  # after the decoder's self-attention


def test_masked_scores_are_minus_infinity(network, trace):
    steps = steps_of(network, trace, "decoder")
    hidden = np.triu(np.ones(steps.scores.shape, bool), 1)
    np.testing.assert_array_equal(np.isneginf(steps.masked_scores), hidden)
    np.testing.assert_array_equal(
        steps_of(network, trace, "cross").masked_scores, steps_of(network, trace, "cross").scores
    )


@pytest.mark.parametrize("kind", [kind.name for kind in TRANSLATION])
def test_one_query_is_a_row_and_its_mean_the_heads_output(network, trace, kind):
    steps = steps_of(network, trace, kind)
    row = steps.one_query(2)
    np.testing.assert_allclose(row.products, steps.products[2], atol=1e-5)
    np.testing.assert_allclose(row.weights, steps.weights[2], atol=1e-6)
    np.testing.assert_allclose(row.weighted.sum(axis=0), steps.output[2], atol=1e-6)
    assert row.weights.sum() == pytest.approx(1)
    assert row.difference < 1e-6
    assert np.isneginf(row.scores).sum() == (len(row.scores) - 3 if kind == "decoder" else 0)
