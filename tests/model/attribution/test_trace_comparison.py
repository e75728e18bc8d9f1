"""Which tokens two sentences share, and how far attention moved."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.attribution.trace_comparison import (
    SharedPlaces,
    attention_shift,
    find_shared_places,
    merge_sequences,
    pair_sequences,
    select_shared,
)

WORDS = st.lists(st.sampled_from("abcde"), max_size=9)


def test_the_longest_run_and_then_runs_around_it():
    first, second = ["the", "cat", "sees", "a", "dog", "."], ["a", "cat", "sees", "the", "dog", "now", "."]
    assert find_shared_places(first, second) == SharedPlaces((1, 2, 4, 5), (1, 2, 4, 6))  # "the" and "a" changed sides
    assert find_shared_places(["x", "y"], ["z"]) == SharedPlaces((), ())
    assert len(find_shared_places(first, first)) == 6


@settings(max_examples=40)
@given(WORDS, WORDS)
def test_every_position_appears_once_and_in_order(first, second):
    shared = find_shared_places(first, second)
    assert [first[a] for a in shared.first] == [second[b] for b in shared.second]
    rows = merge_sequences(shared, len(first), len(second))
    assert [a for a, _ in rows if a is not None] == list(range(len(first)))
    assert [b for _, b in rows if b is not None] == list(range(len(second)))
    assert [row for row in rows if None not in row] == list(zip(shared.first, shared.second, strict=True))


def test_the_shift_is_the_share_of_attention_that_moved():
    first = np.zeros((1, 3, 2, 4), dtype=np.float32)
    first[..., 0] = 1
    second = first.copy()
    second[0, 1] = [[0, 1, 0, 0], [0, 0, 0, 1]]  # all of it
    second[0, 2, 1] = [0.5, 0.5, 0, 0]  # half of it in one of two queries
    np.testing.assert_allclose(attention_shift(first, second), [[0, 1, 0.25]])
    assert attention_shift(first[:, :, :0], second[:, :, :0]).tolist() == [[0, 0, 0]]
    assert attention_shift(first[..., :0], second[..., :0]).tolist() == [[0, 0, 0]]


def test_rows_and_columns_of_shared_positions_are_selected():
    weights = np.arange(24.0).reshape(2, 3, 4)
    assert select_shared(weights, (0, 2), (3, 1)).tolist() == [[[3, 1], [11, 9]], [[15, 13], [23, 21]]]
    assert select_shared(weights, (), (1,)).shape == (2, 0, 1)


@pytest.mark.parametrize("shared", [SharedPlaces((0,), (1,)), SharedPlaces((), ())])
def test_tokens_of_one_sequence_have_no_partner(shared):
    rows = merge_sequences(shared, 2, 2)
    assert rows == ([(None, 0), (0, 1), (1, None)] if len(shared) else [(0, None), (1, None), (None, 0), (None, 1)])


def test_columns_of_two_sequences():
    """Equal items share a column; between two matches the rest is paired in order."""
    assert pair_sequences("abcd", "axyd") == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert pair_sequences("abd", "axyd") == [(0, 0), (1, 1), (None, 2), (2, 3)]
    assert pair_sequences("ab", "b") == [(0, None), (1, 0)]
    assert pair_sequences("", "") == []
