"""RandAugment: operations of the paper at the requested strength, determined by the draws only."""

import numpy as np
import pytest
from PIL import Image

from training.augment import GREY, OPERATIONS, rand_augment

PICTURE = Image.fromarray(np.random.default_rng(0).integers(0, 256, (32, 32, 3), dtype=np.uint8))
STEP = Image.fromarray(
    np.repeat(np.arange(0, 256, 8, dtype=np.uint8), 96).reshape(32, 32, 3)
)  # dark above, bright below


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("strength", [-1, -0.4, 0, 0.4, 1])
def test_every_operation_gives_a_picture_of_the_same_size_and_form(name, strength):
    changed = OPERATIONS[name](PICTURE, strength)
    assert (changed.size, changed.mode) == (PICTURE.size, "RGB")


@pytest.mark.parametrize("name", sorted(OPERATIONS.keys() - {"autocontrast", "equalize", "solarize", "posterize"}))
def test_without_strength_nothing_changes(name):
    np.testing.assert_array_equal(np.asarray(OPERATIONS[name](PICTURE, 0)), np.asarray(PICTURE))


@pytest.mark.parametrize("name", sorted(OPERATIONS.keys() - {"identity"}))
def test_with_strength_something_changes(name):
    picture = Image.fromarray(np.random.default_rng(1).integers(40, 200, (32, 32, 3), dtype=np.uint8))
    assert not np.array_equal(np.asarray(OPERATIONS[name](picture, 0.6)), np.asarray(picture))


def test_operations_worked_by_hand():
    values = np.asarray(STEP)[:, 0, 0].astype(int)
    np.testing.assert_array_equal(
        np.asarray(OPERATIONS["solarize"](STEP, 0.5))[:, 0, 0], np.where(values < 128, values, 255 - values)
    )
    np.testing.assert_array_equal(np.asarray(OPERATIONS["posterize"](STEP, 1))[:, 0, 0], values // 16 * 16)
    down = np.asarray(OPERATIONS["shift down"](STEP, 0.5))  # the picture moves up by 0.45 x 0.5 x 32 = 7.2 places
    assert down[10, 0, 0] == pytest.approx(values[10] + 7.2 * 8, abs=1)
    assert tuple(down[-1, 0]) == GREY
    bright = np.asarray(OPERATIONS["brightness"](STEP, 0.5))[:, 0, 0]
    np.testing.assert_allclose(bright, np.minimum(255, values * 1.45), atol=1)


def test_the_requested_number_of_operations_is_applied_and_equal_draws_give_equal_pictures():
    assert rand_augment(PICTURE, 0, 1.0, np.random.default_rng(0)) is PICTURE
    one, two = (np.asarray(rand_augment(PICTURE, 2, 0.5, np.random.default_rng(3))) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    results = {np.asarray(rand_augment(PICTURE, 1, 0.5, np.random.default_rng(seed))).tobytes() for seed in range(200)}
    signless = {"identity", "autocontrast", "equalize", "solarize", "posterize"}
    expected = {np.asarray(OPERATIONS[name](PICTURE, sign * 0.5)).tobytes() for name in OPERATIONS for sign in (1, -1)}
    assert results == expected and len(expected) <= 2 * len(OPERATIONS) - len(signless)
