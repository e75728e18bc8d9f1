"""The payload of matrices, and the checks of the browser's answers."""

import numpy as np
import pytest

from tests.payloads import read_payload
from views import palette
from views.components.matrix_row import RowMatrix, payload, valid_cells


def test_matrices_and_operators_are_in_order():
    left, right = np.arange(6.0).reshape(2, 3), -np.ones((1, 2))
    header, values = read_payload(
        payload([RowMatrix("A", left, rows=("<b>", "\u2009")), "\u00d7", RowMatrix("B", right)], "dark", 2)
    )
    assert [item.get("name", item.get("sign")) for item in header["items"]] == ["A", "\u00d7", "B"]
    np.testing.assert_array_equal(values["0"], left)
    np.testing.assert_array_equal(values["2"], right)
    first = header["items"][0]
    assert first["rows"] == ["<b>", "\u2423"]
    assert (header["theme"], header["beside"]) == ("dark", 2)


def test_scales_are_symmetric_for_signed_numbers_and_start_at_zero_for_others():
    values = np.array([[-3.0, 2.0, -np.inf]])
    signed = read_payload(payload([RowMatrix("S", values, "decoder")], "light"))[0]["items"][0]
    assert (signed["low"], signed["high"]) == (-3, 3)  # minus infinity is ignored
    assert tuple(signed["scales"]["light"]) == palette.signed_scale("decoder", "light")
    plain = read_payload(payload([RowMatrix("W", values, "cross", signed=False, top=1.0)], "light"))[0]["items"][0]
    assert (plain["low"], plain["high"]) == (0, 1)
    assert tuple(plain["scales"]["dark"]) == palette.scale("cross", "dark")


@pytest.mark.parametrize("values", [np.zeros((2, 2)), np.full((1, 1), -np.inf)])
def test_a_matrix_without_size_still_has_a_scale(values):
    item = read_payload(payload([RowMatrix("Z", values)], "light"))[0]["items"][0]
    assert item["high"] == 1


def test_painted_cells_are_accepted():
    assert valid_cells([[0, 1, True], (1, 0, 0)], (2, 2)) == [(0, 1, True), (1, 0, False)]


@pytest.mark.parametrize(
    "sent",
    [None, "x", 3, {}, [3], [[0, 0]], [[2, 0, True]], [[0, -1, True]], [[0.5, 0, 1]], [["0", 0, 1]], [[0, 0, "yes"]]],
)
def test_invalid_cells_are_rejected(sent):
    assert valid_cells(sent, (2, 2)) == []


def test_at_most_all_cells_are_accepted():
    assert len(valid_cells([[0, 0, True]] * 1000, (2, 2))) == 4
