"""Cosines of the columns of the encoding over a sentence."""

import numpy as np
import pytest

from model.lessons.column_overlap import measure_overlap
from model.networks.positional import positional_table


@pytest.mark.parametrize("form", ["paper", "column"])
def test_cosines_equal_those_of_numpy(form):
    table = positional_table(20, 8, form)
    overlap = measure_overlap(20, 8, form)
    for one in range(8):
        for other in range(8):
            a, b = table[:, one], table[:, other]
            assert overlap.cosines[one, other] == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    pairs = [abs(overlap.cosines[one, other]) for one in range(8) for other in range(one)]
    assert overlap.mean == pytest.approx(np.mean(pairs))
    assert overlap.difference < 1e-14


def test_dimensions_are_split_by_their_wavelength():
    overlap = measure_overlap(64, 256)
    assert overlap.turning.sum() == 66  # 2 pi 10000^(2 i / 256) is at most 64 for the first 33 pairs
    assert overlap.mean_of_turning < 0.2 < 0.7 < overlap.mean_of_slow
    assert overlap.random == pytest.approx(np.sqrt(2 / (np.pi * 64)), rel=0.05)


def test_few_dimensions_have_no_mean():
    assert measure_overlap(2, 2).mean_of_turning is None
    assert measure_overlap(512, 2).mean_of_slow is None
