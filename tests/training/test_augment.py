"""Random views: within their bounds, with the right labels, and determined by seed, epoch and picture only."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.augment import Augmentation, draw_example, paste_rectangle, random_view

STILL = Augmentation(smallest_crop=1, aspect=1, colour=0, mixed=0)
PICTURES = np.random.default_rng(0).integers(0, 256, (5, 32, 32, 3), dtype=np.uint8)
LABELS = np.arange(5)


def test_views_without_changes_are_the_picture_or_its_mirror_image():
    unmirrored = set()
    for seed in range(20):
        pixels = draw_example(PICTURES, LABELS, 2, 32, STILL, (seed,)).pixels
        plain = np.allclose(pixels, PICTURES[2] / 255, atol=1e-6)
        mirrored = np.allclose(pixels, PICTURES[2, :, ::-1] / 255, atol=1e-6)
        assert plain != mirrored
        unmirrored.add(plain)
    assert unmirrored == {True, False}


@given(st.integers(0, 4), st.integers(0, 10**6), st.sampled_from([8, 24, 48]))
def test_an_example_is_reproducible_and_within_bounds(index, seed, side):
    augmentation = Augmentation(mixed=0.7)
    one, two = (draw_example(PICTURES, LABELS, index, side, augmentation, (seed, 3)) for _ in range(2))
    np.testing.assert_array_equal(one.pixels, two.pixels)
    assert (one.label, one.other, one.share) == (two.label, two.other, two.share)
    assert one.pixels.shape == (side, side, 3) and one.pixels.dtype == np.float32
    assert one.pixels.min() >= 0 and one.pixels.max() <= 1
    assert one.label == index and 0 <= one.share <= 1


def test_another_epoch_gives_another_view():
    first, second = (draw_example(PICTURES, LABELS, 0, 32, Augmentation(), (1, epoch)).pixels for epoch in (0, 1))
    assert not np.allclose(first, second)


def test_the_requested_share_of_pictures_is_mixed():
    drawn = [draw_example(PICTURES, LABELS, 0, 8, Augmentation(mixed=0.5), (seed,)) for seed in range(400)]
    assert 0.42 < np.mean([example.share < 1 for example in drawn]) < 0.58
    assert all(draw_example(PICTURES, LABELS, 0, 8, STILL, (seed,)).share == 1 for seed in range(50))


def test_mixing_black_and_white_shows_the_share():
    black_and_white = np.zeros((2, 16, 16, 3), np.uint8)
    black_and_white[1] = 255
    augmentation = Augmentation(colour=0, mixed=1)
    for seed in range(60):
        example = draw_example(black_and_white, np.array([0, 1]), 0, 16, augmentation, (seed,))
        white = 1 - example.share if example.other == 1 else 0.0
        assert example.pixels.mean() == pytest.approx(white, abs=1e-5)


@given(st.integers(0, 10**6))
def test_a_pasted_rectangle_counts_by_its_area(seed):
    pasted, share = paste_rectangle(np.zeros((20, 20, 3)), np.ones((20, 20, 3)), np.random.default_rng(seed))
    assert 1 - pasted.mean() == pytest.approx(share)
    rows, columns = pasted[:, :, 0].any(axis=1), pasted[:, :, 0].any(axis=0)
    assert pasted[:, :, 0].sum() == rows.sum() * columns.sum()  # a rectangle without holes


def test_a_crop_has_at_least_the_smallest_share():
    ramp = np.tile(np.arange(64, dtype=np.uint8)[None, :, None], (64, 1, 3))
    augmentation = Augmentation(smallest_crop=0.5, aspect=1, colour=0, mixed=0)
    widths = [np.ptp(random_view(ramp, 64, augmentation, np.random.default_rng(seed))) * 255 for seed in range(100)]
    assert min(widths) > 64 * 0.5**0.5 - 3
    assert max(widths) > 55


def test_colour_changes_stay_within_their_factor():
    grey = np.full((8, 8, 3), 100, np.uint8)
    augmentation = Augmentation(colour=0.3, mixed=0)
    means = [random_view(grey, 8, augmentation, np.random.default_rng(seed)).mean() * 255 for seed in range(200)]
    assert 69 < min(means) < 75 and 125 < max(means) < 131


@pytest.mark.parametrize(
    "wrong", [dict(smallest_crop=0), dict(aspect=0.5), dict(colour=1), dict(mixed=1.1), dict(mixup_alpha=0)]
)
def test_values_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))} is "):
        Augmentation(**wrong)
