from __future__ import annotations

import copy
import gc

import numpy as np
import pytest
import torch

from model.causal.causal_error import CausalError
from model.classifier import VisionClassifier
from model.hub.opened_pictures import patch_trace
from model.networks.tap import Intervention
from model.open_model import open_model
from model.tracing.trace import record_trace
from tests.model.hub import tiny
from tests.model.hub.causal.live_models import live
from tests.model.hub.conftest import PICTURE
from tests.model.images import tiny_vision
from tests.model.networks import ablate_heads, tiny_network
from tests.model.random_language_model import random_model

SOURCE, TARGET = "the cat sees a dog", "le chat voit un chien"


@pytest.fixture(scope="module")
def network(tokenizer):
    return tiny_network(vocabulary_size=len(tokenizer))


@pytest.fixture(scope="module")
def ids(tokenizer):
    target = tokenizer.encode_target(TARGET)
    return tokenizer.encode_source(SOURCE), target[:-1], target[1:]


@pytest.fixture(scope="module")
def trace(network, tokenizer, ids):
    return record_trace(network, tokenizer, *ids)


def test_the_shapes_are_the_documented_ones(trace, network):
    source, target = len(trace.source_ids), len(trace.target_ids)
    layers, heads, d_k, d_model, d_ff = 2, 2, 8, 16, 64
    assert trace.encoder_attention.shape == (layers, heads, source, source)
    assert trace.decoder_attention.shape == (layers, heads, target, target)
    assert trace.cross_attention.shape == (layers, heads, target, source)
    cross = trace.records["cross"]
    assert cross.queries.shape == cross.outputs.shape == (layers, heads, target, d_k)
    assert cross.keys.shape == cross.values.shape == (layers, heads, source, d_k)
    assert cross.scores.shape == (layers, heads, target, source)
    assert trace.encoder_stream.shape == (layers + 1, source, d_model)
    assert trace.decoder_stream.shape == (layers + 1, target, d_model)
    assert trace.encoder_hidden.shape == (layers, source, d_ff)
    assert trace.logits.shape == (target, network.config.vocabulary_size)
    arrays = [trace.logits, trace.encoder_stream, cross.scores, trace.encoder_attention, trace.decoder_attention]
    assert all(array.dtype == np.float32 for array in arrays)


def test_the_tokens_match_the_axes(trace, tokenizer):
    assert trace.source_tokens[-1] == "</s>" and trace.target_tokens[0] == "<s>" and trace.next_tokens[-1] == "</s>"
    assert trace.target_tokens[1:] == trace.next_tokens[:-1]
    assert trace.axes("encoder") == (trace.source_tokens, trace.source_tokens)
    assert trace.axes("decoder") == (trace.target_tokens, trace.target_tokens)
    assert trace.axes("cross") == (trace.target_tokens, trace.source_tokens)
    assert trace.source_text == SOURCE and trace.target_text == TARGET


def test_several_sentences_are_noted(trace, network, tokenizer, ids):
    assert trace.notes == ()
    several = record_trace(network, tokenizer, tokenizer.encode_source("Ann met Dr. Lee. Where? At 5 p.m."), *ids[1:])
    assert several.notes == (
        "These are 3 sentences. The network was trained on single sentences, so later ones may be missing in the "
        "translation; give one at a time.",
    )


def test_every_token_of_an_axis_belongs_to_one_word(trace):
    queries, keys = trace.token_axes("cross")
    assert (queries.labels, keys.labels) == trace.axes("cross")
    assert [word.text for word in keys.words] == [*SOURCE.split(), "</s>"]
    assert keys.special == (False,) * (len(keys.labels) - 1) + (True,)
    assert queries.special == (True,) + (False,) * (len(queries.labels) - 1)
    assert trace.token_axes("encoder")[0] is keys


def test_the_logits_are_the_networks_own(trace, network, ids):
    source, target, _ = ids
    with torch.no_grad():
        expected = network(torch.tensor([source]), torch.tensor([target]))[0]
    assert np.abs(trace.logits - expected.numpy()).max() < 1e-5


