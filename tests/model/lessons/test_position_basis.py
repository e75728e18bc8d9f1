"""Fits of curves with sines and cosines."""

import numpy as np
import pytest

from model.lessons.position_basis import CURVES, curve, fit_columns, harmonics
from model.networks.positional import positional_table


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("table", [positional_table(64, 128), harmonics(64, 64)], ids=["encoding", "harmonics"])
def test_the_residual_never_rises_and_is_the_one_of_the_drawn_sum(name, table):
    target = curve(name, 64)
    assert np.abs(target).max() <= 1
    for first in (0, 7, 64):
        fit = fit_columns(target, table, first)
        assert (np.diff(fit.residuals) <= 0).all()
        assert fit.residuals[0] == 1
        left = np.linalg.norm(target - fit.approximation) / np.linalg.norm(target)
        assert left == pytest.approx(fit.residuals[first], abs=1e-12)


def test_a_fit_is_the_least_squares_fit():
    target, table = curve("bump", 100), harmonics(100, 21)
    expected = table @ np.linalg.lstsq(table, target)[0]
    np.testing.assert_allclose(fit_columns(target, table, 21).approximation, expected, atol=1e-10)


@pytest.mark.parametrize("name", CURVES)
def test_harmonics_span_every_curve_of_an_odd_number_of_positions(name):
    fit = fit_columns(curve(name, 63), harmonics(63, 63), 63)
    assert fit.used.all()
    assert fit.residuals[-1] < 1e-12


def test_a_wave_of_the_basis_needs_one_column():
    table = positional_table(50, 16)
    fit = fit_columns(table[:, 3], table, 4)
    assert fit.residuals[4] < 1e-12 < fit.residuals[3]


def test_dependent_columns_are_skipped():
    fit = fit_columns(curve("step", 16), positional_table(16, 256), 256)
    assert fit.used.sum() <= 16
    doubled = np.repeat(harmonics(15, 5), 2, axis=1)
    np.testing.assert_array_equal(fit_columns(curve("bump", 15), doubled, 10).used, [True, False] * 5)


def test_unknown_curves_and_columns_are_refused():
    with pytest.raises(ValueError, match="no curve 'circle'"):
        curve("circle", 10)
    with pytest.raises(ValueError, match="17 columns were requested; there are 16"):
        fit_columns(curve("step", 10), positional_table(10, 16), 17)
