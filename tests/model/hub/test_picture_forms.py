"""A picture in every form gives the answer of the picture, and numbers that may mean two things are refused."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from model import OpenError
from model.hub.picture_forms import ProcessedPixels
from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE
from tests.model.hub.tiny_pictured import build

GRID = np.asarray(PICTURE)  # (40, 48, 3) uint8
FLOATS = GRID.astype(np.float32) / 255
FIRST = FLOATS.transpose(2, 0, 1)
PROCESSED = np.asarray(tiny.processor()(images=PICTURE)["pixel_values"][0])  # (3, 32, 32), from -0.96 to 0.97

SAME = {
    "what the processor returns": lambda: tiny.processor()(images=PICTURE, return_tensors="pt"),
    "arrays of the processor": lambda: tiny.processor()(images=PICTURE),
    "dictionary, array": lambda: {"pixel_values": PROCESSED},
    "dictionary, batch of one": lambda: {"pixel_values": torch.tensor(PROCESSED)[None]},
    "dictionary, bfloat16": lambda: {"pixel_values": torch.tensor(PROCESSED).bfloat16()},
    "dictionary, numbers": lambda: {"pixel_values": PROCESSED.tolist()},
    "bytes": lambda: GRID,
    "bytes, channels first": lambda: torch.tensor(GRID).permute(2, 0, 1),
    "whole numbers": lambda: GRID.astype(np.int64),
    "floats": lambda: FLOATS,
    "floats, rounded": lambda: FLOATS * (1 + 4e-6),
    "floats, channels first": lambda: FIRST,
    "tensor, batch of one": lambda: torch.tensor(FIRST)[None],
    "half precision": lambda: torch.tensor(FIRST).half(),
    "normalisation undone": lambda: (opened_received() * 0.5 + 0.5).clip(0, 1),
}
REFUSED = {
    "normalised": (lambda: PROCESSED, r"floats of a picture .* these from -0.961 to 0.969; give bytes .*pixel_values"),
    "normalised tensor": (lambda: torch.tensor(PROCESSED)[None], "floats of a picture go from 0 to 1"),
    "positive part": (lambda: PROCESSED.clip(0) * 2, "floats of a picture go from 0 to 1, and these from 0 to 1.94"),
    "floats to 255": (lambda: GRID.astype(np.float64), "floats of a picture .* give bytes from 0 to 255 as uint8"),
    "not a number": (lambda: FLOATS * np.nan, "floats of a picture"),
    "negative": (lambda: GRID.astype(int) - 9, "whole numbers of a picture go from 0 to 255"),
    "six channels": (lambda: np.zeros((6, 32, 32), np.float32), r"not 6 x 32 x 32; .*pixel_values"),
    "batch": (lambda: np.stack([FIRST, FIRST]), "one picture at a time"),
    "list of pictures": (lambda: [PICTURE, PICTURE], "one picture at a time"),
    "list of a tensor": (lambda: [torch.tensor(FIRST)], "one picture at a time"),
    "batch of the processor": (lambda: tiny.processor()(images=[PICTURE] * 2, return_tensors="pt"), "one picture at a"),
    "dictionary, channels last": (lambda: {"pixel_values": FLOATS}, "shape 3 x height x width, and these 40 x 48 x 3"),
    "dictionary, not finite": (lambda: {"pixel_values": PROCESSED * np.inf}, "numbers that are not finite"),
    "dictionary, text": (lambda: {"pixel_values": "cat.jpg"}, "pixel_values has no numbers"),
    "row of a data set": (lambda: {"image": PICTURE, "label": 1}, "no pixel_values; give a picture"),
}  # fmt: skip


def opened_received() -> np.ndarray:
    return PROCESSED.view(ProcessedPixels)


@pytest.mark.parametrize("name", SAME)
def test_every_form_gives_the_answer_of_the_picture(name, opened):
    model, given = opened("vit"), SAME[name]()
    expected = model.trace(PICTURE)
    tolerance = 0.02 if name in ("dictionary, bfloat16", "normalisation undone") else 1e-6
    np.testing.assert_allclose(model.trace(given).logits, expected.logits, atol=tolerance)
    np.testing.assert_allclose(model.receive(given), expected.received, atol=tolerance)


@pytest.mark.parametrize("name", REFUSED)
def test_what_may_mean_two_things_is_refused_in_one_sentence(name, opened):
    model, (given, message) = opened("vit"), REFUSED[name]
    for use in (model.trace, model.receive, lambda one: model.prepare_experiment(PICTURE, one)):
        with pytest.raises(OpenError, match=message) as error:
            use(given())
        assert str(error.value).count(". ") == 0 and str(error.value).endswith(".")


def test_pixels_of_a_trace_are_traced_again_as_they_are(opened):
    model = opened("vit")
    trace = model.trace(PICTURE)
    for again in (
        trace.received,
        trace.given,
        copy.deepcopy(trace.received),
        copy.copy(trace.received),
    ):
        np.testing.assert_array_equal(model.trace(again).logits, trace.logits)
    np.testing.assert_array_equal(model.trace(model.receive(PICTURE)[None]).logits, trace.logits)
    changed = trace.received.copy()
    changed[:, :8, :8] *= 0
    changed += 1.0  # in place: numbers to 2, of the processor all the same
    assert isinstance(changed, ProcessedPixels) and type(trace.received + 1.0) is np.ndarray
    assert isinstance(trace.received.mean(), np.float32) and type(np.asarray(trace.received)) is np.ndarray
    network = tiny.network("vit")
    with torch.no_grad():
        expected = network(pixel_values=torch.from_numpy(np.asarray(changed))[None]).logits[0]
    np.testing.assert_allclose(model.trace(changed).logits, expected, atol=1e-5)
    pair = model.prepare_experiment(trace.received, changed)
    np.testing.assert_array_equal(pair.corrupt[0][0].numpy(), np.asarray(changed))


def test_causal_methods_read_arrays_as_pictures(opened):
    model = opened("vit")
    other = GRID[:, ::-1]
    expected = model.patch(PICTURE, PICTURE.transpose(0)).grid.values
    np.testing.assert_allclose(model.patch(GRID, other).grid.values, expected, atol=1e-6)
    np.testing.assert_allclose(
        model.patch(torch.tensor(FIRST), other.astype(np.float64) / 255).grid.values, expected, atol=1e-6
    )


def test_pictures_of_a_text_are_pictures_alone():
    network, processor = build("llava")
    model = open_model(network, reader=processor, device="cpu")
    expected = model.trace("The fox", picture=PICTURE).logits
    for given in (GRID, FLOATS, torch.tensor(FIRST), [GRID]):
        np.testing.assert_array_equal(model.trace("The fox", picture=given).logits, expected)
    with pytest.raises(OpenError, match=r"before it is normalised\.$"):
        model.trace("The fox", picture=PROCESSED)
    with pytest.raises(OpenError, match="given as pictures of PIL"):
        model.trace("The fox", picture={"pixel_values": PROCESSED})
    for name in ("pixel_values", "image_grid_thw", "input_features"):
        with pytest.raises(OpenError, match=f"This has {name} besides input_ids; give the text itself"):
            model.trace({"input_ids": [[5, 6]], name: PROCESSED[None]})
