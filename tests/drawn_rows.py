"""Names of rows as tests expect them on screen, from the tokens of a trace, without the program's own function."""

from __future__ import annotations

from typing import Any


def shown(token: str) -> str:
    """A token as pages write it: without the space before a word; one that is nothing else has a sign."""
    return token.strip() or "\u2423"


def row_names(trace: Any, kind: str) -> list[str]:
    """The tokens read at the queries of a kind; of a decoder, with the token that was chosen after each."""
    read = list(map(shown, trace.axes(kind)[0]))
    if kind == "encoder" or trace.given:
        return read
    return [f"{token} \u2192 {shown(chosen)}" for token, chosen in zip(read, trace.next_tokens, strict=True)]
