"""Weights with their tokens as CSV and NPZ: which are in it, and how they are numbered."""

from __future__ import annotations

import csv
import io

import numpy as np

from views.export import downloads, weight_files
from views.kind_labels import KINDS, VISION
from views.viewer.attention_maps import AttentionMaps, KindMaps, MapAxis

QUERIES, KEYS = MapAxis(("\u2009Je", "\u2009suis")), MapAxis(("I", "am", "</s>"))
WEIGHTS = np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]], np.float32)


def maps(kind=KINDS["cross"]) -> KindMaps:
    """Layers 3 and 6 of a network, counted from 1, with two heads each."""
    return KindMaps(kind, np.tile(WEIGHTS, (2, 2, 1, 1)), QUERIES, KEYS, (2, 5))


def read(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))


def test_lines_of_the_chosen_heads_alone_are_drawn():
    drawn = weight_files.drawn_lines(maps(), [1], [0], 0.7)
    assert drawn[1, 0].tolist() == [[True, True, False], [False, False, True]]
    assert drawn.sum() == 3
    assert weight_files.drawn_lines(maps(), [], [0, 1], 0.7).sum() == 0


def test_a_line_has_its_numbers_in_the_network_and_its_tokens():
    header, *rows = read(weight_files.lines_csv(maps(), weight_files.drawn_lines(maps(), [1], [1], 0.5)))
    assert header == ["layer", "head", "query", "query token", "key", "key token", "weight"]
    assert [row[:6] for row in rows] == [["6", "2", "1", "Je", "1", "I"], ["6", "2", "2", "suis", "3", "</s>"]]
    np.testing.assert_array_equal(np.array([row[6] for row in rows], np.float32), [WEIGHTS[0, 0], WEIGHTS[1, 2]])
    header, *_ = read(weight_files.lines_csv(maps(VISION), np.zeros((2, 2, 2, 3), bool)))
    assert header[3] == "query position"


def test_all_weights_of_every_kind():
    both = AttentionMaps({"cross": maps(), "vision": maps(VISION)})
    header, *rows = read(weight_files.all_csv(both))
    assert header[0] == "kind" and len(rows) == 2 * 24
    assert rows[0][:5] == ["cross", "3", "1", "1", "Je"] and rows[-1][:5] == ["vision", "6", "2", "2", "suis"]
    stored = np.load(io.BytesIO(weight_files.all_npz(both)))
    np.testing.assert_array_equal(stored["vision"], maps().weights)
    assert stored["cross_queries"].tolist() == ["Je", "suis"] and stored["cross_keys"].tolist() == ["I", "am", "</s>"]


def test_drawn_lines_are_marked_among_all_weights():
    drawn = weight_files.drawn_lines(maps(), [0], [0], 1.0)
    stored = np.load(io.BytesIO(downloads.arrays_npz(weight_files.lines_arrays(maps(), drawn))))
    np.testing.assert_array_equal(stored["drawn"], drawn)
    np.testing.assert_array_equal(stored["attention"], maps().weights)
    assert str(stored["kind"]) == "cross"
