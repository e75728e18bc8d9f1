"""The error of all causal methods."""

from collections.abc import Iterable, Sized
from numbers import Integral
from typing import Any

from ..runtime.messages import UserError

LONGEST = 60  # characters of a value that are quoted


class CausalError(UserError, ValueError):
    """An experiment that is impossible on this network or input; the message is one sentence for the user."""


def check_whole(name: str, value: Any, least: int | None = None, most: int | None = None) -> int:
    """A whole number that a caller or a saved recipe gave.

    Args:
        name: of the argument.
        least, most: its range, where the caller of this function has no sentence of its own for it.

    Raises:
        CausalError: it is something else, or outside of the range.
    """
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise CausalError("`{name}` must be a whole number, not {value}.", name=name, value=_quoted(value))
    number = int(value)
    if (least is not None and number < least) or (most is not None and number > most):
        raise CausalError(
            "`{name}` must be from {least} to {most}, not {value}.", name=name, least=least, most=most, value=number
        )
    return number


def check_all_whole(name: str, values: Any) -> list[int]:
    """Several whole numbers that a caller or a saved recipe gave.

    Raises:
        CausalError: it is no list, or something else is in it.
    """
    if not isinstance(values, Iterable) or not isinstance(values, Sized) or isinstance(values, str | bytes):
        raise CausalError("`{name}` must be a list of whole numbers, not {value}.", name=name, value=_quoted(values))
    return [check_whole(name, value) for value in values]


def check_choice(name: str, value: Any, known: Iterable[str]) -> str:
    """One of several names.

    Raises:
        CausalError: it is none of them.
    """
    names = tuple(known)
    if not isinstance(value, str) or value not in names:
        raise CausalError(
            "`{name}` must be one of {known}, not {value}.", name=name, known=", ".join(names), value=_quoted(value)
        )
    return value


def _quoted(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
