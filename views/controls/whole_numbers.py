"""Lists of whole numbers that a person types, such as the lengths of sequences or the sizes of a tensor."""

from __future__ import annotations

import re


def parse(text: str, what: str, count: tuple[int, int], values: tuple[int, int]) -> list[int]:
    """Numbers separated by spaces or commas.

    Args:
        what: what they are, plural, for the sentence that refuses them: "lengths".
        count: fewest and most numbers.
        values: smallest and largest number.

    Raises:
        ValueError: something else is in the text, or too few, too many, too small or too large numbers; one sentence
            that says what to type, and none of what was typed.
    """
    fewest, most = count
    smallest, largest = values
    how_many = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    wanted = f"Type {how_many} {what}, whole numbers from {smallest} to {largest} with spaces between them"
    parts = [part for part in re.split(r"[\s,;]+", text.strip()) if part]
    if not parts:
        raise ValueError(f"{wanted}.")
    # an own alphabet: `isdigit` knows digits of many scripts, and a number of thousands of digits is no length
    if not all(re.fullmatch(r"[0-9]{1,6}", part) for part in parts):
        raise ValueError(f"{wanted}; something else is among them.")
    if not fewest <= len(parts) <= most:
        raise ValueError(f"{wanted}; there are {len(parts)}.")
    numbers = [int(part) for part in parts]
    if not all(smallest <= number <= largest for number in numbers):
        raise ValueError(f"{wanted}; one of them is outside this range.")
    return numbers
