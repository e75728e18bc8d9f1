"""The payload of the step view, and the checks of the browser's answers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.payloads import read_payload
from views.components.step_view import (
    Axis,
    BarColumn,
    BarsPanel,
    Curve,
    CurvesPanel,
    FormulaPanel,
    HeatmapPanel,
    Numbers,
    StepView,
    payload,
)

TOKENS = Axis("token", "Token", ("the", "=cat"), data_kind="token")
UNITS = Axis("unit", "Unit", size=3)
HIDDEN = np.array([[0.5, -1.0, 0.0], [0.25, 2.0, -3.0]])


def view(*panels, axes=(TOKENS, UNITS), dims=("token", "unit")) -> StepView:
    return StepView(axes, {"h": Numbers(HIDDEN, dims)}, panels)


def test_numbers_are_sent_with_the_ids_of_their_axes():
    header, numbers = read_payload(payload(view(FormulaPanel("unit {unit}: {h}")), "light"))
    np.testing.assert_array_equal(numbers["h"], HIDDEN.astype(np.float32))
    assert header["numbers"] == {"h": ["token", "unit"]}
    assert [axis["count"] for axis in header["axes"]] == [2, 3]
    assert header["axes"][0]["labels"] == ["the", "=cat"]


def test_scales_come_from_the_whole_array():
    panels = (
        HeatmapPanel("map", "h", "token", "unit"),
        CurvesPanel("lines", "token", (Curve("h", "h"),)),
        CurvesPanel("logarithmic", "token", (Curve("h", "h"),), log=True),
        BarsPanel("bars", "token", (BarColumn("h", "h", top=4.0),)),
    )
    header, _ = read_payload(payload(view(*panels), "dark"))
    heatmap, curves, logarithmic, bars = header["panels"]
    assert (heatmap["is"], heatmap["top"]) == ("heatmap", 3.0)
    assert (curves["low"], curves["high"]) == (-3.0, 2.0)
    assert (logarithmic["low"], logarithmic["high"]) == (0.25, 2.0)
    assert (bars["columns"][0]["top"], bars["columns"][0]["signed"]) == (4.0, True)


def test_shapes_and_axes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="its axes"):
        view(dims=("unit", "token"))
    with pytest.raises(ValueError, match="cannot draw"):
        view(HeatmapPanel("map", "h", "token", "place"))
    fixed = Axis("unit", "Unit", size=3, slider=False)
    with pytest.raises(ValueError, match="cannot draw"):  # no slider selects the unit
        view(CurvesPanel("lines", "token", (Curve("h", "h"),)), axes=(TOKENS, fixed))


@pytest.mark.parametrize(
    "sent",
    [None, [], {}, {"token": 0}, {"token": 2, "unit": 0}, {"token": -1, "unit": 0}, {"token": True, "unit": 0}]
    + [{"token": "0", "unit": 0}, {"token": 0, "unit": 0, "more": 0}],
)
def test_invalid_positions_are_rejected(sent):
    assert view().valid(sent) is None


def test_valid_positions_are_accepted():
    assert view().valid({"token": 1, "unit": 2}) == {"token": 1, "unit": 2}
    assert view().first() == {"token": 0, "unit": 0}


def test_nan_is_ignored_by_the_scales():
    values = np.array([[1.0, np.nan], [-2.0, np.nan]])
    axes = (Axis("row", "Row", size=2), Axis("column", "Column", size=2))
    panels = (
        HeatmapPanel("map", "x", "row", "column"),
        CurvesPanel("curves", "column", (Curve("x", "x"),)),
        BarsPanel("bars", "row", (BarColumn("x", "x"),)),
    )
    view = StepView(axes, {"x": Numbers(values, ("row", "column"))}, panels)
    header, arrays = read_payload(payload(view, "light"))
    heatmap, curves, bars = header["panels"]
    assert heatmap["top"] == bars["columns"][0]["top"] == 2
    assert (curves["low"], curves["high"]) == (-2, 1)
    assert bars["columns"][0]["signed"] is True
    np.testing.assert_array_equal(arrays["x"], values.astype(np.float32))
