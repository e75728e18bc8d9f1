import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from model.networks.positional import rotation, sinusoidal_angles, sinusoidal_encoding, wavelengths


def test_the_worked_example_column_0():
    encoding = sinusoidal_encoding(4, 4, torch.float64)
    expected = torch.tensor([0.0, 0.8414709848, 0.9092974268, 0.1411200081], dtype=torch.float64)
    torch.testing.assert_close(encoding[:, 0], expected, atol=1e-10, rtol=0)


def test_the_paper_pairs_columns_so_column_1_is_the_cosine_of_the_same_angle():
    encoding = sinusoidal_encoding(4, 4, torch.float64)
    torch.testing.assert_close(encoding[:, 1], torch.arange(4, dtype=torch.float64).cos())


def test_the_angle_at_position_7_column_0_is_7():
    assert sinusoidal_angles(8, 512)[7, 0] == 7


@given(st.integers(1, 64), st.integers(1, 32))
def test_every_cell_is_the_formula(length, pairs):
    d_model = 2 * pairs
    encoding = sinusoidal_encoding(length, d_model, torch.float64)
    for position in (0, length // 2, length - 1):
        for i in range(pairs):
            angle = position / 10000 ** (2 * i / d_model)
            assert encoding[position, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-9)
            assert encoding[position, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-9)


@given(st.integers(0, 100), st.integers(0, 50))
def test_the_inner_product_of_two_positions_depends_on_their_distance_only(position, distance):
    encoding = sinusoidal_encoding(160, 32, torch.float64)
    here = encoding[position] @ encoding[position + distance]
    torch.testing.assert_close(here, encoding[0] @ encoding[distance], atol=1e-9, rtol=0)


def test_a_shifted_position_is_a_rotation_of_the_first():
    encoding = sinusoidal_encoding(40, 16, torch.float64)
    shift = 5
    angles = sinusoidal_angles(shift + 1, 16)[shift, 0::2]
    sines, cosines = encoding[:-shift, 0::2], encoding[:-shift, 1::2]
    torch.testing.assert_close(encoding[shift:, 0::2], sines * angles.cos() + cosines * angles.sin())
    torch.testing.assert_close(encoding[shift:, 1::2], cosines * angles.cos() - sines * angles.sin())


def test_the_lowest_columns_vary_fastest():
    lengths = wavelengths(512)
    assert lengths[0] == lengths[1] == pytest.approx(2 * math.pi)
    assert lengths[510] == pytest.approx(2 * math.pi * 10000 ** (510 / 512))
    assert (lengths[2::2] > lengths[:-2:2]).all()


def test_an_empty_table_and_a_negative_length():
    assert sinusoidal_encoding(0, 6).shape == (0, 6)
    with pytest.raises(ValueError, match="length -1"):
        sinusoidal_encoding(-1, 6)


def test_an_odd_width_still_has_a_sine_in_its_last_column():
    encoding = sinusoidal_encoding(3, 5, torch.float64)
    torch.testing.assert_close(encoding[:, 4], (torch.arange(3, dtype=torch.float64) / 10000 ** (4 / 5)).sin())


def test_the_variant_gives_every_column_its_own_frequency():
    encoding = sinusoidal_encoding(4, 4, torch.float64, form="column")
    expected = torch.tensor([1.0, 0.9950041653, 0.9800665778, 0.9553364891], dtype=torch.float64)
    torch.testing.assert_close(encoding[:, 1], expected, atol=1e-10, rtol=0)
    torch.testing.assert_close(encoding[:, 0], sinusoidal_encoding(4, 4, torch.float64)[:, 0])  # column 0 is the same
    assert len(wavelengths(8, "column").unique()) == 8
    assert len(wavelengths(8, "paper").unique()) == 4


@pytest.mark.parametrize("d_model", [4, 256, 512])
def test_the_wavelength_of_pair_i(d_model):
    lengths = wavelengths(d_model)
    for i in range(d_model // 2):
        assert lengths[2 * i] == lengths[2 * i + 1] == pytest.approx(2 * math.pi * 10000 ** (2 * i / d_model))


def test_the_rotation_shifts_every_position():
    table = sinusoidal_encoding(300, 64, torch.float64)
    for shift in (0, 1, 7, 100):
        matrix = rotation(shift, 64)
        assert (table[shift:] - table[: 300 - shift] @ matrix.T).abs().max() < 1e-6
        torch.testing.assert_close(matrix @ matrix.T, torch.eye(64, dtype=torch.float64))
        torch.testing.assert_close(rotation(-shift, 64), matrix.T)


def test_unknown_forms_and_odd_rotations_are_refused():
    with pytest.raises(ValueError, match="no form 'row'"):
        sinusoidal_encoding(4, 4, form="row")
    with pytest.raises(ValueError, match="d_model 5 must be even"):
        rotation(1, 5)
