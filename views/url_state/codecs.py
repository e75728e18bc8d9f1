"""Convert settings to and from URL query parameters.

In the URL a setting is one or more strings under one name. URLs can contain anything, so a codec returns a valid value
or None.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..text import literal

Raw = tuple[str, ...]  # the strings of one query parameter
DIGITS = 18  # no control holds a number with more

T = TypeVar("T")
Option = TypeVar("Option", bound=str)


class Codec(ABC, Generic[T]):
    """Reads and writes the values of one control."""

    def write(self, value: T) -> Raw:
        """The strings for a valid value."""
        return (literal.without_surrogates(str(value)),)

    @abstractmethod
    def read(self, raw: Raw) -> T | None:
        """The value; None if the strings contain no valid one."""

    @abstractmethod
    def valid(self, value: object) -> T | None:
        """A widget's value, changed to a valid one where this codec does so; None if it is invalid."""


@dataclass(frozen=True)
class AnyText(Codec[str]):
    """Any text that UTF-8 can carry."""

    def read(self, raw: Raw) -> str | None:
        return literal.without_surrogates(raw[-1])

    def valid(self, value: object) -> str | None:
        return literal.without_surrogates(value) if isinstance(value, str) else None


@dataclass(frozen=True)
class OneOf(Codec[Option]):
    """One of some options."""

    options: Sequence[Option]

    def read(self, raw: Raw) -> Option | None:
        return next((option for option in self.options if self.write(option) == raw[-1:]), None)

    def valid(self, value: object) -> Option | None:
        return next((option for option in self.options if isinstance(value, str) and option == value), None)


@dataclass(frozen=True)
class AnyOf(Codec[list[str]]):
    """Any of some options, in the options' order, each a string of its own; one empty string means none."""

    options: Sequence[str]

    def write(self, value: list[str]) -> Raw:
        return tuple(literal.without_surrogates(str(option)) for option in value) or ("",)

    def read(self, raw: Raw) -> list[str] | None:
        selected = [option for option in self.options if literal.without_surrogates(option) in raw]
        return selected if selected or raw == ("",) else None

    def valid(self, value: object) -> list[str] | None:
        return [option for option in value if option in self.options] if isinstance(value, list | tuple) else None


@dataclass(frozen=True)
class WholeNumber(Codec[int]):
    """A whole number from `low` to `high`, in steps from `low`."""

    low: int
    high: int
    step: int = 1
    # a widget's value outside the limits, which may have changed, moves to the nearest. A URL's does not.
    nearest: bool = False

    def read(self, raw: Raw) -> int | None:
        number = _number(raw[-1])
        if number is None or number != int(number) or not self.low <= number <= self.high:
            return None
        return self.valid(int(number))

    def valid(self, value: object) -> int | None:
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        if self.nearest:
            value = min(max(value, self.low), self.high)
        return value - (value - self.low) % self.step if self.low <= value <= self.high else None


@dataclass(frozen=True)
class Decimal(Codec[float]):
    """A decimal number from `low` to `high`."""

    low: float
    high: float

    def write(self, value: float) -> Raw:
        return (f"{value:.12g}",)

    def read(self, raw: Raw) -> float | None:
        number = _number(raw[-1])
        return None if number is None else self.valid(float(number))

    def valid(self, value: object) -> float | None:
        return value if isinstance(value, float) and self.low <= value <= self.high else None


def _number(text: str) -> float | None:
    """A finite number in plain or scientific notation."""
    if len(text) > 2 * DIGITS or not re.fullmatch(r"\s*[+-]?[0-9.]+(e[+-]?[0-9]{1,3})?\s*", text, re.ASCII | re.I):
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and abs(number) < 10.0**DIGITS else None
