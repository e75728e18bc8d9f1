"""Embedding steps and neighbours, on tiny networks and on the shipped translator."""

import math

import numpy as np
import pytest
import torch

from model import Translator
from model.lessons.embedding import find_neighbours, recompute_embedding
from model.networks.positional import positional_table


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


def test_steps_equal_the_network_s(translator):
    network, tokenizer = translator.network, translator.tokenizer
    ids = tokenizer.encode_source("The cat saw the cat.")
    steps = recompute_embedding(network, tokenizer, ids)
    assert steps.ids == tuple(ids)
    assert steps.tokens[-1] == "</s>"
    np.testing.assert_array_equal(steps.rows, network.embedding.weight[ids].numpy())
    np.testing.assert_allclose(steps.scaled, steps.rows * math.sqrt(256), rtol=1e-6)
    np.testing.assert_allclose(steps.positions, positional_table(len(ids), 256), atol=1e-7)
    np.testing.assert_allclose(steps.embedded, network.embed(torch.tensor([ids]))[0].numpy(), atol=1e-6)
    assert steps.difference < 1e-6
    trace = translator.trace("The cat saw the cat.", "Le chat.")
    np.testing.assert_allclose(steps.recorded, trace.encoder_stream[0], atol=1e-6)


def test_one_token_has_one_row_but_two_inputs(translator):
    tokenizer = translator.tokenizer
    steps = recompute_embedding(translator.network, tokenizer, tokenizer.encode_source("cat and cat"))
    np.testing.assert_array_equal(steps.rows[0], steps.rows[2])
    assert np.abs(steps.embedded[0] - steps.embedded[2]).max() > 0.1


def test_neighbours_are_the_largest_cosines_of_the_whole_vocabulary(translator):
    network, tokenizer = translator.network, translator.tokenizer
    (token,) = tokenizer.encode("street")
    neighbours = find_neighbours(network, tokenizer, token, 10)
    table = network.embedding.weight.numpy().astype(np.float64)
    cosines = table @ table[token] / np.linalg.norm(table, axis=1) / np.linalg.norm(table[token])
    np.testing.assert_allclose(neighbours.cosines, cosines, atol=1e-6)
    assert neighbours.cosines[token] == pytest.approx(1, abs=1e-6)
    order = [id_ for id_ in np.argsort(-cosines) if id_ != token][:10]
    assert [near.id for near in neighbours.nearest] == order
    assert [near.token for near in neighbours.nearest] == tokenizer.labels(order)
    assert neighbours.token.strip() == "street"
    assert neighbours.difference < 1e-6
    assert len(neighbours.others) == len(table) - 1
    with pytest.raises(ValueError, match="no token 8000"):
        find_neighbours(network, tokenizer, len(table))
