"""Scores and labels on maps drawn by hand."""

import numpy as np
import pytest

from model.attribution.head_labels import (
    DIFFUSE,
    MIXED,
    PICTURES,
    TEXT,
    HeadScores,
    most_focused_head,
    picture_patterns,
    text_scores,
    vision_scores,
)
from model.tracing.kinds import CROSS, DECODER, KINDS

SIDE = 4


def shifted_attention(step: int, side: int = SIDE) -> np.ndarray:
    """All weight `step` keys from the query; on the query itself if there is no such key."""
    map_ = np.zeros((side, side))
    for query in range(side):
        key = query + step
        map_[query, key if 0 <= key < side else query] = 1
    return map_


def column(key: int) -> np.ndarray:
    map_ = np.zeros((SIDE, SIDE))
    map_[:, key] = 1
    return map_


def scores_of(map_: np.ndarray, kind: str = "encoder", queries=(5, 6, 7, 3), keys=(5, 6, 7, 3), links=None):
    return text_scores(map_[None, None].astype(np.float32), KINDS[kind], queries, keys, links)


@pytest.mark.parametrize(
    ("name", "map_"),
    [
        ("previous", shifted_attention(-1)),
        ("next", shifted_attention(1)),
        ("same", shifted_attention(0)),
        ("start", column(0)),
        ("end", column(3)),
    ],
)
def test_a_pure_pattern_scores_one_and_gets_its_label(name, map_):
    result = scores_of(map_)
    assert result.scores[name][0, 0] == 1
    assert result.scores[DIFFUSE][0, 0] == 0
    label = result.label(0, 0)
    assert (label.name, label.pattern, label.score) == (name, name, 1)


def test_scores_are_means_over_the_queries_that_have_such_a_key():
    map_ = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1], [0.1, 0.6, 0.2, 0.1], [0, 0.25, 0.5, 0.25]])
    result = scores_of(map_)
    assert result.scores["previous"][0, 0] == pytest.approx((0.4 + 0.6 + 0.5) / 3)
    assert result.scores["next"][0, 0] == pytest.approx((0.2 + 0.2 + 0.1) / 3)
    assert result.scores["same"][0, 0] == pytest.approx((0.1 + 0.3 + 0.2 + 0.25) / 4)
    assert result.scores["start"][0, 0] == pytest.approx((0.1 + 0.4 + 0.1 + 0) / 4)
    assert result.scores["end"][0, 0] == pytest.approx((0.4 + 0.1 + 0.1 + 0.25) / 4)
    assert "duplicate" not in result.scores  # no token occurs twice
    assert all(result.chance[name] == 0.25 for name in ("previous", "next", "same", "start", "end"))


def test_uniform_attention_has_chance_scores_and_is_diffuse():
    for kind in ("encoder", "decoder", "cross"):
        allowed = np.tril(np.ones((SIDE, SIDE))) if kind == "decoder" else np.ones((SIDE, SIDE))
        links = np.eye(SIDE, dtype=bool)
        result = scores_of(allowed / allowed.sum(axis=1, keepdims=True), kind, (5, 6, 5, 3), (5, 6, 5, 3), links)
        for name in result.scores:
            assert result.scores[name][0, 0] == pytest.approx(result.chance[name], abs=1e-7), name
        assert result.label(0, 0).name == DIFFUSE


def test_the_decoders_scores_exclude_the_query_with_one_key():
    result = scores_of(shifted_attention(-1), "decoder")
    assert result.scores["previous"][0, 0] == 1
    assert result.scores["same"][0, 0] == 0  # the first query can only attend to itself: it does not count
    assert result.scores["start"][0, 0] == pytest.approx(1 / 3)  # of the queries 1, 2, 3 only 1 attends to the first
    assert result.chance["previous"] == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
    assert not {"next", "end", "aligned"} & result.scores.keys()


def test_duplicates_are_other_positions_with_the_same_token():
    map_ = np.array([[0.2, 0, 0.7, 0.1], [1, 0, 0, 0], [0.3, 0.1, 0.6, 0], [0, 0, 0, 1]])
    result = scores_of(map_, queries=(5, 6, 5, 3), keys=(5, 6, 5, 3))
    assert result.scores["duplicate"][0, 0] == pytest.approx((0.7 + 0.3) / 2)
    assert result.chance["duplicate"] == 0.25
    causal = np.tril(np.ones((4, 4))) * np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0.9, 0, 0.1, 0], [0, 0, 0, 1]])
    result = scores_of(causal, "decoder", (5, 6, 5, 3), (5, 6, 5, 3))
    assert result.scores["duplicate"][0, 0] == pytest.approx(0.9)  # only the later of the two can attend to the other


