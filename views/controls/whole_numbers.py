"""Parse lists of whole numbers that a user types, such as the lengths of sequences or the sizes of a tensor."""

import re

from ..text.catalogue import Message
from .typed_lists import split_rows

_RULE = Message(
    "numbers.wanted",
    "Type {fewest} to {most} {what}, whole numbers from {smallest} to {largest} with spaces or commas between them.",
)
_OTHER = Message("numbers.other", "Something here is not a whole number.")
_COUNT = Message("numbers.count", "There are {count}.")
_RANGE = Message("numbers.range", "One of them is outside this range.")
# ASCII digits only: `isdigit` accepts digits of many scripts. PyTorch prints whole floats as `3.`
_WHOLE = re.compile(r"([-+]?)0*([0-9]+?)(?:\.0*)?")
_LONGEST = 12  # digits; longer numbers are outside every range


def parse(text: str, what: str, count: tuple[int, int], values: tuple[int, int]) -> list[int]:
    """Parse one list of numbers, in any form that `typed_lists.split_rows` reads.

    Args:
        what: what the numbers are, in the page's words: "lengths".
        count, values: minimum and maximum, of how many there are and of each.

    Raises:
        ValueError: what to type and what is wrong, in the user's language, without the text that was typed.
    """
    return check([item for row in split_rows(text) for item in row], what, count, values)


def check(items: list[str], what: str, count: tuple[int, int], values: tuple[int, int]) -> list[int]:
    """Convert the items of one list; arguments and errors as of `parse`."""
    fewest, most = count
    smallest, largest = values
    rule = _RULE(what=what, fewest=fewest, most=most, smallest=smallest, largest=largest)
    if not items:
        raise ValueError(rule)
    matches = [_WHOLE.fullmatch(item) for item in items]
    if not all(matches):
        raise ValueError(f"{rule} {_OTHER()}")
    if not fewest <= len(items) <= most:
        raise ValueError(f"{rule} {_COUNT(count=len(items))}")
    numbers = [int(match[1] + match[2]) if len(match[2]) <= _LONGEST else None for match in matches if match]
    valid = [number for number in numbers if number is not None and smallest <= number <= largest]
    if len(valid) < len(numbers):
        raise ValueError(f"{rule} {_RANGE()}")
    return valid
