"""Parse lists of whole numbers that a user types, such as the lengths of sequences or the sizes of a tensor."""

import re

from ..text.catalogue import Message

_RULE = Message(
    "numbers.wanted",
    "Type {fewest} to {most} {what}, whole numbers from {smallest} to {largest} with spaces between them.",
)
_OTHER = Message("numbers.other", "Something else is among them.")
_COUNT = Message("numbers.count", "There are {count}.")
_RANGE = Message("numbers.range", "One of them is outside this range.")


def parse(text: str, what: str, count: tuple[int, int], values: tuple[int, int]) -> list[int]:
    """Parse numbers separated by spaces or commas.

    Args:
        what: what the numbers are, in the page's words: "lengths".
        count, values: minimum and maximum, of how many there are and of each.

    Raises:
        ValueError: what to type and what is wrong, in the user's language, without the text that was typed.
    """
    fewest, most = count
    smallest, largest = values
    rule = _RULE(what=what, fewest=fewest, most=most, smallest=smallest, largest=largest)
    items = [item for item in re.split(r"[\s,;]+", text.strip()) if item]
    if not items:
        raise ValueError(rule)
    # ASCII digits only: `isdigit` accepts digits of many scripts; a number of thousands of digits is no length either
    if not all(re.fullmatch(r"-?[0-9]{1,6}", item) for item in items):
        raise ValueError(f"{rule} {_OTHER()}")
    if not fewest <= len(items) <= most:
        raise ValueError(f"{rule} {_COUNT(count=len(items))}")
    numbers = [int(item) for item in items]
    if not all(smallest <= number <= largest for number in numbers):
        raise ValueError(f"{rule} {_RANGE()}")
    return numbers
