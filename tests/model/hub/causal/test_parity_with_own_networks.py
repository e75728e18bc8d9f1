"""The causal methods give the same numbers for our networks and for the same weights opened as a library's model."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers

from model.causal.activation_patching import patch
from model.causal.composition import composition, copying_scores
from model.causal.head_replacement import ablate
from model.causal.logit_attribution import attribute_logit
from model.causal.logit_lens import logit_lens
from model.causal.metrics import LogitDifference
from model.causal.own_networks import resumable
from model.causal.path_patching import path_patch
from model.causal.repeated_ids import score_heads
from model.export.gpt2 import gpt2_config, gpt2_tensors
from model.hub.causal.opened_causal import attribute_logit as attribute_opened
from model.open_model import open_model
from tests.model.causal.small_networks import small_language_network
from tests.model.hub import tiny

METRIC = LogitDifference(7, 40)
INPUTS = [(torch.tensor([ids]),) for ids in ([11, 52, 9, 140, 33], [11, 52, 201, 140, 33])]
EXACT = dict(rtol=0, atol=1e-11)


@pytest.fixture(scope="module")
def both():
    """A decoder-only network in double precision, and the same weights as an opened GPT-2."""
    own = small_language_network(vocabulary_size=tiny.VOCABULARY).double()
    network = transformers.GPT2LMHeadModel(transformers.GPT2Config(**gpt2_config(own.config))).double().eval()
    missing = network.load_state_dict(gpt2_tensors(own), strict=False)
    assert not missing.unexpected_keys
    assert missing.missing_keys == ["lm_head.weight"]
    network.tie_weights()
    return resumable(own), open_model(network, reader=tiny.tokenizer()).resumable


@pytest.mark.parametrize(
    "site",
    [
        "residual",
        "attention_output",
        "feed_forward_output",
        "head_output",
        "attention_weights",
        "queries",
        "keys",
        "values",
    ],
)
def test_patching_is_the_same(both, site):
    own, opened = (patch(network, *INPUTS, METRIC, site) for network in both)
    assert own.grid.axes == opened.grid.axes
    assert np.abs(own.effects).max() > 0.01
    np.testing.assert_allclose(opened.grid.values, own.grid.values, **EXACT)
    assert (opened.check.everything, opened.check.nothing, opened.check.effect_of_nothing) == (
        pytest.approx(0, abs=1e-12),
        pytest.approx(0, abs=1e-12),
        0,
    )


@pytest.mark.parametrize("feed_forward", ["recomputed", "frozen"])
def test_paths_are_the_same(both, feed_forward):
    own, opened = (path_patch(network, *INPUTS, METRIC, feed_forward=feed_forward) for network in both)
    assert own.count == opened.count == 12
    for name, table in own.tables.items():
        np.testing.assert_allclose(opened.tables[name].values, table.values, **EXACT)
    assert max(opened.check.recomputed, opened.check.nothing) < 1e-11


def test_the_lens_is_the_same(both):
    ids, labels = (52, 9, 140, 33, 7), tuple("abcde")
    own, opened = (logit_lens(network, INPUTS[0], ids, labels) for network in both)
    np.testing.assert_allclose(opened.probabilities, own.probabilities, **EXACT)
    np.testing.assert_array_equal(opened.top_ids, own.top_ids)
    assert opened.difference < 1e-12


def test_the_parts_of_a_logit_are_the_same(both):
    own, opened = attribute_logit(both[0], INPUTS[0], 7, 40), attribute_opened(both[1], INPUTS[0], 7, 40)
    for name, table in own.tables.items():
        np.testing.assert_allclose(opened.tables[name].values, table.values, **EXACT)
    assert abs(opened.remainder) < 1e-11


def test_matrices_of_heads_are_the_same(both):
    own, opened = (composition(network) for network in both)
    for connection, scores in own.scores.items():
        np.testing.assert_allclose(opened.scores[connection], scores, **EXACT)
    np.testing.assert_allclose(copying_scores(both[1])["decoder"], copying_scores(both[0])["decoder"], **EXACT)


def test_ablations_are_the_same(both):
    own, opened = (ablate(network, INPUTS[0], METRIC) for network in both)
    np.testing.assert_allclose(opened.effects["decoder"], own.effects["decoder"], **EXACT)
    np.testing.assert_allclose(opened.pairs, own.pairs, **EXACT)


def test_scores_on_the_same_ids_are_the_same(both, monkeypatch):
    """Special tokens differ between the tokenizers, so the ids are given."""
    monkeypatch.setattr(type(both[1]), "ordinary_ids", lambda _: both[0].ordinary_ids())
    own, opened = (score_heads(network, length=6, rows=3) for network in both)
    for name, values in own.scores["decoder"].items():
        np.testing.assert_allclose(opened.scores["decoder"][name], values, **EXACT)
