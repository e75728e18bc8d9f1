"""The overview's payload. Its script is tested in a browser."""

import json
from dataclasses import replace

import numpy as np

from views import map_labels, palette
from views.components.attention_grid import FULL_PRECISION_BYTES, Sheet, payload


def sheet(side: int) -> Sheet:
    weights = np.random.default_rng(0).dirichlet(np.ones(side), (5, 9, side)).astype(np.float32)
    tokens = tuple(f"\u2009piece {n} é" for n in range(side))
    return Sheet(
        weights,
        map_labels.ids_with_mean(4),
        map_labels.ids_with_mean(8),
        tokens,
        tokens,
        "cross",
        "cross-attention",
        False,
        True,
        (1, 2),
    )


def read(content: bytes) -> tuple[dict, np.ndarray]:
    length = int.from_bytes(content[:4], "little")
    assert length % 4 == 0  # typed arrays start at multiples of their size
    header = json.loads(content[4 : 4 + length])
    kind = {"float32": "<f4", "float16": "<f2"}[header["type"]]
    return header, np.frombuffer(content[4 + length :], kind).reshape(header["weights"])


def test_short_sentences_are_sent_exactly():
    drawn = sheet(14)
    header, weights = read(payload(drawn, "dark"))
    assert header["type"] == "float32"
    np.testing.assert_array_equal(weights, drawn.weights)
    assert header["queries"] == [name.strip() for name in drawn.queries]
    assert header["theme"] == "dark"
    assert header["scales"]["light"] == list(palette.scale("cross", "light"))


def test_long_sentences_are_sent_in_half_precision_with_three_digits():
    drawn = sheet(130)
    content = payload(drawn, "dark")
    header, weights = read(content)
    assert header["type"] == "float16"
    assert len(content) < drawn.weights.nbytes / 2 + 20_000
    np.testing.assert_allclose(weights.astype(np.float32), drawn.weights, rtol=5e-4, atol=6e-8)
    assert sheet(3).weights.nbytes < FULL_PRECISION_BYTES < drawn.weights.nbytes


def test_selecting_another_map_does_not_change_the_payload():
    one = sheet(14)
    assert payload(one, "dark") == payload(replace(one, selected=(3, 4)), "dark")
