"""How a setting stands in the address: the one place where its value is written there and read from there.

In the address a setting is one or more strings under one name. What a codec reads is valid, or there is no value: an
address can hold anything.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from ..text import literal

Raw = tuple[str, ...]  # what the address holds under one name
DIGITS = 18  # more are no number that a control could hold


class Codec(ABC):
    """Reads and writes the values of one control."""

    def write(self, value: object) -> Raw:
        """The strings for a valid value."""
        return (literal.without_surrogates(str(value)),)

    @abstractmethod
    def read(self, raw: Raw) -> object | None:
        """The value; None where the strings hold none that is valid."""

    @abstractmethod
    def valid(self, value: object) -> object | None:
        """A widget's value as this setting takes it; None where it does not."""


@dataclass(frozen=True)
class AnyText(Codec):
    """Any text that UTF-8 can carry."""

    def read(self, raw: Raw) -> str | None:
        return literal.without_surrogates(raw[-1])

    def valid(self, value: object) -> str | None:
        return literal.without_surrogates(value) if isinstance(value, str) else None


@dataclass(frozen=True)
class OneOf(Codec):
    """One of some options."""

    options: Sequence[str]

    def read(self, raw: Raw) -> str | None:
        return next((option for option in self.options if self.write(option) == raw[-1:]), None)

    def valid(self, value: object) -> str | None:
        return value if isinstance(value, str) and value in self.options else None


@dataclass(frozen=True)
class AnyOf(Codec):
    """Any of some options, in the options' order, each a string of its own; one empty string stands for none."""

    options: Sequence[str]

    def write(self, value: object) -> Raw:
        return tuple(literal.without_surrogates(str(option)) for option in value) or ("",)

    def read(self, raw: Raw) -> list[str] | None:
        found = [option for option in self.options if literal.without_surrogates(option) in raw]
        return found if found or raw == ("",) else None

    def valid(self, value: object) -> list[str] | None:
        return [option for option in value if option in self.options] if isinstance(value, list | tuple) else None


@dataclass(frozen=True)
class WholeNumber(Codec):
    """A whole number from `low` to `high`, in steps from `low`.

    Attributes:
        nearest: a value that a change of the limits has put outside moves to the nearest. An address gets no such help.
    """

    low: int
    high: int
    step: int = 1
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
class Decimal(Codec):
    """A decimal number from `low` to `high`."""

    low: float
    high: float

    def write(self, value: object) -> Raw:
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