def test_scores_and_weights_follow_from_queries_and_keys(trace):
    for record in trace.records.values():
        scores = np.einsum("lhqd,lhkd->lhqk", record.queries, record.keys) / np.sqrt(8)
        assert np.abs(scores - record.scores).max() < 1e-5
        if record.allowed is not None:
            scores = np.where(record.allowed, scores, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        assert np.abs(weights - record.weights).max() < 1e-5
        assert np.abs(np.einsum("lhqk,lhkd->lhqd", weights, record.values) - record.outputs).max() < 1e-5


def test_next_tokens_state_probability_rank_and_the_best(trace):
    shifted = trace.logits.astype(np.float64) - trace.logits.max(axis=1, keepdims=True)
    probabilities = np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True)
    for position, row in enumerate(trace.predictions(top=3)):
        assert row.id == trace.next_ids[position] and row.token == trace.next_tokens[position]
        assert row.probability == pytest.approx(probabilities[position, row.id])
        order = np.argsort(-probabilities[position])
        assert row.rank == 1 + list(order).index(row.id)
        assert [candidate.id for candidate in row.top] == order[:3].tolist()
        assert [candidate.probability for candidate in row.top] == pytest.approx(
            probabilities[position, order[:3]].tolist()
        )


def test_the_result_of_an_intervention_is_recorded(network, tokenizer, ids, trace):
    change = Intervention({"encoder.0.self.outputs": ablate_heads([1])})
    changed = record_trace(network, tokenizer, *ids, intervention=change)
    assert np.abs(changed.records["encoder"].outputs[0, 1]).max() == 0
    assert np.array_equal(changed.records["encoder"].outputs[0, 0], trace.records["encoder"].outputs[0, 0])
    assert np.abs(changed.logits - trace.logits).max() > 1e-4


def test_inputs_and_next_tokens_of_different_length_are_refused(network, tokenizer, ids):
    with pytest.raises(ValueError, match="as many next tokens"):
        record_trace(network, tokenizer, ids[0], ids[1], ids[2][:-1])


TEXT = "The quick brown fox"
PIXELS = np.random.default_rng(0).random((12, 12, 3)).astype(np.float32)


def own_language():
    model = random_model(3)
    return model, model.trace_completion("I want to go")


def own_vision():
    model = VisionClassifier(tiny_vision(3).requires_grad_(False))
    return model, model.trace(PIXELS)


def opened_text():
    model = live("llama")
    return model, model.trace(TEXT)


def opened_batch():
    model = live("llama")
    return model, model.trace([TEXT, "I want to go home"])[1]


def opened_patches():
    model = live("vit")
    return model, patch_trace(model.trace(PICTURE))


@pytest.mark.parametrize("make", [own_language, own_vision, opened_text, opened_batch, opened_patches])
def test_a_trace_has_the_lens_and_the_parts_of_a_logit_that_its_model_computes(make):
    model, trace = make()
    lens, expected = trace.logit_lens(top=2), model.logit_lens(trace, top=2)
    np.testing.assert_array_equal(lens.probabilities, expected.probabilities)
    np.testing.assert_array_equal(lens.top_ids, expected.top_ids)
    parts, expected_parts = trace.logit_attribution(1, other=0), model.logit_attribution(trace, 1, 0)
    assert parts.tables.keys() == expected_parts.tables.keys()
    for name, table in parts.tables.items():
        np.testing.assert_array_equal(table.values, expected_parts.tables[name].values)


def test_a_trace_of_our_own_network_keeps_it_and_one_of_an_opened_model_does_not():
    trace = own_vision()[1]
    gc.collect()
    assert trace.logit_lens().difference < 1e-5
    opened = open_model(tiny.network("gpt2"), reader=tiny.tokenizer())
    trace = opened.trace(TEXT)
    del opened
    gc.collect()
    with pytest.raises(CausalError, match=r"no longer in memory; open it again and call model\.logit_lens\(trace\)"):
        trace.logit_lens()


def test_a_trace_under_an_intervention_is_refused():
    model, without = own_language()
    with pytest.raises(CausalError, match="recorded under an intervention"):
        model.trace_completion("I want to go", intervention=lambda name, tensor: tensor).logit_attribution()
    with pytest.raises(CausalError, match="recorded under an intervention"):
        live("llama").trace(TEXT, intervention=lambda name, tensor: tensor).logit_lens()
    assert without.logit_lens().difference < 1e-5


@pytest.mark.parametrize("make", [own_vision, opened_text])
def test_a_copied_trace_knows_no_model(make):
    model, trace = make()
    copied = copy.deepcopy(trace)
    with pytest.raises(CausalError, match="has no link to the model that recorded it"):
        copied.logit_lens()
    np.testing.assert_array_equal(model.logit_lens(copied).probabilities, trace.logit_lens().probabilities)
