"""Sinusoidal position encodings (Vaswani et al. 2017, section 3.5)."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def sinusoidal_angles(length: int, d_model: int) -> Tensor:
    """The angle pos / 10000^(2i / d_model) behind every cell of the encoding, in radians.

    Columns 2i and 2i + 1 share one frequency, as the paper writes it.

    Args:
        length: number of positions, at least 0.
        d_model: number of columns.

    Returns:
        `(length, d_model)` float64.

    Raises:
        ValueError: `length` is negative or `d_model` is below 1.
    """
    if length < 0 or d_model < 1:
        raise ValueError(f"length {length} must be at least 0 and d_model {d_model} at least 1.")
    positions = torch.arange(length, dtype=torch.float64).unsqueeze(1)  # (length, 1)
    pair = torch.arange(d_model, dtype=torch.float64) // 2  # (d_model,): 0 0 1 1 2 2 ...
    return positions / torch.pow(10000.0, 2 * pair / d_model)  # (length, d_model)


def sinusoidal_encoding(length: int, d_model: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """PE(pos, 2i) = sin(angle), PE(pos, 2i + 1) = cos(angle): computed in float64, returned as `dtype`.

    Returns:
        `(length, d_model)`; every value lies in [-1, 1].
    """
    angles = sinusoidal_angles(length, d_model)
    encoding = torch.empty_like(angles)
    encoding[:, 0::2] = angles[:, 0::2].sin()
    encoding[:, 1::2] = angles[:, 1::2].cos()
    return encoding.to(dtype)


def wavelengths(d_model: int) -> Tensor:
    """Positions per full turn of each column: 2 pi 10000^(2i / d_model). The lowest columns vary fastest.

    Returns:
        `(d_model,)` float64, in positions.
    """
    pair = torch.arange(d_model, dtype=torch.float64) // 2
    return 2 * math.pi * torch.pow(10000.0, 2 * pair / d_model)
