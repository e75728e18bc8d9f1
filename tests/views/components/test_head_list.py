"""The payload of the list of heads, read back, and the small maps."""

from dataclasses import replace

import numpy as np
import pytest

from tests.pages.listed import read_rows
from tests.payloads import dtypes, read_payload
from views.components import controls
from views.components.head_list import MOST_CELLS, HeadAxes, HeadList, HeadRow, payload, small_map
from views.controls.widgets import Choice

ORDERS = {"effect": "Effect", "place": "Place"}


def make_head_list(rows: list[HeadRow], columns: tuple[str, str, str, str], title: str, **looks) -> HeadList:
    """These heads, sorted by effect, the first of them open."""
    by_effect = sorted(range(len(rows)), key=lambda place: -abs(rows[place].effect))
    orders = {"effect": by_effect, "place": list(range(len(rows)))}
    axes = {}
    for row in rows:
        queries, keys = ([f"{count}.{place}" for place in range(count)] for count in row.weights.shape)
        axes[row.kind] = HeadAxes("{map}", queries, keys, "", "", "")
    names = {"first": "first"} | {row.id: row.name for row in rows}
    offered = (Choice("", ORDERS, "sort"), Choice("", names, "shown", varies=True))
    chosen = {"sort": "effect", "shown": "first"} | looks.pop("chosen", {})
    roles = {"sort": "sort", "shown": "shown"}
    return HeadList(rows, orders, axes, offered, chosen, roles, by_effect[0], columns, title, **looks)


def make_known_list() -> HeadList:
    rows = [
        HeadRow("a", "a", "cross", "1", "1", 0.5, "+0.500", "x", "", np.array([[0.0, 0.2], [0.1, 0.05]])),
        HeadRow("b", "b", "decoder", "1", "2", -2.0, "-2.00", "y", "z", np.eye(3), causal=True),
    ]
    return make_head_list(rows, ("1", "2", "3", ""), "title", underlay=np.full((2, 2, 3), 7, np.uint8))


def read(heads: HeadList) -> tuple[dict, dict[str, np.ndarray]]:
    return read_payload(payload(heads, "dark"))


def test_the_payload_contains_rows_and_maps():
    header, arrays = read(make_known_list())
    rows, maps = read_rows(header, arrays)
    assert header["largest"] == 2.0 and set(header["scales"]) == {"cross", "decoder"}
    assert [(row["id"], row["kind"], row["effect"], row["causal"]) for row in rows] == [
        ("a", "cross", 0.5, False),
        ("b", "decoder", -2.0, True),
    ]
    assert (rows[1]["layer"], rows[1]["head"], rows[1]["here"], rows[1]["often"]) == ("1", "2", "y", "z")
    np.testing.assert_array_equal(arrays["picture"], np.full((2, 2, 3), 7))
    np.testing.assert_array_equal(maps[0], np.float32([[0, 0.2], [0.1, 0.05]]))
    np.testing.assert_array_equal(maps[1], np.eye(3))
    assert set(dtypes(header)) == {"picture", "effects", "cross", "decoder"}  # the browser draws the small maps


@pytest.mark.parametrize(
    "labels",
    [("same 0.532", "same 5.32e-4"), ("mixed (end 0.2)", ""), ("", "2번 0.5"), ("copies", "1"), ("0.5 {x}", "0.5")],
)
def test_labels_are_read_back_as_they_were(labels: tuple[str, str]):
    heads = make_known_list()
    header, arrays = read(replace(heads, rows=[replace(row, here=labels[0], often=labels[1]) for row in heads.rows]))
    assert [(row["here"], row["often"]) for row in read_rows(header, arrays)[0]] == [labels] * 2
    assert len(header["labels"]) == len(set(header["labels"])) <= 2


def test_many_maps_are_sent_rounded_and_the_open_one_exactly(monkeypatch):
    monkeypatch.setattr("views.components.head_list.dtype_of", lambda *_: "float16")
    header, arrays = read(make_known_list())
    assert dtypes(header)["cross"] == "float16" and header["open"] == 1
    np.testing.assert_array_equal(arrays["cross"][0], np.float16([[0, 0.2], [0.1, 0.05]]))
    np.testing.assert_array_equal(arrays["open"], np.eye(3))


def test_of_too_many_maps_only_the_open_one_is_sent(monkeypatch):
    monkeypatch.setattr(controls, "WHOLE_BYTES", 8)
    header, arrays = read(replace(make_known_list(), open=0))
    assert [each is not None for each in read_rows(header, arrays)[1]] == [True, False]
    np.testing.assert_array_equal(arrays["open"], np.float32([[0, 0.2], [0.1, 0.05]]))
    np.testing.assert_array_equal(arrays["small cross"], [[[0, 255], [128, 64]]])
    np.testing.assert_array_equal(arrays["small decoder"][0], 255 * np.eye(3))


@pytest.mark.parametrize("sent", [None, [], {"sort": "effect"}, {"sort": "x", "shown": "a"}, {"sort": [], "shown": {}}])
def test_invalid_selections_are_rejected(sent):
    assert controls.valid_selection(sent, make_known_list().choices) is None
    good = {"sort": "place", "shown": "b"}
    assert controls.valid_selection(good, make_known_list().choices) == good


def test_large_maps_show_the_largest_weight_of_each_block():
    weights = np.zeros((100, 60))
    weights[99, 59], weights[0, 2] = 0.5, 1.0
    cells = small_map(weights)
    assert cells.shape == (34, 20) and max(cells.shape) <= MOST_CELLS
    assert cells[33, 19] == 128 and cells[0, 0] == 255 and cells.astype(int).sum() == 383
    assert small_map(np.zeros((2, 2))).max() == 0
