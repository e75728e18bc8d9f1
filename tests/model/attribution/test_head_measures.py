"""Entropy and distance of heads whose attention is known."""

import numpy as np
import pytest

from model.attribution.head_measures import picture_measures, text_measures
from model.tracing.kinds import CROSS, DECODER, ENCODER


def heads(*maps: np.ndarray) -> np.ndarray:
    """One layer with these heads."""
    return np.stack(maps)[None].astype(np.float32)


def test_a_head_that_attends_two_tokens_back_and_one_that_attends_everywhere():
    back = np.eye(4)[[2, 3, 0, 1]]
    result = text_measures(heads(back, np.full((4, 4), 0.25)), ENCODER)
    np.testing.assert_allclose(result["distance"], [[2, 1.25]])  # (6 + 4 + 4 + 6) / 16
    np.testing.assert_allclose(result["entropy"], [[0, np.log(4)]])


def test_a_query_with_one_key_does_not_count():
    uniform = np.tril(np.ones((3, 3))) / np.arange(1, 4)[:, None]
    result = text_measures(heads(uniform), DECODER)
    assert result["entropy"][0, 0] == pytest.approx((np.log(2) + np.log(3)) / 2)
    assert result["distance"][0, 0] == pytest.approx((0.5 + 1) / 2)
    assert text_measures(heads(np.ones((1, 1))), DECODER) == {}
    assert text_measures(heads(np.ones((3, 1))), CROSS) == {}


def test_the_distance_ignores_the_share_of_a_sink():
    assert text_measures(heads(np.eye(3)[[1, 2, 1]] * 0.25), ENCODER)["distance"][0, 0] == pytest.approx(1)


@pytest.mark.parametrize("leading", [0, 1])
def test_a_picture_is_measured_in_pixels_with_cls_and_without(leading):
    opposite = np.eye(4)[::-1]  # of 2 x 2 patches
    weights = np.zeros((4 + leading, 4 + leading))
    weights[leading:, leading:] = opposite
    result = picture_measures(heads(weights), (2, 2), 8)
    assert result["distance"][0, 0] == pytest.approx(8 * np.sqrt(2))
    assert result["entropy"][0, 0] == 0
