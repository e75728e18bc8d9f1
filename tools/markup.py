"""Find Markdown that is not rendered: emphasis that CommonMark does not close, links and terms that are none.

`**"word"**는` is not bold: a closing `**` after punctuation must precede a space or punctuation (CommonMark 0.31,
6.2), which a Korean particle is not. Two single tildes, as in `3~5 and 7~9`, strike out what is between them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterator

# code, formulas and tags, which end in punctuation; an escaped character; a placeholder, read as letters
_UNMARKED = re.compile(r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]+\$|<[^>\n]*>|\\.|\{[^{}]*\}", re.DOTALL)
_RUN = re.compile(r"\*+")
_LIST_ITEM = re.compile(r"(?m)^(\s*)[*+-] ")
_TERM = re.compile(r"\]\(term:([^)\s]*)")
_BROKEN_LINK = re.compile(r"\] \((?:term:|https?:|[a-z]+\?)|\]\((?:term:|https?:)[^)\s]*(?:\s|$)")
_LOOKAROUND = 12  # characters of a text that a message quotes


def problems(text: str, terms: Container[str]) -> list[str]:
    """What of a text in Markdown does not render, as sentences; `terms` are the ids of the glossary."""
    plain = _UNMARKED.sub(_blank, _LIST_ITEM.sub(r"\1  ", text))
    found = [
        f'"{_around(text, place)}" is not rendered as emphasis'
        for part in _paragraphs(plain)
        for place in _unmatched(*part)
    ]
    found += [f"there is no term {id}" for id in _TERM.findall(text) if id not in terms]
    found += [f'"{match[0]}" is no link' for match in _BROKEN_LINK.finditer(text)]
    tildes = [match.start() for match in re.finditer(r"(?<![~\s])~(?![~\s])", plain)]
    found += [f'"{_around(text, tildes[0])}" is struck out: write \u2013 instead of ~'] if len(tildes) > 1 else []
    return found


def _blank(match: re.Match) -> str:
    """Text of the same length without marks, which ends in the same kind of character."""
    if match[0][0] == "{":
        return "x" * len(match[0])
    return "." * len(match[0])


def _paragraphs(text: str) -> Iterator[tuple[str, int]]:
    """Each paragraph with its place: emphasis does not extend over several."""
    place = 0
    for part in re.split(r"(\n[ \t]*\n)", text):
        yield part, place
        place += len(part)


def _unmatched(text: str, offset: int) -> Iterator[int]:
    """The places of asterisks that CommonMark leaves as they are, but for those between spaces."""
    open_runs: list[tuple[int, int]] = []  # place, how many asterisks are left
    for match in _RUN.finditer(text):
        before, after = text[match.start() - 1 : match.start()] or " ", text[match.end() : match.end() + 1] or " "
        left, right = _flanks(before, after), _flanks(after, before)
        place, count = match.start(), len(match[0])
        while right and count and open_runs:
            opened_at, waiting = open_runs.pop()
            used = min(waiting, count)
            count -= used
            if waiting > used:
                open_runs.append((opened_at, waiting - used))
        if count and left:
            open_runs.append((place, count))
        elif count and not (before.isspace() and after.isspace()):
            yield offset + place
    yield from (offset + place for place, _ in open_runs)


def _flanks(before: str, after: str) -> bool:
    """Whether a run of asterisks between these characters is left-flanking; with both exchanged, right-flanking."""
    return not after.isspace() and (not _is_punctuation(after) or before.isspace() or _is_punctuation(before))


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"


def _around(text: str, place: int) -> str:
    return " ".join(text[max(0, place - _LOOKAROUND) : place + _LOOKAROUND].split())
