"""Patches as arrays: vectors, the share of a map that is outlined."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from views import patch_grid


def test_a_patch_is_flattened_red_then_green_then_blue():
    patch = np.zeros((2, 2, 3))
    patch[0, 1, 0], patch[1, 0, 1], patch[1, 1, 2] = 1.0, 0.5, 0.25
    expected = [-1, 1, -1, -1, -1, -1, 0, -1, -1, -1, -1, -0.5]
    np.testing.assert_allclose(patch_grid.flattened(patch), expected)
    names = patch_grid.value_names(2)
    assert (names[1], names[6], names[11]) == (
        "red, pixel row 1, column 2",
        "green, pixel row 2, column 1",
        "blue, pixel row 2, column 2",
    )


@given(arrays(np.float32, (3, 4), elements=st.floats(0, 1, width=32)), st.floats(0, 1))
def test_the_selection_is_sufficient_and_minimal(weights, share):
    chosen = patch_grid.strongest_entries(weights, share)
    total, selected = weights.astype(float).sum(), weights.astype(float)[chosen].sum()
    assert selected >= share * total - 1.001e-6  # weights have about seven digits
    if chosen.any():
        assert selected - weights[chosen].min() < share * total
        assert weights[chosen].min() >= weights[~chosen].max(initial=0)


def test_a_small_example():
    weights = np.array([[0.1, 0.4], [0.3, 0.2]])
    assert patch_grid.strongest_entries(weights, 0.6).tolist() == [[False, True], [True, False]]
    assert not patch_grid.strongest_entries(weights, 0).any()


def test_edges_of_one_patch_and_of_two_neighbours():
    one = np.zeros((2, 3), dtype=bool)
    one[0, 1] = True
    assert set(patch_grid.outline_edges(one)) == {(0, 1, True), (1, 1, True), (0, 1, False), (0, 2, False)}
    two = one.copy()
    two[0, 2] = True
    assert len(patch_grid.outline_edges(two)) == 6
    assert len(patch_grid.outline_edges(np.ones((2, 3), dtype=bool))) == 10


@pytest.mark.parametrize("colour", [(255, 0, 0), (0, 255, 0), (9, 9, 9), (255, 255, 255)])
def test_grey_has_three_equal_channels(colour):
    grey = patch_grid.grey(np.full((1, 1, 3), colour, dtype=np.uint8))[0, 0]
    assert len(set(grey.tolist())) == 1
    assert min(colour) <= grey[0] <= max(colour)


def test_pixels_become_bytes_without_loss():
    levels = np.arange(256, dtype=np.uint8).reshape(16, 16)
    np.testing.assert_array_equal(patch_grid.as_bytes(levels.astype(np.float32) / 255), levels)
