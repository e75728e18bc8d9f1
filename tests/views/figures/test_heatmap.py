"""Matrices as heatmaps: numbers, labels and the two kinds of scale."""

import numpy as np
import pytest

from views import palette
from views.figures.heatmap import ChartMatrix, axis_labels, height, matrix, symmetric


def make_matrix(**changes) -> ChartMatrix:
    values = np.random.default_rng(0).normal(size=(3, 4))
    return ChartMatrix(
        **{"values": values, "row_title": "piece", "column_title": "dimension", "value_title": "entry"} | changes
    )


def test_numbers_are_float32_and_in_place():
    content = make_matrix()
    (drawn,) = matrix(content, "light").data
    assert np.asarray(drawn.z).dtype == np.float32
    np.testing.assert_allclose(drawn.z, content.values, rtol=1e-6)
    assert drawn.x is None and drawn.y is None  # numbered from 0


def test_labels_are_literal_and_all_different():
    (drawn,) = matrix(make_matrix(rows=("a", "<b>", "a"), columns=("$x$", "b", "c", "d")), "light").data
    assert list(drawn.y) == ["a", "&lt;b&gt;", "a\u200b"]
    assert drawn.x[0] == "&#36;x&#36;"


def test_labels_are_all_different_for_any_repetition():
    labels = axis_labels(("a", "\u2009a", "a", "\u2009", "$x$"))
    assert len(set(labels)) == 5
    assert labels[3:] == ["\u2423", "&#36;x&#36;"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_signed_numbers_have_the_background_at_zero(theme):
    (drawn,) = matrix(make_matrix(low=-2, high=2), theme).data
    colours = [colour for _, colour in drawn.colorscale]
    assert colours[len(colours) // 2] == palette.BACKGROUND[theme]
    assert (drawn.zmin, drawn.zmax) == (-2, 2)
    assert colours == list(palette.signed_scale("encoder", theme))


def test_numbers_from_zero_have_the_kinds_own_scale():
    (drawn,) = matrix(make_matrix(low=0, high=1, kind="cross"), "light").data
    assert [colour for _, colour in drawn.colorscale] == list(palette.scale("cross", "light"))


def test_height_and_symmetry():
    rows = [str(n) for n in range(128)]
    assert height(make_matrix(values=np.zeros((128, 2)), rows=rows)) < 800
    assert height(make_matrix()) == height(make_matrix(values=np.zeros((512, 512))))
    assert symmetric(np.array([[-3.0, 2.0]])) == 3
    assert symmetric(np.zeros((2, 2))) == 1
