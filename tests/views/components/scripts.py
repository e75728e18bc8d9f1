"""The literals of a script, each with the code around it: enough grammar for this project's own files."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BEFORE_REGEX = re.compile(r"(?:^|[(,=:\[!&|?{};]|return)\s*$")


@dataclass(frozen=True)
class Literal:
    """A string, or a template without what stands in its places.

    Attributes:
        text: what it holds.
        before, after: the code on both sides of it, in which all literals and comments are blanks.
        written: the code before it as it is written.
    """

    text: str
    before: str
    after: str
    written: str

    @property
    def call(self) -> tuple[str, str]:
        """What it is an argument of, and what is written in front of it there; two empty texts if of nothing.

        Lists and places in templates do not count; in brackets behind a name it is an argument of `[`.
        """
        closed = 0
        for place in range(len(self.before) - 1, -1, -1):
            char = self.before[place]
            if char in ")]}":
                closed += 1
            elif char in "([{" and closed:
                closed -= 1
            elif char == "(" or (char == "[" and re.search(r"[\w)\]]$", self.before[:place])):
                name = re.search(r"(\w*)(?:\?\.)?$", self.before[:place])[1]
                return ("[" if char == "[" else name), self.written[place + 1 :]
            elif char == "{" and self.before[place - 1] != "$" and ":" not in self.before[place:]:
                break
        return "", ""


def literals(script: str) -> list[Literal]:
    """All of them, in order."""
    found, code = [], list(script)
    _code(script, 0, found, code)
    blank = "".join(code)
    return [Literal(text, blank[:start], blank[end:], script[:start]) for start, end, text in sorted(found)]


def _code(script: str, place: int, found: list[tuple[int, int, str]], code: list[str]) -> int:
    """Read code up to a brace that closes more than was opened, and say where that is."""
    depth = 0
    while place < len(script):
        char = script[place]
        if script.startswith("//", place):
            place = _blank(code, place, (script + "\n").index("\n", place))
        elif script.startswith("/*", place):
            place = _blank(code, place, script.index("*/", place) + 2)
        elif char in "\"'":
            end = re.compile(rf"(?:\\.|[^\\{char}\n])*{char}").match(script, place + 1).end()
            found.append((place, end, script[place + 1 : end - 1]))
            place = _blank(code, place, end)
        elif char == "`":
            place = _template(script, place, found, code)
        elif char == "/" and _BEFORE_REGEX.search("".join(code[max(0, place - 20) : place])):
            end = re.compile(r"(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/\w*").match(script, place + 1).end()
            place = _blank(code, place, end)
        else:
            depth += (char == "{") - (char == "}")
            if depth < 0:
                return place
            place += 1
    return place


def _template(script: str, start: int, found: list[tuple[int, int, str]], code: list[str]) -> int:
    place, text, from_ = start + 1, "", start
    while script[place] != "`":
        if script[place] == "\\":
            text += script[place : place + 2]
            place += 2
        elif script.startswith("${", place):
            _blank(code, from_, place)
            from_ = place = _code(script, place + 2, found, code)
            text += "\0"
            place += 1
        else:
            text += script[place]
            place += 1
    found.append((start, place + 1, text))
    return _blank(code, from_ + (script[from_] == "}"), place + 1)


def _blank(code: list[str], start: int, end: int) -> int:
    code[start:end] = [" " if char != "\n" else char for char in code[start:end]]
    return end
