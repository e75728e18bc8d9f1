"""Far positions: the cosines by the formula of their distance, and what a small base does to them."""

import numpy as np
import pytest

from model.lessons.far_positions import APART, LAST, measure_far_positions
from model.networks.positional import BASE, FORMS, positional_table, wavelengths


def formula(d_model: int, base: float) -> np.ndarray:
    """Cosine of two positions of the paper's form by their distance: the mean of cos(distance x frequency)."""
    frequencies = base ** (-np.arange(0, d_model, 2) / d_model)
    return np.cos(np.outer(np.arange(LAST + 1), frequencies)).mean(axis=1)


@pytest.mark.parametrize("base", [2, 100, 1000, BASE, 1_000_000])
@pytest.mark.parametrize("d_model", [2, 16, 256, 512])
def test_equals_the_formula_of_the_paper_s_form(d_model, base):
    expected, measured = formula(d_model, base), measure_far_positions(wavelengths(d_model, base=base).numpy())
    assert measured.largest == pytest.approx(expected[APART + 1 :].max(), abs=1e-9)
    assert measured.half == int(np.argmax(expected < 0.5))


@pytest.mark.parametrize("form", FORMS)
def test_equals_the_cosines_of_the_table(form):
    table = positional_table(LAST + 1, 64, form)
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    places = np.arange(LAST + 1)
    far = (table @ table.T)[np.abs(places[:, None] - places) > APART]
    assert measure_far_positions(wavelengths(64, form).numpy()).largest == pytest.approx(far.max(), abs=1e-9)


@pytest.mark.parametrize("d_model", [64, 128, 256, 512])
def test_a_smaller_base_makes_far_positions_less_alike_not_more(d_model):
    small, paper = (measure_far_positions(wavelengths(d_model, base=base).numpy()) for base in (100, BASE))
    assert small.largest < paper.largest < 0.6
    assert small.half < paper.half


def test_a_constant_encoding_never_falls_below_one_half():
    assert measure_far_positions(np.full(4, 1e9)).half is None