def test_alignment_is_of_the_token_that_is_generated_or_was_read():
    links = np.array([[1, 0, 0], [0, 0, 0], [0, 1, 1], [0, 0, 0]], dtype=bool)  # generated tokens 0 and 2 are linked
    map_ = np.array([[0.8, 0.1, 0.1], [0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0, 0.9, 0.1]])
    result = text_scores(map_[None, None], CROSS, (2, 11, 12, 13), (5, 6, 3), links)
    assert result.scores["aligned"][0, 0] == pytest.approx((0.8 + (0.3 + 0.5)) / 2)
    assert result.scores["aligned, read"][0, 0] == pytest.approx((0.5 + (0.9 + 0.1)) / 2)
    assert result.chance["aligned"] == pytest.approx((1 / 3 + 2 / 3) / 2)
    unknown = text_scores(map_[None, None], CROSS, (2, 11, 12, 13), (5, 6, 3), None)
    assert not {"aligned", "aligned, read", "duplicate"} & unknown.scores.keys()


def test_the_normalised_entropy():
    map_ = np.array([[0.5, 0.5, 0, 0], [1, 0, 0, 0], [0.25] * 4, [0.5, 0, 0, 0.5]])
    assert scores_of(map_).scores[DIFFUSE][0, 0] == pytest.approx((0.5 + 0 + 1 + 0.5) / 4)


def test_a_sentence_of_one_token_has_no_scores_and_is_mixed():
    result = text_scores(np.ones((1, 1, 1, 1)), DECODER, (2,), (2,))
    assert result.scores == {}
    assert result.label(0, 0).name == MIXED


@pytest.mark.parametrize(
    ("scores", "chance", "name", "pattern"),
    [
        ({"previous": 0.5, "start": 0.4}, {"previous": 0.1, "start": 0.1}, "previous", "previous"),
        ({"previous": 0.49, DIFFUSE: 0.7}, {"previous": 0.1}, MIXED, "previous"),
        ({"previous": 0.6, "same": 0.7}, {"previous": 0.1, "same": 0.1}, "same", "same"),
        ({"previous": 0.6, "same": 0.7}, {"previous": 0.1, "same": 0.4}, "previous", "previous"),  # 0.7 < 2 x 0.4
        ({"previous": 0.3, DIFFUSE: 0.8}, {"previous": 0.3}, DIFFUSE, DIFFUSE),
    ],
)
def test_the_labelling_rule(scores, chance, name, pattern):
    tables = {name: np.full((1, 1), score) for name, score in scores.items()}
    label = HeadScores(tables, chance | {DIFFUSE: 1.0}).label(0, 0)
    assert (label.name, label.pattern, label.score) == (name, pattern, scores[pattern])


