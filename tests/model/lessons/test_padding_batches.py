"""The curriculum's ragged batch, and attention on padding, which is exactly 0."""

import numpy as np
import pytest

from model.lessons.padding_batches import measure_padding_effect, pad_sequences, ragged_batch
from tests.model.networks import tiny_network

LENGTHS = (16, 5, 11, 2, 4, 5, 1, 20, 16, 14)


def test_the_worked_example():
    batch = ragged_batch(LENGTHS)
    assert batch.ids.shape == (10, 20)
    assert (batch.ids < 100).all()
    assert tuple((batch.ids != 0).sum(axis=1)) == LENGTHS
    for row, length in zip(batch.ids, LENGTHS, strict=True):
        assert (row[:length] > 0).all() and (row[length:] == 0).all()
    assert batch.padding.shape == (10, 1, 1, 20)
    np.testing.assert_array_equal(batch.padding[:, 0, 0], batch.ids != 0)


def test_the_combination_needs_both():
    batch = ragged_batch([2, 3])
    combined = batch.padding & batch.causal
    assert combined[0, 0].astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert combined[1, 0].astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_the_same_seed_gives_the_same_batch():
    np.testing.assert_array_equal(ragged_batch(LENGTHS).ids, ragged_batch(LENGTHS).ids)
    assert not np.array_equal(ragged_batch(LENGTHS).ids, ragged_batch(LENGTHS, seed=1).ids)


@pytest.mark.parametrize("lengths", [[], [3, 0]])
def test_empty_sequences_are_refused(lengths):
    with pytest.raises(ValueError, match="at least one"):
        ragged_batch(lengths)


@pytest.mark.parametrize("sequences", [[], [[1], []], [[1, 0, 2]]])
def test_sequences_that_cannot_be_padded_are_refused(sequences):
    with pytest.raises(ValueError, match="at least one|padding itself"):
        pad_sequences(sequences)


def test_attention_on_padding_is_exactly_zero():
    batch = ragged_batch(LENGTHS, vocabulary=64)
    effect = measure_padding_effect(tiny_network(), batch)
    layers, heads = effect.on_padding.shape
    assert not effect.on_padding.any()
    assert effect.masked.shape == (layers, heads, 10, 20, 20)
    hidden = np.broadcast_to(~batch.padding[:, 0], effect.masked.shape)
    assert (effect.masked[hidden] == 0).all()
    np.testing.assert_allclose(effect.masked.sum(-1), 1, atol=1e-6)
    assert effect.alone < 1e-5


def test_without_the_mask_padding_is_attended_to_and_outputs_change():
    batch = ragged_batch(LENGTHS, vocabulary=64)
    effect = measure_padding_effect(tiny_network(), batch)
    for place, share in np.ndenumerate(effect.without_mask):
        of_head = zip(effect.unmasked[place], LENGTHS, strict=True)
        spent = [row[:length, length:].sum(axis=1) for row, length in of_head]
        assert share == pytest.approx(max(float(share.max()) for share in spent), abs=1e-6)
    assert effect.without_mask[0, 1] > 0.5
    assert effect.alone_without_mask > 0.1


def test_sequences_of_equal_length_have_no_padding():
    effect = measure_padding_effect(tiny_network(), ragged_batch([4, 4], vocabulary=64))
    assert not effect.on_padding.any() and not effect.without_mask.any()
    np.testing.assert_allclose(effect.masked, effect.unmasked, atol=1e-6)
