"""Placements of vectors: their form in URLs, and the checks of URLs and of the browser's answers."""

import pytest

from views.components.vector_view import VectorPlacement, parse, valid_placement

PLANE = VectorPlacement(((2.0, 1.0), (-1.0, 2.5)), (3.0, 0.125))
SPACE = VectorPlacement(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (1.0, 2.0, 3.0), (-40, 35))


@pytest.mark.parametrize(("placed", "text"), [(PLANE, "2,1_-1,2.5_3,0.125"), (SPACE, "1,0,0_0,1,0_0,0,1_1,2,3_-40,35")])
def test_the_url_contains_the_placement(placed, text):
    assert placed.to_address() == text
    assert parse(text, placed.dimensions) == placed
    assert parse(text, 5 - placed.dimensions) is None


@pytest.mark.parametrize(
    "text", ["", "1,2", "1,2_3,4_5,nan", "1,2_3,4_5,inf", "1,2_3,4_5,21", "a", "1,2_3,4_5", "1_" * 200]
)
def test_other_texts_are_rejected(text):
    assert parse(text, 2) is None


def test_invalid_answers_are_rejected():
    sent = {"vectors": [[1, 2], [3, 4]], "point": [0.12345, -0.0], "turn": [30, 25]}
    assert valid_placement(sent, 2) == VectorPlacement(((1.0, 2.0), (3.0, 4.0)), (0.123, 0.0))
    for name, wrong in [("point", [1]), ("point", [True, 1]), ("vectors", [[1, 2]]), ("turn", [30, 5]), ("turn", "ab")]:
        assert valid_placement(sent | {name: wrong}, 2) is None
    for wrong in (None, [], {"vectors": []}, sent | {"more": 1}):
        assert valid_placement(wrong, 2) is None


def test_two_vectors_in_space():
    pair = VectorPlacement(((2.0, -1.0, 0.0), (1.0, 3.0, 1.0)), (3.0, 2.0, 1.0), (-40, 35))
    assert parse(pair.to_address(), 3, 2) == pair
    assert parse(pair.to_address(), 3) is None and parse(SPACE.to_address(), 3, 2) is None
    assert valid_placement(vars(pair), 3, 2) == pair and valid_placement(vars(pair), 3) is None
