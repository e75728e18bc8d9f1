"""Attention without projections: a worked example, cases where the claim fails, and the network's own vectors."""

import math

import numpy as np
import pytest

from model import RecurrentTranslator
from model.lessons.raw_attention import (
    FORMS,
    ExceedingPair,
    RawAttention,
    attends_most_to_itself,
    encoder_stages,
    encoder_states,
    self_weights,
)

# |x_1| = 1 and |x_2| = 2 in the same direction, x_3 at a right angle to both
VECTORS = np.array([[1, 0], [2, 0], [0, 3]], dtype=np.float32)


def test_products_scores_and_weights_of_three_vectors():
    raw = RawAttention(VECTORS)
    products = [[1, 2, 0], [2, 4, 0], [0, 0, 9]]
    np.testing.assert_array_equal(raw.products, products)
    np.testing.assert_array_equal(raw.scores("plain"), products)
    np.testing.assert_allclose(raw.scores("scaled"), np.array(products) / math.sqrt(2))
    np.testing.assert_allclose(raw.scores("cosine"), [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    e = np.exp([1.0, 2.0, 0.0])
    np.testing.assert_allclose(raw.weights("plain")[0], e / e.sum())
    for form in FORMS:
        np.testing.assert_allclose(raw.weights(form).sum(axis=1), 1, rtol=1e-14)
        assert raw.difference(form) < 1e-15


def test_a_short_vector_attends_most_to_a_long_one_but_not_the_reverse():
    raw = RawAttention(VECTORS)
    assert raw.exceeding() == [ExceedingPair(0, 1, own=1, other=2, query_length=1, key_length=2, cosine=1)]
    assert raw.recount_exceeding() == 1
    assert attends_most_to_itself(raw.weights()).tolist() == [False, True, True]
    assert attends_most_to_itself(raw.weights("cosine")).all()  # equally long vectors: Cauchy and Schwarz


def test_pairs_come_with_the_largest_excess_first():
    raw = RawAttention(np.array([[1, 0], [2, 0], [4, 1]], dtype=np.float32))
    assert [(pair.query, pair.key, pair.other - pair.own) for pair in raw.exceeding()] == [
        (1, 2, 4),
        (0, 2, 3),
        (0, 1, 1),
    ]
    assert raw.recount_exceeding() == 3


def test_equal_vectors_do_not_exceed_each_other():
    twice = np.tile(np.random.default_rng(0).normal(size=(1, 256)).astype(np.float32), (2, 1))
    raw = RawAttention(np.concatenate([twice, 0.5 * twice]))
    assert [(pair.query, pair.key) for pair in raw.exceeding()] == [(2, 0), (2, 1), (3, 0), (3, 1)]
    assert raw.recount_exceeding() == 4


@pytest.mark.parametrize("width", [2, 3, 64])
def test_excess_is_one_way_and_towards_the_longer_vector(width):
    random = np.random.default_rng(width)
    vectors = random.normal(size=(40, width)) * np.exp(random.normal(size=(40, 1)))
    raw = RawAttention(vectors.astype(np.float32))
    pairs = raw.exceeding()
    assert len(pairs) == raw.recount_exceeding() == raw.exceeds.sum() > 0
    assert not (raw.exceeds & raw.exceeds.T).any()
    for pair in pairs:
        assert pair.key_length * pair.cosine > pair.query_length
        assert pair.own == pytest.approx(pair.query_length**2)
        assert pair.other == pytest.approx(pair.query_length * pair.key_length * pair.cosine)


def test_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match="no form 'bilinear'; choose one of scaled, plain, cosine"):
        RawAttention(VECTORS).scores("bilinear")


def test_stages_are_the_vectors_that_the_heads_have_read(network, trace):
    stages = encoder_stages(network, trace)
    layers = network.config.n_encoder_layers
    assert len(stages) == layers + 2
    assert stages[0].heads is None and stages[-1].heads is None
    rows = network.embedding.weight[list(trace.source_ids)].detach().numpy()
    np.testing.assert_allclose(stages[0].vectors, rows * math.sqrt(network.config.d_model), rtol=1e-6)
    for layer in range(layers):
        np.testing.assert_array_equal(stages[layer + 1].vectors, trace.encoder_stream[layer])
        np.testing.assert_array_equal(stages[layer + 1].heads, trace.encoder_attention[layer])
    np.testing.assert_array_equal(stages[-1].vectors, trace.encoder_stream[-1])


def test_states_of_both_directions_are_concatenated():
    trace = RecurrentTranslator.load("lstm-dot", "cpu").trace("I want to buy a car.", target="Je")
    raw = encoder_states(trace)
    assert raw.heads is None and raw.vectors.shape == (8, 448)
    np.testing.assert_array_equal(raw.vectors[:, :224], trace.encoder["forwards"].hidden)
    np.testing.assert_array_equal(raw.vectors[:, 224:], trace.encoder["backwards"].hidden)


def test_weight_on_itself():
    weights = np.array([[[0.5, 0.5], [0.9, 0.1]]])
    assert self_weights(weights).tolist() == [[0.5, 0.1]]
    assert attends_most_to_itself(weights).tolist() == [[True, False]]
