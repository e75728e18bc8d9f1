"""The payload of maps whose cells can be chosen, and the check of the browser's answers."""

import numpy as np

from tests.payloads import read_payload
from views.components.cell_maps import CellMap, CellMaps, payload
from views.components.controls import valid_selection
from views.controls.widgets import Choice


def one(id: str, group: str, scale: float) -> CellMap:
    values = scale * np.array([[1.0, -2.0, 0.5], [0.0, 0.25, 1.5]])
    return CellMap(id, group, id.upper(), "cross", {"share": values, "unit": 10 * values}, "12", "abc", "layer", "head")


MAPS = [one("m", "first", 1), one("n", "first", 2), one("o", "second", 0.5)]
SCALE = Choice("Colours", {"share": "Share", "unit": "Unit"}, "cellscale")
CELL = Choice("Cell", [cell for each in MAPS for cell in each.cells()], "cell", "n.1.2", varies=True)
VIEW = CellMaps(MAPS, SCALE, CELL, {"cellscale": "share", "cell": "n.1.2"})


def test_every_scale_of_every_map_is_sent_and_groups_share_colours():
    header, arrays = read_payload(payload(VIEW, "light"))
    values = np.stack([arrays[str(place)] for place in range(6)])
    assert [(item["map"], item["scale"], item["leads"], item["high"]) for item in header["items"]] == [
        ("m", "share", True, 4),
        ("m", "unit", True, 40),
        ("n", "share", False, 4),
        ("n", "unit", False, 40),
        ("o", "share", True, 1),
        ("o", "unit", True, 10),
    ]
    sent = np.stack([each.values[scale] for each in MAPS for scale in ("share", "unit")])
    np.testing.assert_array_equal(values, sent.astype(np.float32))
    scale, cell = header["controls"]
    assert "elsewhere" not in scale and cell["elsewhere"]
    assert [id for id, _ in cell["options"]] == CELL.options and cell["first"] == "n.1.2"


def test_zeros_have_a_scale():
    empty = CellMap("m", "g", "M", "cross", {"share": np.zeros((1, 1))}, "1", "a", "layer", "head")
    view = CellMaps([empty], Choice("", ["share"], "s"), Choice("", empty.cells(), "cell"), {})
    assert read_payload(payload(view, "dark"))[0]["items"][0]["high"] == 1


def test_only_existing_cells_are_accepted():
    valid = {"cellscale": "unit", "cell": "o.2.3"}
    assert valid_selection(valid, (SCALE, CELL)) == valid
    for cell in ("o.2.4", "p.1.1", "", None, ["o.2.3"], 3):
        assert valid_selection(valid | {"cell": cell}, (SCALE, CELL)) is None
