"""Sines and cosines as a basis: how well the first columns approximate a curve."""

from dataclasses import dataclass

import numpy as np
import torch

CURVES = ("step", "square-wave", "sawtooth", "triangle", "bump", "one-position")
NEW = 0.01  # a column is skipped if less than this share of it is independent of the columns before it


def curve(shape: str, length: int) -> np.ndarray:
    """A curve over the positions, `(length,)` float64 within [-1, 1].

    Raises:
        ValueError: there is no such curve.
    """
    if shape not in CURVES:
        raise ValueError(f"There is no curve {shape!r}; choose one of {', '.join(CURVES)}.")
    # program: curve
    place = torch.arange(length).double() / length  # from 0 to below 1
    phase = 3 * place % 1  # of three periods, likewise
    shapes = {
        "step": torch.where(place < 0.5, -1.0, 1.0),
        "square-wave": torch.where(phase < 0.5, 1.0, -1.0),
        "sawtooth": 2 * phase - 1,
        "triangle": 4 * (phase - 0.5).abs() - 1,
        "bump": torch.exp(-(((place - 0.5) / 0.08) ** 2)),
        "one-position": torch.arange(length) == length // 2,
    }
    target = shapes[shape].double()
    # end of program
    return target.numpy()


def harmonics(length: int, columns: int) -> np.ndarray:
    """The Fourier basis: a constant, then sine and cosine of 1, 2, 3, ... periods over the positions.

    `(length, columns)` float64; the first `length` columns are orthogonal, but a sine of length / 2 periods is 0.
    """
    place = np.arange(length)[:, None] / max(length, 1)
    periods = (np.arange(columns) + 1) // 2  # 0 1 1 2 2 ...
    shift = np.where(np.arange(columns) % 2, 0.0, np.pi / 2)
    return np.sin(2 * np.pi * periods * place + shift)


@dataclass(frozen=True, eq=False)
class BasisFit:
    """Least squares of a curve on the first n columns, for every n at once."""

    # `(columns + 1,)`: residual of the first n columns as a share of the curve's norm; it never rises
    residuals: np.ndarray
    used: np.ndarray  # `(columns,)` bool: False for a column that nearly depends on those before it
    approximation: np.ndarray  # `(length,)` the best sum of the first `first` columns


def fit_columns(target: np.ndarray, table: np.ndarray, first: int) -> BasisFit:
    """Fit `target` with the columns of `table`, adding one column at a time.

    Each column is made orthogonal to those already used (Gram and Schmidt, twice for rounding). Neighbouring slow waves
    hardly differ over few positions: a column of which less than `NEW` remains is skipped, since its coefficient would
    be huge and cancel an equally huge one.

    Args:
        target: `(length,)`, not all 0.
        table: `(length, columns)`.
        first: number of columns that `approximation` may use.

    Raises:
        ValueError: `first` is not between 0 and the number of columns.
    """
    length, columns = table.shape
    if not 0 <= first <= columns:
        raise ValueError(f"{first} columns were requested; there are {columns}.")
    basis = np.zeros((min(length, columns), length))  # orthonormal rows
    left = target.astype(np.float64)
    whole = np.linalg.norm(left)
    approximation = np.zeros(length)
    residuals, used = np.ones(columns + 1), np.zeros(columns, dtype=bool)
    count = 0
    for column in range(columns):
        new = table[:, column].astype(np.float64)
        size = float(np.linalg.norm(new))
        for _ in range(2):
            new = new - (basis[:count] @ new) @ basis[:count]
        if count < len(basis) and np.linalg.norm(new) > NEW * max(size, 1e-9):
            basis[count] = new / np.linalg.norm(new)
            share = (basis[count] @ left) * basis[count]
            left = left - share
            used[column] = True
            count += 1
            if column < first:
                approximation += share
        residuals[column + 1] = np.linalg.norm(left) / whole
    return BasisFit(np.minimum.accumulate(residuals), used, approximation)  # rounding may lift a residual by 1e-17
