"""Arrays and tensors in place of pictures are the picture that they hold, or are refused in one sentence."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

from model.classifier import VisionClassifier
from model.picture_arrays import picture_of
from model.sentence_check import InputError

GRID = np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8)
FORMS = {
    "uint8": GRID,
    "channels first": GRID.transpose(2, 0, 1),
    "float to 1": GRID.astype(np.float32) / 255,
    "double to 1": GRID.astype(np.float64) / 255,
    "int64": GRID.astype(np.int64),
    "uint16": GRID.astype(np.uint16) * 257,
    "batch of one": GRID[None],
    "tensor": torch.from_numpy(GRID.copy()),
    "float tensor": torch.from_numpy(GRID.transpose(2, 0, 1).astype(np.float32) / 255)[None],
    "not contiguous": GRID[:, ::-1][:, ::-1],
}


@pytest.mark.parametrize("name", FORMS)
def test_an_array_is_its_picture(name):
    np.testing.assert_array_equal(np.asarray(picture_of(FORMS[name])), GRID)


def test_grey_alpha_and_bool():
    assert picture_of(GRID[..., 0]).mode == picture_of(GRID[..., :1]).mode == "L"
    assert picture_of(np.dstack([GRID, GRID[..., :1]])).mode == "RGBA"
    assert picture_of(GRID[..., :2]).mode == "LA"
    np.testing.assert_array_equal(np.asarray(picture_of(GRID[..., 0] > 100)), (GRID[..., 0] > 100) * 255)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            GRID.astype(np.float32) / 127.5 - 1,
            r"floats of a picture go from 0 to 1, and these from -1 to 1; give bytes",
        ),
        (GRID.astype(np.float32), "from 0 to 255; give bytes from 0 to 255 as uint8, or floats from 0 to 1"),
        (GRID.astype(np.int16) + 9, "whole numbers of a picture go from 0 to 255, and these from 9 to 264"),
        (np.full((4, 4), np.nan), "and these from nan to nan"),
        (GRID[:, :, None], r"not 20 x 30 x 1 x 3; give one such array"),
        (np.zeros((0, 4, 3)), "not 0 x 4 x 3"),
        (np.zeros(5), "not 5; give"),
        (np.full((4, 4), "a"), "numbers, not str"),
    ],
)
def test_what_is_no_picture_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        picture_of(given)


def test_the_classifier_answers_as_to_the_picture():
    vision_classifier = VisionClassifier.load()
    image = Image.open("assets/samples/parachute.jpg").convert("RGB")
    expected = vision_classifier.trace(image)
    for given in (np.asarray(image), torch.from_numpy(np.asarray(image).transpose(2, 0, 1).astype(np.float32) / 255)):
        np.testing.assert_array_equal(vision_classifier.trace(given).logits, expected.logits)
    np.testing.assert_array_equal(vision_classifier.trace(expected.pixels).logits, expected.logits)
