"""Positions of other models, on entries that can be done by hand."""

import math

import numpy as np
import pytest
import torch

from model.lessons.position_schemes import alibi_slope, products, scheme_matrix, spread
from model.networks.positional import positional_table


def of(scheme: str, length: int, head: int = 1, d_model: int = 64) -> np.ndarray:
    return scheme_matrix(scheme, length, head, d_model)


def test_alibi_halves_its_slope_from_head_to_head():
    assert [alibi_slope(head) for head in (1, 2, 8)] == [1 / 2, 1 / 4, 1 / 256]
    np.testing.assert_array_equal(of("alibi", 3), [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]])


def test_t5_has_single_buckets_for_near_keys_and_shared_ones_for_far_keys():
    buckets = of("t5", 300)
    assert buckets[0, :9].tolist() == [0, 17, 18, 19, 20, 21, 22, 23, 24]
    assert buckets[:9, 0].tolist() == list(range(9))
    assert (buckets[150, 0], buckets[0, 150], buckets.max()) == (15, 31, 31)


def test_t5_buckets_equal_the_library_s():
    attention = pytest.importorskip("transformers.models.t5.modeling_t5").T5Attention
    place = torch.arange(200)
    theirs = attention._relative_position_bucket(place[None] - place[:, None], True, 32, 128)
    np.testing.assert_array_equal(of("t5", 200), theirs.numpy())


def test_rotary_scores_are_cosines_of_the_distance():
    """With two dimensions one pair rotates by 1 radian a position: cos(distance) / sqrt(2)."""
    scores = of("sinusoids", 5, d_model=2)
    np.testing.assert_allclose(scores[0], np.cos(np.arange(5)) / math.sqrt(2), atol=1e-15)
    np.testing.assert_allclose(np.diagonal(of("rotary", 9)), 16 / math.sqrt(32), atol=1e-14)


def test_schemes_that_depend_on_the_distance_only():
    np.testing.assert_allclose(of("sinusoids", 20), products(positional_table(20, 64)), atol=1e-14)
    for matrix in (of("sinusoids", 20), of("t5", 20), of("alibi", 20, 4), of("rotary", 20)):
        assert spread(matrix) < 1e-12
    assert spread(np.array([[0.0, 1.0], [2.0, 0.5]])) == 0.5
    np.testing.assert_allclose(products(np.array([[3.0, 4, 0, 0], [1, 0, 0, 0]])), [[12.5, 1.5], [1.5, 0.5]])
