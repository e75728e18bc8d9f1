import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.networks.masks import causal_mask, pad_batch, padding_mask

LENGTHS = [16, 5, 11, 2, 4, 5, 1, 20, 16, 14]  # the curriculum's ragged batch


def test_ten_ragged_sequences_are_padded_with_0_to_the_longest():
    batch = pad_batch([[7] * length for length in LENGTHS], pad_id=0)
    assert batch.shape == (10, 20)
    assert (batch != 0).sum(dim=1).tolist() == LENGTHS


def test_the_padding_mask_allows_exactly_the_real_tokens():
    mask = padding_mask(pad_batch([[7] * length for length in LENGTHS], 0), 0)
    assert mask.shape == (10, 1, 1, 20)
    assert mask.sum(dim=-1).flatten().tolist() == LENGTHS


@given(st.integers(1, 30))
def test_query_i_attends_to_keys_0_to_i(length):
    mask = causal_mask(length)[0, 0]
    for query in range(length):
        for key in range(length):
            assert mask[query, key].item() == (key <= query)


@given(st.lists(st.lists(st.integers(1, 99), max_size=12), min_size=1, max_size=8))
def test_padding_preserves_every_token(sequences):
    batch = pad_batch(sequences, 0)
    assert [[token for token in row if token] for row in batch.tolist()] == sequences


def test_an_empty_batch_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        pad_batch([], 0)
