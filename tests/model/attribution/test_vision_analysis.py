"""Analysis of weights and maps, compared with cases computed by hand."""

import numpy as np
import pytest
import torch

from model.attribution.vision_analysis import (
    attention_distance,
    distances,
    patch_embedding,
    position_similarity,
    principal_filters,
    rows_and_columns,
)
from tests.model.images import tiny_vision

ROOT2 = np.sqrt(2)


def test_attention_distance_of_a_two_by_two_grid():
    # CLS, then patches 0 1 / 2 3 of 8 pixels. Rows of patches: weights on CLS, 0, 1, 2, 3.
    head = np.array(
        [
            [1.0, 0, 0, 0, 0],
            [0.0, 1, 0, 0, 0],  # attends to itself: 0
            [0.5, 0.25, 0, 0, 0.25],  # half on the left neighbour, half on the one below: 8
            [0.2, 0, 0.8, 0, 0],  # all of what is not CLS on the opposite corner: 8 sqrt 2
            [0.0, 0.25, 0.25, 0.25, 0.25],  # everywhere alike: 8 (sqrt 2 + 1 + 1 + 0) / 4
        ]
    )
    uniform = np.full((5, 5), 0.2)
    result = attention_distance(np.stack([head, uniform])[None], (2, 2), 8)
    assert result.shape == (1, 2)
    everywhere = 8 * (2 + ROOT2) / 4
    np.testing.assert_allclose(result, [[(0 + 8 + 8 * ROOT2 + everywhere) / 4, everywhere]])


def test_a_patch_that_attends_only_to_cls_has_no_distance():
    only_cls = np.zeros((1, 1, 5, 5), dtype=np.float32)
    only_cls[..., 0] = 1
    assert attention_distance(only_cls, (2, 2), 8).item() == 0


def test_distances_of_a_grid_that_is_not_square():
    np.testing.assert_allclose(distances((1, 3)), [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    assert distances((2, 3))[0, 5] == pytest.approx(np.hypot(1, 2))


def test_position_similarity_is_the_cosine_of_the_angle():
    network = tiny_vision()
    similarity = position_similarity(network)
    assert similarity.shape == (9, 9)
    vectors = network.position_embedding[1:].detach()
    for one in range(9):
        expected = torch.nn.functional.cosine_similarity(vectors[one : one + 1], vectors, dim=1)
        np.testing.assert_allclose(similarity[one], expected, atol=1e-6)
    np.testing.assert_allclose(np.diag(similarity), 1, atol=1e-6)
    np.testing.assert_allclose(similarity, similarity.T, atol=1e-6)


def test_rows_and_columns_that_were_learned():
    rows, columns = np.divmod(np.arange(16), 4)
    similarity = 0.25 * (rows[:, None] == rows) + 0.5 * (columns[:, None] == columns)
    result = rows_and_columns(similarity, (4, 4))
    assert (result.strongest, result.strongest_apart) == (1, 1)
    assert result.same == pytest.approx(0.375)
    assert result.elsewhere == 0
    assert result.chance == pytest.approx(6 / 15)


def test_rows_and_columns_that_were_not_learned():
    rows, columns = np.divmod(np.arange(9), 3)
    opposite = -((rows[:, None] == rows) | (columns[:, None] == columns)).astype(float)
    result = rows_and_columns(opposite, (3, 3))
    assert (result.strongest, result.same, result.elsewhere) == (0, -1, 0)
    # Two away or more, in a 3 x 3 grid: a corner has 2 aligned of 5, an edge 1 of 3, the middle none at all.
    assert result.chance_apart == pytest.approx((4 * 2 / 5 + 4 * 1 / 3) / 8)


def test_principal_filters_are_orthonormal_and_their_shares_are_variances():
    network = tiny_vision()
    filters, shares = principal_filters(network, 16)
    assert filters.shape == (16, 4, 4, 3) and filters.dtype == np.float32
    flat = filters.transpose(0, 3, 1, 2).reshape(16, -1)  # colours one after another, as patches are
    weights = network.patch_embedding.weight.detach().numpy()  # (16, 48)
    centred = weights - weights.mean(axis=0)
    # Sixteen centred filters span at most fifteen directions.
    np.testing.assert_allclose((flat @ flat.T)[:15, :15], np.eye(15), atol=1e-5)
    variance = ((centred @ flat.T) ** 2).sum(axis=0) / (centred**2).sum()
    np.testing.assert_allclose(shares, variance, atol=1e-6)
    assert (np.diff(shares) <= 1e-7).all()
    assert shares.sum() == pytest.approx(1, abs=1e-5)


def test_fewer_principal_filters_are_the_first_of_all():
    network = tiny_vision()
    some, all_of_them = principal_filters(network, 3), principal_filters(network, 16)
    np.testing.assert_array_equal(some[0], all_of_them[0][:3])
    np.testing.assert_array_equal(some[1], all_of_them[1][:3])


def test_the_patch_embedding_is_the_networks_own():
    network = tiny_vision()
    weight, bias = patch_embedding(network)
    values = torch.rand(5, network.config.patch_values)
    recomputed = values.numpy() @ weight.T + bias
    np.testing.assert_allclose(recomputed, network.patch_embedding(values).detach().numpy(), atol=1e-5)
