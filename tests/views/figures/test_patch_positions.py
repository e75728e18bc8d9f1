"""The grid of grids contains every similarity at its position; every head has a dot at its distance."""

import numpy as np
import pytest

from views.figures.patch_positions import distances, similarity, similarity_sheet

GRID = (2, 3)
VALUES = np.random.default_rng(0).random((6, 6)).astype(np.float32)


def test_every_pair_has_its_cell_and_its_name():
    sheet = similarity_sheet(VALUES, GRID)
    assert sheet.shape == (2 * 3 - 1, 3 * 4 - 1, 5)
    pairs = 0
    for one, other in np.ndindex(6, 6):
        (row, column), (row_in, column_in) = divmod(one, 3), divmod(other, 3)
        cell = sheet[row * 3 + row_in, column * 4 + column_in]
        np.testing.assert_array_equal(cell, [VALUES[one, other], row + 1, column + 1, row_in + 1, column_in + 1])
        pairs += 1
    assert np.isfinite(sheet[..., 0]).sum() == pairs
    assert np.isnan(sheet[2]).all() and np.isnan(sheet[:, 3]).all()  # the gaps


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_figure_draws_the_sheet(theme):
    (drawn,) = similarity(VALUES, GRID, theme).data
    np.testing.assert_array_equal(drawn.z, similarity_sheet(VALUES, GRID)[..., 0])
    np.testing.assert_array_equal(drawn.customdata[4, 10], [2, 3, 2, 3])
    assert (drawn.z.dtype, drawn.customdata.dtype) == (np.float32, np.uint8)
    others = VALUES[~np.eye(6, dtype=bool)]
    assert (drawn.zmin, drawn.zmax) == pytest.approx((others.min(), others.max()))
    assert drawn.hoverongaps is False


def test_every_head_has_a_dot():
    pixels = np.array([[10.0, 20.0, 30.0], [40.0, 41.0, 42.0]])
    figure = distances(pixels, 35.0, "light")
    (dots,) = figure.data
    np.testing.assert_allclose(dots.y, pixels.ravel())
    np.testing.assert_array_equal(dots.customdata, [[1, 1], [1, 2], [1, 3], [2, 1], [2, 2], [2, 3]])
    np.testing.assert_array_equal(np.round(dots.x), [1, 1, 1, 2, 2, 2])
    assert (np.diff(dots.x) > 0).all()
    (line,) = figure.layout.shapes
    assert line.y0 == line.y1 == 35
    assert figure.layout.yaxis.range[0] == 0 and figure.layout.yaxis.range[1] > 42


def test_a_single_head_is_at_its_layer():
    (dots,) = distances(np.array([[10.0]]), 5.0, "dark").data
    np.testing.assert_allclose(dots.x, [1])
