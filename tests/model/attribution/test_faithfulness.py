"""Deletion and insertion curves, on a network whose result can be computed by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from model.attribution.faithfulness import (
    BATCH,
    OcclusionCurves,
    average_curves,
    beats_random_orders,
    centre_order,
    class_probabilities,
    occlude,
    random_orders,
    rank_patches,
)
from tests.model.images import noise, tiny_vision

# Four patches of one pixel; the first logit is the sum over patches of brightness, the second is 0.
BRIGHTNESS = [4.0, 0.0, -2.0, 2.0]  # the mean, the colour of occluded patches, is 1


class Sum:
    """A substitute for the ViT: two classes, the logit of the first is the sum of all pixels of the red channel."""

    config = SimpleNamespace(patch_size=1)
    pictures = 0  # that passed

    def __call__(self, pixels: torch.Tensor) -> torch.Tensor:
        self.pictures += len(pixels)
        total = pixels[:, 0].sum(dim=(1, 2))  # (case,)
        return torch.stack([total, torch.zeros_like(total)], dim=1)


def picture() -> torch.Tensor:
    return torch.tensor(BRIGHTNESS).view(1, 2, 2).expand(3, 2, 2)


def sigmoid(*logits: float) -> list[float]:
    return [1 / (1 + np.exp(-logit)) for logit in logits]


def test_curves_by_hand():
    order = np.array([[0, 3, 1, 2]])
    computed = occlude(Sum(), picture(), order, points=5)[0].curves(0)
    np.testing.assert_allclose(computed.share, [0, 0.25, 0.5, 0.75, 1])
    # The sum is 4; occluding patch p adds 1 - brightness: -3, -1, +1, +3. Insertion starts at 4 and removes these.
    np.testing.assert_allclose(computed.deletion, sigmoid(4, 1, 0, 1, 4), atol=1e-7)
    np.testing.assert_allclose(computed.insertion, sigmoid(4, 7, 8, 7, 4), atol=1e-7)
    heights = sigmoid(4, 1, 0, 1, 4)
    assert computed.deletion_area == pytest.approx((heights[0] / 2 + sum(heights[1:4]) + heights[4] / 2) / 4, abs=1e-7)


def test_areas_by_hand():
    curve = OcclusionCurves(np.array([0, 0.25, 1]), np.array([1, 0.5, 0.1]), np.array([0, 0.2, 1]))
    assert curve.deletion_area == pytest.approx(0.25 * 0.75 + 0.75 * 0.3)
    assert curve.insertion_area == pytest.approx(0.25 * 0.1 + 0.75 * 0.6)


def test_curves_of_another_class():
    order = np.array([[0, 3, 1, 2]])
    (computed,) = occlude(Sum(), picture(), order)
    first, second = (computed.curves(index) for index in (0, 1))
    np.testing.assert_allclose(first.deletion + second.deletion, 1)
    np.testing.assert_allclose(first.insertion + second.insertion, 1)


def test_no_case_is_computed_twice():
    network = Sum()
    occlude(network, picture(), np.array([[0, 1, 2, 3], [3, 2, 1, 0]]), points=5)
    # Both ends, and three sets of occluded patches in each order: the reverse order adds none.
    assert network.pictures == 2 + 3 + 3
    occlude(network, picture(), np.array([[0, 1, 2, 3], [1, 0, 2, 3]]), points=5)
    assert network.pictures == 8 + 8 + 2  # only the first step of each order differs


@pytest.fixture(scope="module")
def network_and_pixels():
    """The tiny ViT and a picture of nine patches."""
    return tiny_vision(), torch.from_numpy(noise(3, 12, 12)) * 2 - 1


def test_the_ends_are_the_original_picture_and_its_mean_colour(network_and_pixels):
    network, pixels = network_and_pixels
    with torch.inference_mode():
        grey = pixels.mean(dim=(1, 2))[:, None, None].expand_as(pixels)
        plain, occluded = network(torch.stack([pixels, grey])).softmax(dim=1).numpy()
    for occlusion in occlude(network, pixels, random_orders(9, 2)):
        np.testing.assert_allclose(occlusion.deletion[[0, -1]], [plain, occluded], atol=1e-6)
        np.testing.assert_allclose(occlusion.insertion[[0, -1]], [occluded, plain], atol=1e-6)
        np.testing.assert_allclose(occlusion.deletion.sum(axis=1), 1, atol=1e-9)


@given(st.permutations(range(9)), st.integers(2, 12))
def test_insertion_is_the_reversed_deletion_of_the_reverse_order(order, points):
    network, pixels = tiny_vision(), torch.from_numpy(noise(3, 12, 12)) * 2 - 1
    forward, backward = occlude(network, pixels, np.array([order, order[::-1]]), points)
    if np.allclose(forward.share, 1 - forward.share[::-1]):  # the points lie symmetrically
        np.testing.assert_allclose(forward.insertion, backward.deletion[::-1], atol=1e-7)
        np.testing.assert_allclose(backward.insertion, forward.deletion[::-1], atol=1e-7)


def test_a_point_is_the_picture_with_the_first_patches_occluded(network_and_pixels):
    network, pixels = network_and_pixels
    order = np.random.default_rng(3).permutation(9)
    (computed,) = occlude(network, pixels, order[None], points=10)
    occluded = pixels.clone()
    for place, patch in enumerate(order):
        row, column = divmod(int(patch), 3)
        occluded[:, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4] = pixels.mean(dim=(1, 2))[:, None, None]
        with torch.inference_mode():
            expected = network(occluded[None]).softmax(dim=1)[0].numpy()
        np.testing.assert_allclose(computed.deletion[place + 1], expected, atol=1e-6)


def test_many_cases_are_the_same_as_one_at_a_time(network_and_pixels):
    network, pixels = network_and_pixels
    occluded = torch.rand(BATCH + 3, 9, generator=torch.Generator().manual_seed(0)) < 0.5
    batched = class_probabilities(network, pixels, occluded)
    single = np.concatenate([class_probabilities(network, pixels, case[None]) for case in occluded])
    np.testing.assert_allclose(batched, single, atol=1e-6)


@pytest.mark.parametrize("orders", [[[0, 0, 1, 2]], [[0, 1, 2]], [0, 1, 2, 3], [[1, 2, 3, 4]]])
def test_invalid_orders_are_refused(orders):
    with pytest.raises(ValueError, match="every patch from 0 to 3 once"):
        occlude(Sum(), picture(), np.array(orders))


def test_one_point_is_no_curve():
    with pytest.raises(ValueError, match="not 1 points"):
        occlude(Sum(), picture(), np.array([[0, 1, 2, 3]]), points=1)


def test_order_of_scores():
    np.testing.assert_array_equal(rank_patches(np.array([0.1, 0.5, 0.5, 0.9])), [3, 1, 2, 0])


@pytest.mark.parametrize(
    ("grid", "order"),
    [
        ((1, 1), [0]),
        ((1, 4), [1, 2, 0, 3]),
        ((3, 3), [4, 1, 3, 5, 7, 0, 2, 6, 8]),
        ((2, 4), [1, 2, 5, 6, 0, 3, 4, 7]),
        ((5, 1), [2, 1, 3, 0, 4]),
    ],
)
def test_the_centre_first_goes_outwards_and_equal_distances_row_by_row(grid, order):
    np.testing.assert_array_equal(centre_order(grid), order)


@given(st.integers(1, 20), st.integers(1, 20))
def test_distances_to_the_centre_never_fall(rows, columns):
    order = centre_order((rows, columns))
    assert sorted(order) == list(range(rows * columns))
    row, column = np.divmod(order, columns)
    apart = np.hypot(row - (rows - 1) / 2, column - (columns - 1) / 2)
    assert (np.diff(apart) >= -1e-12).all()


def test_random_orders_come_with_their_reverses():
    orders = random_orders(20, 3, seed=5)
    assert orders.shape == (6, 20)
    np.testing.assert_array_equal(np.sort(orders, axis=1), np.tile(np.arange(20), (6, 1)))
    np.testing.assert_array_equal(orders[::2, ::-1], orders[1::2])
    np.testing.assert_array_equal(orders, random_orders(20, 3, seed=5))
    assert (orders != random_orders(20, 3, seed=6)).any()


def test_the_mean_contains_its_parts():
    share = np.array([0, 0.5, 1])
    parts = [OcclusionCurves(share, share, 1 - share), OcclusionCurves(share, share**2, share)]
    mean = average_curves(parts)
    np.testing.assert_allclose(mean.deletion, [0, 0.375, 1])
    assert mean.deletion_area == pytest.approx(np.mean([part.deletion_area for part in parts]))
    assert mean.insertion_area == pytest.approx(np.mean([part.insertion_area for part in parts]))
    assert mean.parts == tuple(parts)


def test_beating_chance_means_below_every_random_order():
    share = np.array([0.0, 1.0])

    def constant_curves(area: float) -> OcclusionCurves:
        return OcclusionCurves(share, np.full(2, area), np.full(2, area))

    chance = average_curves([constant_curves(0.4), constant_curves(0.6)])
    assert chance.deletion_area == pytest.approx(0.5)
    assert beats_random_orders(constant_curves(0.39), chance)
    assert not beats_random_orders(constant_curves(0.41), chance)  # below the mean, yet not below every one
