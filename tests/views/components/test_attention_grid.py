"""The overview's payload. Its script is tested in a browser."""

from dataclasses import replace

import numpy as np

from tests.payloads import dtypes, read_payload
from views import map_labels, map_weights, palette
from views.components.attention_grid import EXACT_BYTES, Sheet, payload


def sheet(side: int) -> Sheet:
    attention = np.random.default_rng(0).dirichlet(np.ones(side), (4, 8, side)).astype(np.float32)
    tokens = tuple(f"\u2009piece {n} é" for n in range(side))
    return Sheet(
        map_weights.with_means(attention),
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


def test_short_sentences_are_sent_exactly():
    drawn = sheet(14)
    content, weights = read_payload(payload(drawn, "dark"))
    assert dtypes(content) == {"": "float32"}
    np.testing.assert_array_equal(weights[""], drawn.weights[:-1, :-1])  # the browser computes the means
    header = content | content["kinds"][""]
    assert header["queries"] == [name.strip() for name in drawn.queries]
    assert header["theme"] == "dark"
    assert header["scales"]["light"] == list(palette.scale("cross", "light"))


def test_long_sentences_are_sent_in_half_precision_with_three_digits():
    drawn = sheet(130)
    content = payload(drawn, "dark")
    header, weights = read_payload(content)
    assert dtypes(header) == {"": "float16"}
    assert len(content) < drawn.weights.nbytes / 2 + 20_000
    np.testing.assert_allclose(weights[""].astype(np.float32), drawn.weights, rtol=5e-4, atol=6e-8)
    assert sheet(3).weights.nbytes < EXACT_BYTES < drawn.weights.nbytes


def test_selecting_another_map_does_not_change_the_payload():
    one = sheet(14)
    assert payload(one, "dark") == payload(replace(one, selected=(3, 4)), "dark")
