"""Shifts, inner products and schemes: the claims of the Positions page, on numbers."""

import math

import numpy as np
import pytest

from model.lessons.position_geometry import find_shift_matrix, measure_similarity, number_positions, wave_product
from model.networks.positional import positional_table, wavelengths


@pytest.mark.parametrize(("length", "d_model", "shift"), [(64, 256, 5), (2, 2, 1), (512, 512, 128), (30, 16, 0)])
def test_a_shift_is_the_papers_rotation_and_a_fit_finds_it(length, d_model, shift):
    shift_matrix = find_shift_matrix(length, d_model, shift)
    assert shift_matrix.residual < 1e-6
    if length > 2:
        assert shift_matrix.fitted_difference < 1e-6
    table = positional_table(length + shift, d_model)
    np.testing.assert_allclose(table[:length] @ shift_matrix.matrix.T, table[shift:], atol=1e-6)


def test_no_blocks_are_exact_for_the_variant():
    shift_matrix = find_shift_matrix(64, 64, 5, "column")
    assert shift_matrix.residual > 0.1
    table = positional_table(69, 64, "column")
    assert shift_matrix.residual == pytest.approx(np.abs(table[5:] - table[:64] @ shift_matrix.matrix.T).max())


def test_products_depend_on_the_distance_only_in_the_papers_form():
    paper, variant = measure_similarity(40, 32), measure_similarity(40, 32, "column")
    assert paper.spread.max() < 1e-12
    assert variant.spread.max() > 0.1
    assert paper.by_distance[0] == pytest.approx(16)  # d_model / 2
    for k in (1, 7):
        expected = sum(math.cos(k / 10000 ** (2 * i / 32)) for i in range(16))
        assert paper.by_distance[k] == pytest.approx(expected)
    np.testing.assert_allclose(paper.products, paper.products.T)


def sampled(d_model: int, first: int, second: int, span: float) -> float:
    """The inner product by a sum over samples."""
    x = (np.arange(400_000) + 0.5) / 400_000 * span
    lengths = wavelengths(d_model).numpy()
    waves = [
        np.cos(2 * np.pi * x / lengths[n]) if n % 2 else np.sin(2 * np.pi * x / lengths[n]) for n in (first, second)
    ]
    return 2 * float((waves[0] * waves[1]).mean())


@pytest.mark.parametrize(("first", "second"), [(0, 0), (0, 1), (1, 1), (0, 2), (3, 6), (5, 4)])
def test_the_closed_form_is_the_integral(first, second):
    spans = np.array([0.3, 10.0, 123.4])
    expected = [sampled(16, first, second, span) for span in spans]
    np.testing.assert_allclose(wave_product(16, first, second, spans), expected, atol=1e-6)


def test_sine_and_cosine_of_one_frequency_are_orthogonal_over_whole_periods():
    wavelength = float(wavelengths(64)[10])
    whole = wavelength * np.arange(1, 9)
    np.testing.assert_allclose(wave_product(64, 10, 11, whole), 0, atol=1e-12)
    np.testing.assert_allclose(wave_product(64, 10, 10, whole), 1, atol=1e-12)
    table = np.stack([np.sin(np.arange(50) / wavelength), np.cos(np.arange(50) / wavelength)], axis=1)
    assert np.linalg.matrix_rank(table) == 2  # linearly independent


def test_waves_of_different_frequency_come_close_to_orthogonal():
    slower = float(wavelengths(64)[20])
    products = np.abs(wave_product(64, 4, 20, slower * np.array([1, 10, 100, 1000])))
    assert products[-1] < 1e-3
    assert products[0] < 0.2


def test_the_three_schemes():
    short, long = number_positions(5, 16), number_positions(9, 16)
    assert (short.largest("integers"), long.largest("integers")) == (4, 8)  # grow without bound
    assert short.largest("normalised") == long.largest("normalised") == 1
    assert (short.step("normalised"), long.step("normalised")) == (1 / 4, 1 / 8)  # change meaning with the length
    assert long.largest("sinusoids") <= 1
    assert short.step("sinusoids") == long.step("sinusoids")
    np.testing.assert_array_equal(short.sinusoids, long.sinusoids[:5])
    assert number_positions(128, 256).closest("sinusoids") > 0.5  # every position is unique
    assert short.closest("normalised") == pytest.approx(1 / 4)
    with pytest.raises(ValueError, match="at least 2"):
        number_positions(1, 16)


@pytest.mark.parametrize("d_model", [2, 4, 16, 64, 256])
def test_a_position_is_most_like_itself_in_the_paper_s_form_but_not_always_in_the_variant(d_model):
    assert measure_similarity(200, d_model).exceeded == 0
    products = measure_similarity(200, d_model, "column").products
    expected = sum(max(row) > row[place] + 1e-9 for place, row in enumerate(products.tolist()))
    assert measure_similarity(200, d_model, "column").exceeded == expected
    assert (expected > 0) == (d_model <= 64)