def test_the_patterns_of_a_vit():
    """A grid of 3 x 3, patch 4 in the middle; queries are the nine patches."""
    attention = np.zeros((1, 6, 10, 10))
    attention[:, :, 0, 0] = 1  # CLS does not count as a query
    for patch in range(9):
        row, place = divmod(patch, 3)
        near = [
            1 + other
            for other in range(9)
            if other != patch and abs(other // 3 - row) <= 1 and abs(other % 3 - place) <= 1
        ]
        attention[0, 0, 1 + patch, 1 + patch] = 1
        attention[0, 1, 1 + patch, near] = 1 / len(near)
        attention[0, 2, 1 + patch, [1 + 3 * row + (place + 1) % 3]] = 1
        attention[0, 3, 1 + patch, [1 + 3 * ((row + 1) % 3) + place]] = 1
        attention[0, 4, 1 + patch, 0] = 1
        attention[0, 5, 1 + patch, :] = 0.1
    result = vision_scores(attention, (3, 3))
    names = ["same patch", "neighbours", "row", "column", "CLS"]
    for head, name in enumerate(names):
        assert result.scores[name][0, head] == pytest.approx(1)
        assert result.label(0, head).name == name
    assert result.label(0, 5).name == DIFFUSE
    assert result.scores["row"][0, 5] == pytest.approx(0.2) == result.chance["row"]
    assert result.chance["neighbours"] == pytest.approx((4 * 3 + 4 * 5 + 8) / 9 / 10)
    assert result.scores["same patch"][0, 4] == 0


def test_the_most_focused_head_of_a_label():
    """Of the heads with the label, the one with the lowest mean entropy; without any, the largest score."""
    links = np.eye(SIDE, dtype=bool)
    sharp, blunt = shifted_attention(0), 0.7 * shifted_attention(0) + 0.1
    sharper_but_other = column(2)
    weights = np.stack([[blunt, sharper_but_other], [sharp, blunt]]).astype(np.float32)
    scores = text_scores(weights, KINDS["cross"], (5, 6, 7, 3), (5, 6, 7, 3), links)
    assert most_focused_head(weights, scores, "aligned") == (1, 0)
    assert most_focused_head(
        weights[:1], text_scores(weights[:1], KINDS["cross"], (5,) * 4, (5,) * 4, links), "aligned"
    ) == (0, 0)
    others = np.stack([[column(2), column(3) * 0.9 + 0.025]]).astype(np.float32)
    unlabelled = text_scores(others, KINDS["cross"], (5,) * 4, (5,) * 4, links)
    assert most_focused_head(others, unlabelled, "aligned") == (0, int(unlabelled.scores["aligned"][0].argmax()))
    without = text_scores(weights, KINDS["cross"], (5,) * 4, (5,) * 4)
    assert most_focused_head(weights, without, "aligned") is None


IDS = (5, 6, 5, 6, 7, 3)  # tokens 0 and 2, and 1 and 3, are equal
LINKS = np.zeros((6, 6), dtype=bool)
LINKS[[0, 1, 2, 4], [4, 2, 5, 1]] = True  # of the token generated at a row
READ = np.concatenate([np.zeros((1, 6), dtype=bool), LINKS[:-1]])
ROWS, COLUMNS = np.indices((6, 6))
# label -> kind of attention, and the cells that a head with this label attends to
OF_TEXT = {
    "previous": ("encoder", COLUMNS == ROWS - 1),
    "next": ("encoder", COLUMNS == ROWS + 1),
    "same": ("encoder", COLUMNS == ROWS),
    "start": ("encoder", COLUMNS == 0),
    "end": ("encoder", COLUMNS == 5),
    "duplicate": ("encoder", (np.array(IDS)[:, None] == np.array(IDS)) & (ROWS != COLUMNS)),
    "aligned": ("cross", LINKS),
    "aligned, read": ("cross", READ),
}
GRID = (6, 6)
PIXELS = np.random.default_rng(1).random((24, 24, 3))
OF_PICTURES = picture_patterns(GRID, PIXELS)


def attention_to(cells: np.ndarray, share: float = 1.0) -> np.ndarray:
    """A share of the attention evenly on these cells, the rest on the others; a row without one is even."""
    weights = np.full(cells.shape, 1 / cells.shape[1])
    for row, inside in enumerate(cells):
        if 0 < inside.sum() < len(inside):
            weights[row] = np.where(inside, share / inside.sum(), (1 - share) / (~inside).sum())
    return weights


@pytest.mark.parametrize("name", OF_TEXT)
def test_only_a_head_of_text_that_attends_there_gets_the_label(name: str):
    kind, cells = OF_TEXT[name]
    for share, expected in ((1.0, True), (0.8, True), (0.0, False)):
        label = scores_of(attention_to(cells, share), kind, IDS, IDS, LINKS if kind == "cross" else None).label(0, 0)
        assert (label.name == name) == expected, (share, label)


@pytest.mark.parametrize("name", [*OF_PICTURES, "CLS"])
def test_only_a_head_of_pictures_that_attends_there_gets_the_label(name: str):
    cells = np.concatenate(
        [np.zeros((36, 1), dtype=bool), OF_PICTURES.get(name, np.zeros((36, 36), dtype=bool))], axis=1
    )
    cells[:, 0] = name == "CLS"
    for share, expected in ((1.0, True), (0.8, True), (0.0, False)):
        attention = np.zeros((1, 1, 37, 37))
        attention[0, 0, 0, 0], attention[0, 0, 1:] = 1, attention_to(cells, share)
        label = vision_scores(attention, GRID, PIXELS).label(0, 0)
        assert (label.name == name) == expected, (share, label)


def test_every_label_has_a_head_that_gets_it_and_one_that_does_not():
    of_text = [
        text_scores(np.full((1, 1, 6, 6), 1 / 6), KINDS[kind], IDS, IDS, LINKS).scores for kind in ("encoder", "cross")
    ]
    of_pictures = vision_scores(np.full((1, 1, 37, 37), 1 / 37), GRID, PIXELS).scores
    assert {name for scores in of_text for name in scores} == {*OF_TEXT, DIFFUSE}
    assert of_pictures.keys() == {*OF_PICTURES, "CLS", DIFFUSE}
    focused = [
        scores_of(attention_to(cells), kind, IDS, IDS, LINKS).label(0, 0).name for kind, cells in OF_TEXT.values()
    ]
    assert not {DIFFUSE, MIXED} & set(focused)


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
