"""Read JSON that nobody trusts: no file takes much memory or time, whatever it contains.

The author of a file decides how long it is, how many values it has and how long its numbers are; Python would take ten
times its bytes for short values, and time that grows with the square of a number's digits.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from .errors import OpenError

LARGEST_JSON = 5_000_000  # bytes of config.json and other files of settings
LARGEST_INDEX = 20_000_000  # bytes of an index, which names the file of every tensor
LARGEST_HEADER = 20_000_000  # bytes of the header of a safetensors file
MOST_VALUES = 500_000  # in one file; a tensor has ten in a header
MOST_DIGITS = 40  # of one number; the longest that the library writes has 31

Pairs = list[tuple[str, Any]]


def read_bounded(stream: BinaryIO, file: Path, largest: int = LARGEST_JSON) -> Any:
    """The content of a file of settings.

    Args:
        stream: the open file.
        largest: bytes.

    Raises:
        OpenError: it is larger, or contains more than is read.
        ValueError: it is not JSON, or not UTF-8.
        RecursionError: it is nested too deeply.
    """
    content = stream.read(largest + 1)
    if len(content) > largest:
        raise OpenError(
            "{file} has more than {limit} MB, more than any model needs; save or download the model again.",
            file=file.name,
            limit=largest // 1_000_000,
        )
    return parse_bounded(content, file)


def parse_bounded(content: bytes, file: Path, make_object: Callable[[Pairs], dict] | None = None) -> Any:
    """The value that some JSON describes; `file` is named in messages.

    Args:
        make_object: from names and values, in place of `dict`.

    Raises:
        OpenError: it has more than `MOST_VALUES` values, or a number of more than `MOST_DIGITS` digits.
        ValueError: it is not JSON, or not UTF-8.
        RecursionError: it is nested too deeply.
    """
    # every value but the first follows one of these signs; those in texts are counted too
    if sum(map(content.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise OpenError(
            "{file} has more than {limit} values, more than any model needs; save or download the model again.",
            file=file.name,
            limit=MOST_VALUES,
        )

    def check_digits(digits: str) -> str:
        if len(digits) > MOST_DIGITS:
            raise OpenError(
                "{file} has a number of more than {limit} digits; save or download the model again.",
                file=file.name,
                limit=MOST_DIGITS,
            )
        return digits

    return json.loads(
        content.decode("utf-8"),
        parse_int=lambda digits: int(check_digits(digits)),
        parse_float=lambda digits: float(check_digits(digits)),
        object_pairs_hook=make_object,
    )
