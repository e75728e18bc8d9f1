"""Patterns of attention in pictures, counted by hand on small grids."""

import numpy as np
import pytest

from model.attribution.head_labels import DIFFUSE, PICTURES, TEXT, HeadScores, vision_scores
from model.attribution.picture_patterns import picture_patterns


def keys(cells: np.ndarray, query: int) -> list[int]:
    return np.flatnonzero(cells[query]).tolist()


def test_patterns_of_a_grid_of_three_rows_and_four_columns():
    result = picture_patterns((3, 4))
    middle = 5  # row 1, column 1
    expected = {
        "same patch": [5],
        "neighbours": [0, 1, 2, 4, 6, 8, 9, 10],
        "nearby": [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11],
        "row": [4, 6, 7],
        "column": [1, 9],
        "left": [4],
        "right": [3, 6, 7, 11],
        "above": [1],
        "below": [9],
    }
    assert {name: keys(cells, middle) for name, cells in result.items()} == expected


def test_near_is_three_patches():
    assert keys(picture_patterns((1, 6))["nearby"], 0) == [1, 2, 3]


def test_ways_exclude_each_other_and_corners_have_none():
    ways = np.stack([picture_patterns((4, 4))[name] for name in ("left", "right", "above", "below")])
    assert ways.sum(axis=0).max() == 1
    assert not ways[:, 0, 5].any()  # exactly on the diagonal


def test_similar_colour_is_the_nearest_quarter_of_the_others():
    colours = np.array([0.0, 0.1, 0.2, 0.9])  # a quarter of four is one
    pixels = np.repeat(np.repeat(colours.reshape(2, 2), 3, axis=0), 3, axis=1)[..., None].repeat(3, axis=2)
    result = picture_patterns((2, 2), pixels)["similar colour"]
    assert [keys(result, query) for query in range(4)] == [[1], [0], [1], [2]]


def test_detail_is_where_brightness_varies_most():
    pixels = np.full((8, 8, 3), 0.5)
    pixels[4:, :4] = np.indices((4, 4)).sum(axis=0)[..., None] % 2  # patch 2 is a chessboard
    result = picture_patterns((2, 2), pixels)["detail"]
    assert [keys(result, query) for query in range(4)] == [[2]] * 4


def test_without_the_picture_there_is_no_colour_and_no_detail():
    assert {"similar colour", "detail"}.isdisjoint(picture_patterns((2, 2)))


def test_a_head_that_follows_colour_gets_its_label():
    rows = np.random.default_rng(0).random((16, 16, 3))
    cells = picture_patterns((4, 4), rows)["similar colour"]
    attention = np.zeros((1, 2, 17, 17))
    attention[:, :, 0, 0] = 1
    attention[0, 0, 1:, 1:] = cells / 4
    attention[0, 1, 1:] = 1 / 17
    result = vision_scores(attention, (4, 4), rows)
    assert result.label(0, 0).name == "similar colour"
    assert result.label(0, 0).chance == pytest.approx(4 / 17)
    assert result.label(0, 1).name == DIFFUSE


def test_the_pattern_with_the_largest_ratio_to_chance_is_the_label():
    scores = {"same patch": 0.02, "nearby": 0.45, "similar colour": 0.5}
    chance = {"same patch": 0.01, "nearby": 0.15, "similar colour": 0.25}
    result = HeadScores({name: np.full((1, 1), score) for name, score in scores.items()}, chance)
    assert result.rule == PICTURES
    assert result.label(0, 0).name == "nearby"  # 3 times chance; the patch itself scores too low, though 2 times
    text = {"previous": 0.6, "start": 0.7}
    of_text = HeadScores({name: np.full((1, 1), score) for name, score in text.items()}, dict.fromkeys(text, 0.2))
    assert of_text.rule == TEXT and of_text.label(0, 0).name == "start"
