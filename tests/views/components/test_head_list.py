"""The payload of the list of heads, read back, and the small maps."""

import json

import numpy as np

from views.components.head_list import MOST_CELLS, HeadList, HeadRow, payload, small


def test_the_payload_holds_rows_and_maps():
    rows = [
        HeadRow("a", "cross", 0.5, "+0.500", "x", "", np.array([[0.0, 0.2], [0.1, 0.05]])),
        HeadRow("b", "decoder", -2.0, "-2.00", "y", "z", np.eye(3), causal=True),
    ]
    content = payload(HeadList(rows, ("1", "2", "3", ""), "title", np.full((2, 2, 3), 7, np.uint8)), "dark")
    length = int.from_bytes(content[:4], "little")
    header = json.loads(content[4 : 4 + length])
    assert header["largest"] == 2.0 and header["underlay"] == [2, 2, 3]
    assert [row["weights"] for row in header["rows"]] == [[2, 2], [3, 3]]
    assert set(header["scales"]) == {"cross", "decoder"}
    body = np.frombuffer(content, np.uint8, offset=4 + length)
    np.testing.assert_array_equal(body[:4], [0, 255, 128, 64])
    np.testing.assert_array_equal(body[4:13].reshape(3, 3), 255 * np.eye(3))
    np.testing.assert_array_equal(body[13:], [7] * 12)


def test_large_maps_keep_the_largest_weight_of_each_block():
    weights = np.zeros((100, 60))
    weights[99, 59], weights[0, 2] = 0.5, 1.0
    cells = small(weights)
    assert cells.shape == (34, 20) and max(cells.shape) <= MOST_CELLS
    assert cells[33, 19] == 128 and cells[0, 0] == 255 and cells.astype(int).sum() == 383
    assert small(np.zeros((2, 2))).max() == 0
