"""The patch picture's payload. Its script is tested in a browser."""

import json

import numpy as np

from views import palette
from views.components.patch_picture import Panel, PatchPicture, payload

PIXELS = np.random.default_rng(0).integers(0, 256, (6, 9, 3)).astype(np.uint8)


def read(content: bytes) -> tuple[dict, np.ndarray, np.ndarray]:
    """Header, weights and picture."""
    length = int.from_bytes(content[:4], "little")
    assert length % 4 == 0  # typed arrays start at multiples of their size
    header, body = json.loads(content[4 : 4 + length]), content[4 + length :]
    count = 4 * header["weights"][0] * header["weights"][1]
    weights = np.frombuffer(body[:count], "<f4").reshape(header["weights"])
    return header, weights, np.frombuffer(body[count:], np.uint8).reshape(header["pixels"])


def shown(**changes) -> PatchPicture:
    given = dict(pixels=PIXELS, grid=(2, 3), panels=[Panel("a", "from")], title="t", selected=(1, 2))
    return PatchPicture(**{**given, **changes})


def test_weights_and_picture_travel_exactly():
    attention = np.random.default_rng(1).dirichlet(np.ones(7), 7).astype(np.float32)
    header, weights, picture = read(payload(shown(weights=attention, top=0.25, opacity=0.7, kept=0.6), "dark"))
    np.testing.assert_array_equal(weights, attention)
    np.testing.assert_array_equal(picture, PIXELS)
    assert header["grid"] == [2, 3]
    assert header["selected"] is None  # it stands in the mark
    assert header["panels"] == [{"title": "a", "shows": "from"}]
    assert (header["top"], header["opacity"], header["kept"], header["theme"]) == (0.25, 0.7, 0.6, "dark")
    assert header["scales"]["light"] == list(palette.scale("vision", "light"))


def test_a_picture_alone():
    header, weights, picture = read(payload(shown(panels=[Panel("", "nothing")]), "dark"))
    assert weights.size == 0
    assert header["top"] is None
    np.testing.assert_array_equal(picture, PIXELS)


def test_one_head_of_the_shipped_size_is_a_small_payload():
    attention = np.zeros((145, 145), dtype=np.float32)
    content = payload(shown(pixels=np.zeros((96, 96, 3), np.uint8), grid=(12, 12), weights=attention), "dark")
    assert len(content) < 120_000
