"""The coefficients of a curve's Fourier series."""

import numpy as np
import pytest

from model.lessons.fourier import fourier_coefficients
from model.lessons.position_basis import CURVES, curve, fit_columns, harmonics


def test_a_sum_of_waves_has_their_coefficients():
    place = np.arange(10) / 10
    waves = 3 + 2 * np.cos(2 * np.pi * place) - 0.5 * np.sin(2 * np.pi * 4 * place)
    coefficients = fourier_coefficients(waves)
    np.testing.assert_allclose(coefficients.a, [6, 2, 0, 0, 0, 0], atol=1e-14)
    np.testing.assert_allclose(coefficients.b, [0, 0, 0, 0, -0.5, 0], atol=1e-14)
    np.testing.assert_allclose(coefficients.sizes, [6, 2, 0, 0, 0.5, 0], atol=1e-14)


def test_four_positions_by_hand():
    """1, 1, -1, -1: a_1 = (1 + 1) / 2 = 1 and b_1 = (1 + 1) / 2 = 1; nothing else."""
    coefficients = fourier_coefficients(np.array([1.0, 1.0, -1.0, -1.0]))
    np.testing.assert_allclose(coefficients.a, [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(coefficients.b, [0, 1, 0], atol=1e-15)


def test_a_square_wave_comes_to_four_over_pi_n():
    """Three periods: b_3 = 4 / pi, b_9 = 4 / (3 pi), and 0 at all n that are not odd multiples of three."""
    coefficients = fourier_coefficients(curve("square-wave", 6000))
    np.testing.assert_allclose(coefficients.b[[3, 9, 15]], 4 / np.pi / np.array([1, 3, 5]), atol=1e-5)
    assert np.abs(coefficients.b[[1, 2, 4, 6, 12]]).max() < 1e-12


@pytest.mark.parametrize("length", [2, 63, 64])
@pytest.mark.parametrize("name", CURVES)
def test_partial_sums_equal_the_fits_and_the_whole_sum_the_curve(name, length):
    target = curve(name, length)
    coefficients = fourier_coefficients(target)
    assert coefficients.difference(target) < 1e-12
    np.testing.assert_allclose(coefficients.sum(length + 1), target, atol=1e-12)
    for columns in (0, 1, 2, min(9, length)):
        np.testing.assert_allclose(
            coefficients.sum(columns), fit_columns(target, harmonics(length, length), columns).approximation, atol=1e-9
        )


def test_no_positions_are_refused():
    with pytest.raises(ValueError, match="over no positions"):
        fourier_coefficients(np.zeros(0))
