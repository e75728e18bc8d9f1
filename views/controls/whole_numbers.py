"""Lists of whole numbers that a person types, such as the lengths of sequences or the sizes of a tensor."""

import re

from ..text.catalogue import Message

_WANTED = Message(
    "numbers.wanted",
    "Type {fewest} to {most} {what}, whole numbers from {smallest} to {largest} with spaces between them.",
)
_OTHER = Message("numbers.other", "Something else is among them.")
_COUNT = Message("numbers.count", "There are {count}.")
_RANGE = Message("numbers.range", "One of them is outside this range.")


def parse(text: str, what: str, count: tuple[int, int], values: tuple[int, int]) -> list[int]:
    """Numbers separated by spaces or commas.

    Args:
        what: they are, as the page says it: "lengths".
        count, values: the least and the most.

    Raises:
        ValueError: what to type and what is wrong, in the reader's language, and nothing of what was typed.
    """
    fewest, most = count
    smallest, largest = values
    rule = _WANTED(what=what, fewest=fewest, most=most, smallest=smallest, largest=largest)
    parts = [part for part in re.split(r"[\s,;]+", text.strip()) if part]
    if not parts:
        raise ValueError(rule)
    # an own alphabet: `isdigit` knows digits of many scripts, and a number of thousands of digits is no length
    if not all(re.fullmatch(r"-?[0-9]{1,6}", part) for part in parts):
        raise ValueError(f"{rule} {_OTHER()}")
    if not fewest <= len(parts) <= most:
        raise ValueError(f"{rule} {_COUNT(count=len(parts))}")
    numbers = [int(part) for part in parts]
    if not all(smallest <= number <= largest for number in numbers):
        raise ValueError(f"{rule} {_RANGE()}")
    return numbers
