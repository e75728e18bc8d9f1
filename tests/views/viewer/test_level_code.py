"""Weights that are rounded to levels and coded."""

from __future__ import annotations

import numpy as np
import pytest

from views.viewer.level_code import canonical_codes, code_lengths, encode_levels, round_to_levels, weights_of_levels
from views.viewer.payload import SentArray, pack


@pytest.mark.parametrize("levels", [200, 1000])
def test_the_second_digit_of_a_weight_is_retained(levels):
    weights = np.random.default_rng(1).dirichlet(np.full(12, 0.2), 5000)
    read = weights_of_levels(round_to_levels(weights, levels), levels)
    assert [f"{weight:.2f}" for weight in read.flat] == [f"{weight:.2f}" for weight in weights.flat]
    assert np.abs(read - weights).max() <= 1 / levels


def test_zero_and_one_stay():
    assert weights_of_levels(round_to_levels(np.array([0, 1]), 1000), 1000) == pytest.approx([1 / 3000, 1])


@pytest.mark.parametrize(
    ("counts", "lengths"),
    [([5], [1]), ([0, 3, 0], [0, 1, 0]), ([1, 1, 2, 4], [3, 3, 2, 1]), ([7, 7], [1, 1]), ([0], [0])],
)
def test_frequent_classes_have_short_codes(counts, lengths):
    assert code_lengths(np.array(counts)).tolist() == lengths


def test_no_code_begins_with_another():
    lengths = code_lengths(np.array([40, 1, 30, 7, 7, 7, 2, 0, 11]))
    codes = [f"{code:0{length}b}" for code, length in zip(canonical_codes(lengths), lengths, strict=True) if length]
    assert sum(2.0 ** -len(code) for code in codes) == 1
    assert not any(one != other and other.startswith(one) for one in codes for other in codes)


def test_bits_of_a_known_row():
    # levels 0, 0, 1, 3: classes 0, 0, 1, 2 with the codes 0, 0, 10 and 11, and the lower bit 1 of level 3
    assert encode_levels(np.array([0, 0, 1, 3], np.uint32)) == bytes([3, 1, 2, 2, 0b00101110])


def test_an_empty_array_has_no_bits():
    assert pack({}, {"x": SentArray(np.zeros((0, 3)), "levels")})[-2:] == bytes([1, 0])
