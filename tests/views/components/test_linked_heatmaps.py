"""The payload of linked heatmaps: the same for every selection while all numbers are exact."""

import numpy as np
import pytest

from views.components.linked_heatmaps import LinkedHeatmaps, MapSet, payload
from views.components.matrix_row import RowMatrix


def heatmaps(side: int, layer: str) -> LinkedHeatmaps:
    values = np.random.default_rng(0).random((2, side, side), dtype=np.float32)
    labels = [str(place) for place in range(side)]
    item = RowMatrix("Weights", values, "cross", labels, labels, "row", "column", False, None, ("0", "masked"))
    return LinkedHeatmaps({"": MapSet([item], "", [["1", "2"]])}, ["layer"], [], {"layer": layer})


@pytest.mark.parametrize(("side", "same"), [(4, True), (400, False)])
def test_a_selection_changes_the_payload_only_where_its_numbers_are_sent_exactly(side: int, same: bool):
    first, second = (payload(heatmaps(side, layer), "light") for layer in ("1", "2"))
    assert (first == second) is same
