"""Sinusoidal position encodings (Vaswani et al. 2017, section 3.5), and the variant that many tutorials show."""

import math
from typing import Literal

import numpy as np
import torch
from torch import Tensor

EncodingForm = Literal["paper", "column"]
FORMS: tuple[EncodingForm, ...] = ("paper", "column")
BASE = 10_000.0  # the paper's; with any base above 1 every pair has its own frequency


def _exponents(d_model: int, form: EncodingForm) -> Tensor:
    """The exponent of 10000 in each column, `(d_model,)` float64 from 0 to below 1."""
    column = torch.arange(d_model, dtype=torch.float64)
    if form == "paper":
        column = column // 2 * 2  # 0 0 2 2 4 4 ...
    elif form != "column":
        raise ValueError(f"There is no form {form!r} of the encoding; choose one of {', '.join(FORMS)}.")
    return column / d_model


def sinusoidal_angles(length: int, d_model: int, form: EncodingForm = "paper") -> Tensor:
    """The angle of every cell of the encoding, in radians.

    In the paper's form it is pos / 10000^(2i / d_model), and columns 2i and 2i + 1 share it. The "column" form, which
    no trained model of this project uses, gives every column a frequency of its own: pos / 10000^(column / d_model).

    Args:
        length: number of positions, at least 0.
        d_model: number of columns.

    Returns:
        `(length, d_model)` float64.

    Raises:
        ValueError: `length` is negative, `d_model` is below 1, or there is no such form.
    """
    if length < 0 or d_model < 1:
        raise ValueError(f"length {length} must be at least 0 and d_model {d_model} at least 1.")
    positions = torch.arange(length, dtype=torch.float64).unsqueeze(1)  # (length, 1)
    return positions / torch.pow(BASE, _exponents(d_model, form))  # (length, d_model)


def sinusoidal_encoding(
    length: int, d_model: int, dtype: torch.dtype = torch.float32, form: EncodingForm = "paper"
) -> Tensor:
    """PE(pos, 2i) = sin(angle), PE(pos, 2i + 1) = cos(angle): computed in float64, returned as `dtype`.

    `(length, d_model)`; every value lies in [-1, 1].
    """
    angles = sinusoidal_angles(length, d_model, form)
    encoding = torch.empty_like(angles)
    encoding[:, 0::2] = angles[:, 0::2].sin()
    encoding[:, 1::2] = angles[:, 1::2].cos()
    return encoding.to(dtype)


def positional_table(length: int, d_model: int, form: EncodingForm = "paper") -> np.ndarray:
    """`sinusoidal_encoding` as a numpy array, `(length, d_model)` float64."""
    return sinusoidal_encoding(length, d_model, torch.float64, form).numpy()


def wavelengths(d_model: int, form: EncodingForm = "paper", base: float = BASE) -> Tensor:
    """Positions per period of each column, `(d_model,)` float64: 2 pi base^(2i / d_model). The lowest vary fastest."""
    return 2 * math.pi * torch.pow(base, _exponents(d_model, form))


def rotation(shift: int, d_model: int) -> Tensor:
    """The matrix that shifts every position by `shift`: PE(pos + shift) = R PE(pos) for every pos.

    Each pair of columns (2i, 2i + 1) rotates by the angle shift / 10000^(2i / d_model), so R is block diagonal with the
    blocks [[cos, sin], [-sin, cos]] (the observation behind section 3.5: "a linear function of PE(pos)").

    Args:
        shift: positions, of either sign.
        d_model: an even number of columns.

    Returns:
        `(d_model, d_model)` float64, orthogonal.

    Raises:
        ValueError: `d_model` is odd or below 2.
    """
    if d_model < 2 or d_model % 2:
        raise ValueError(f"d_model {d_model} must be even and at least 2, so that sines and cosines come in pairs.")
    exponent = _exponents(d_model, "paper")
    # program: rotation
    angles = shift / 10000 ** exponent[::2]  # of each pair of columns
    blocks = torch.stack([angles.cos(), angles.sin(), -angles.sin(), angles.cos()], dim=1).view(-1, 2, 2)
    turned = torch.block_diag(*blocks)  # (d_model, d_model)
    # end of program
    return turned
