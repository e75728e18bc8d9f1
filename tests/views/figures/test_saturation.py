"""Curves and histogram of scaled and unscaled scores: their data and axes."""

import numpy as np

from views.figures import saturation

WIDTHS = (1, 2, 64, 100, 128, 512)


def test_curves_contain_every_measure_both_ways():
    panels = [
        (name, np.arange(6.0) + place, np.ones(6)) for place, name in enumerate(("variance", "entropy", "gradient"))
    ]
    figure = saturation.curves(WIDTHS, panels, "light")
    assert len(figure.data) == 6
    for place in range(3):
        raw, scaled = figure.data[2 * place : 2 * place + 2]
        np.testing.assert_array_equal(raw.y, np.arange(6) + place)
        np.testing.assert_array_equal(scaled.y, 1)
        assert list(raw.x) == list(WIDTHS)
        assert (raw.name, scaled.name) == (saturation.RAW, saturation.SCALED)
    assert figure.layout.yaxis.type == "log" and figure.layout.yaxis2.type is None
    assert figure.layout.xaxis3.type == "log"
    assert [trace.showlegend for trace in figure.data] == [True, True, False, False, False, False]
    assert list(figure.layout.xaxis3.tickvals) == [1, 2, 128, 512]  # labels that would collide are left out


def test_histogram_points_are_at_the_middle_of_their_bins():
    edges = np.array([-1.0, 0.0, 2.0])
    figure = saturation.histogram(edges, np.array([0.25, 0.375]), np.array([0.5, 0.25]), "dark")
    by_name = {trace.name: trace for trace in figure.data}
    np.testing.assert_allclose(by_name[saturation.RAW].x, [-0.5, 1])
    np.testing.assert_allclose(by_name[saturation.RAW].y, [0.25, 0.375])
    np.testing.assert_allclose(by_name[saturation.SCALED].y, [0.5, 0.25])
