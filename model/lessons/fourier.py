"""The Fourier series of a curve over positions: its coefficients a_n and b_n by their formulas, and sums of its terms.

    f(pos) = a_0 / 2 + sum over n of  a_n cos(2 pi n pos / L) + b_n sin(2 pi n pos / L)

    a_n = 2 / L  sum over pos of f(pos) cos(2 pi n pos / L),   b_n the same with the sine

The integrals of the textbook are sums here, since a curve over positions is known at whole positions only.
"""

from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True, eq=False)
class Fourier:
    """The coefficients of a curve over `length` positions; `n` is the number of periods, from 0 to length // 2."""

    length: int
    a: np.ndarray  # `(length // 2 + 1,)` of the cosines; the first is twice the mean
    b: np.ndarray  # `(length // 2 + 1,)` of the sines; the first is 0
    sizes: np.ndarray  # `(length // 2 + 1,)` sqrt(a_n^2 + b_n^2), the amplitude of each n

    def sum(self, columns: int) -> np.ndarray:
        """Sum of the first `columns` terms: a_0 / 2, b_1, a_1, b_2, a_2, ... `(length,)`.

        All `length` of them, one more where the length is even, are the curve itself: nothing is fitted.
        """
        place, total = np.arange(self.length) / self.length, np.zeros(self.length)
        for column in range(columns):
            n = (column + 1) // 2
            if n > self.length // 2:
                break
            angle = 2 * np.pi * n * place
            # n = 0, and n = length / 2, would be counted twice
            share = 0.5 if n == 0 or 2 * n == self.length else 1.0
            total += share * (self.b[n] * np.sin(angle) if column % 2 else self.a[n] * np.cos(angle))
        return total

    def difference(self, curve: np.ndarray) -> float:
        """Largest |difference| of any coefficient to that of the fast Fourier transform."""
        reference = 2 / self.length * np.fft.rfft(curve)
        return float(max(np.abs(self.a - reference.real).max(), np.abs(self.b + reference.imag).max()))


def fourier_coefficients(curve: np.ndarray) -> Fourier:
    """Compute the coefficients of `curve`, `(length,)`, by the formulas.

    Raises:
        ValueError: there are no positions.
    """
    length = len(curve)
    if not length:
        raise ValueError("A curve over no positions has no coefficients.")
    target = torch.from_numpy(curve)
    # program: fourier
    turns = torch.arange(length // 2 + 1)[:, None] * torch.arange(length)  # (0, 1, 2, ... whole turns, position)
    angles = 2 * torch.pi * (turns % length).double() / length  # within one turn
    a, b = 2 / length * angles.cos() @ target, 2 / length * angles.sin() @ target
    sizes = torch.hypot(a, b)
    # end of program
    return Fourier(length, a.numpy(), b.numpy(), sizes.numpy())
