"""Arcs of heads: one for each query of each head, to the key with the largest weight."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from views import palette
from views.svg.head_arcs import head_arcs, strongest_keys

SVG = "{http://www.w3.org/2000/svg}"
TOKENS = ("the", "<b>", "sat")
WEIGHTS = np.array([[[0.1, 0.9, 0.0], [0.2, 0.7, 0.1], [0.5, 0.25, 0.25]], [[1.0, 0, 0], [1.0, 0, 0], [0, 0, 1.0]]])


def draw(**changes):
    parts = {"queries": TOKENS, "keys": TOKENS, "weights": WEIGHTS, "theme": "light", "label": '"<', "one_line": True}
    return ElementTree.fromstring(head_arcs(**parts | changes))


def test_strongest_keys_and_their_weights():
    places, sizes = strongest_keys(WEIGHTS)
    assert places.tolist() == [[1, 1, 0], [0, 0, 2]]
    assert sizes.tolist() == [[0.9, 0.7, 0.5], [1, 1, 1]]


@pytest.mark.parametrize("one_line", [True, False])
def test_every_query_of_every_head_has_an_arc_in_the_heads_colour(one_line):
    drawing = draw(one_line=one_line)
    arcs = list(drawing.iter(f"{SVG}path"))
    assert [arc.find(f"{SVG}title").text for arc in arcs] == [
        "the attends to <b>: 0.900", "<b> attends to <b>: 0.700", "sat attends to the: 0.500",
        "the attends to the: 1.00", "<b> attends to the: 1.00", "sat attends to sat: 1.00",
    ]  # fmt: skip
    assert [arc.get("stroke") for arc in arcs] == [palette.HEADS["light"][head] for head in (0, 0, 0, 1, 1, 1)]
    texts = [text.text for text in drawing.iter(f"{SVG}text")]
    assert [text for text in texts if text not in TOKENS] == ["head 1", "0.700", "head 2", "1.00"]
    assert len([text for text in texts if text in TOKENS]) == len(TOKENS) * (1 if one_line else 2)


def test_rows_that_state_the_chosen_token_have_room_and_one_line_has_the_tokens_read():
    named = ("<s> \u2192 un", "un \u2192 chat", "chat \u2192 </s>")
    drawing = draw(queries=named, one_line=False)
    assert drawing.get("width") == str(104 + 3 * 64 * len(named[-1]) // 8 + 8)
    texts = [text.text for text in drawing.iter(f"{SVG}text")]
    assert [text for text in texts if text in named] == list(named)
    arcs = [arc.find(f"{SVG}title").text for arc in drawing.iter(f"{SVG}path")]
    assert arcs[0] == "<s> \u2192 un attends to <b>: 0.900"
    below = [text.text for text in draw(queries=named, one_line=True).iter(f"{SVG}text")]
    assert below[-3:] == list(TOKENS)


def test_a_figure_is_as_wide_as_its_longer_axis():
    keys, weights = ("a",) * 7, np.full((1, 3, 7), 1 / 7)
    assert draw(keys=keys, weights=weights, one_line=False).get("width") == str(104 + 64 * 7 + 8)
