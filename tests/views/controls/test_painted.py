"""Painted masks can be read back from the URL, and any other text is an empty mask."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from views.controls import painted


@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_a_mask_can_be_read_back(side, seed):
    changed = np.random.default_rng(seed).random((side, side)) < 0.2
    np.testing.assert_array_equal(painted.decode(painted.encode(changed), side), changed)


def test_few_cells_take_few_characters():
    changed = np.zeros((128, 128), dtype=bool)
    assert painted.encode(changed) == ""
    changed[100, 3] = True
    assert len(painted.encode(changed)) < 60


@given(st.one_of(st.none(), st.integers(), st.text(), st.text().map(lambda text: f"5-{text}")))
def test_nonsense_paints_nothing(text):
    if isinstance(text, str) and painted.decode(text, 5).any():
        assert painted.encode(painted.decode(text, 5)).startswith("5-")  # hypothesis happened to generate a mask
    assert painted.decode(text, 5).shape == (5, 5)


DAMAGED = ("4-eNpjYAAAAAIAAQ", "5-", "5-AAAA", "-5-x", "5-eNpj", "5-\u00e9")


@pytest.mark.parametrize("text", DAMAGED)
def test_masks_of_another_size_and_damaged_ones_paint_nothing(text):
    side = 5
    assert not painted.decode(text, side).any()


def test_a_small_text_cannot_unpack_into_a_large_mask():
    import base64
    import zlib

    bomb = base64.urlsafe_b64encode(zlib.compress(b"\xff" * 10_000_000)).decode()
    assert not painted.decode(f"5-{bomb}", 5).any()


@given(st.integers(1, 40), st.integers(1, 64), st.integers(0, 2**32 - 1))
def test_a_mask_of_other_patches_covers_the_same_part_of_the_picture(before, side, seed):
    changed = np.random.default_rng(seed).random((before, before)) < 0.3
    decoded = painted.decode_stretched(painted.encode(changed), side)
    middles = [min(before - 1, int((place + 0.5) / side * before)) for place in range(side)]
    np.testing.assert_array_equal(decoded, changed[np.ix_(middles, middles)])


def test_twice_as_many_patches_are_hidden_two_by_two():
    decoded = painted.decode_stretched(painted.encode(np.eye(2, dtype=bool)), 4)
    np.testing.assert_array_equal(decoded, np.kron(np.eye(2), np.ones((2, 2))).astype(bool))


@pytest.mark.parametrize("text", (*DAMAGED, None, 5, "0-x", "65-eNpj", f"{10**9}-eNpj"))
def test_text_that_is_no_mask_is_an_empty_mask(text):
    assert painted.decode_stretched(text, 5).shape == (5, 5) and not painted.decode_stretched(text, 5).any()
