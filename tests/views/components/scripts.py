"""The literals of a script, each with the code around it: enough grammar for this project's own files."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BEFORE_REGEX = re.compile(r"(?:^|[(,=:\[&|?{};]|(?<![\w)\]])!|return)\s*$")  # `a!` is a value that is not undefined


@dataclass(frozen=True)
class Literal:
    """A string, or a template without its expressions.

    Attributes:
        text: its content.
        before, after: the code on both sides of it, in which all literals and comments are blanks.
        written: the original code before it.
    """

    text: str
    before: str
    after: str
    written: str

    @property
    def call(self) -> tuple[str, str]:
        """The function of which it is an argument, and the arguments before it; two empty texts if there is none.

        Lists, places in templates and types between angle brackets do not count; in brackets behind a name it is an
        argument of `[`.
        """
        closed = 0
        for position in range(len(self.before) - 1, -1, -1):
            char = self.before[position]
            if char in ")]}":
                closed += 1
            elif char in "([{" and closed:
                closed -= 1
            elif char == "(" or (char == "[" and re.search(r"[\w)\]]$", self.before[:position])):
                name = re.search(r"(\w*)(?:<[^<>()]*>)?(?:\?\.)?$", self.before[:position])[1]
                return ("[" if char == "[" else name), self.written[position + 1 :]
            elif char == "{" and self.before[position - 1] != "$" and ":" not in self.before[position:]:
                break
        return "", ""


def literals(script: str) -> list[Literal]:
    """All literals of a script, in order."""
    matches, code = [], list(script)
    _code(script, 0, matches, code)
    blank = "".join(code)
    return [Literal(text, blank[:start], blank[end:], script[:start]) for start, end, text in sorted(matches)]


def _code(script: str, position: int, matches: list[tuple[int, int, str]], code: list[str]) -> int:
    """Read code up to the closing brace of the enclosing block, and return its position."""
    depth = 0
    while position < len(script):
        char = script[position]
        if script.startswith("//", position):
            position = _blank(code, position, (script + "\n").index("\n", position))
        elif script.startswith("/*", position):
            position = _blank(code, position, script.index("*/", position) + 2)
        elif char in "\"'":
            end = re.compile(rf"(?:\\.|[^\\{char}\n])*{char}").match(script, position + 1).end()
            matches.append((position, end, script[position + 1 : end - 1]))
            position = _blank(code, position, end)
        elif char == "`":
            position = _template(script, position, matches, code)
        elif char == "/" and _BEFORE_REGEX.search("".join(code[max(0, position - 20) : position])):
            end = re.compile(r"(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/\w*").match(script, position + 1).end()
            position = _blank(code, position, end)
        else:
            depth += (char == "{") - (char == "}")
            if depth < 0:
                return position
            position += 1
    return position


def _template(script: str, start: int, matches: list[tuple[int, int, str]], code: list[str]) -> int:
    position, text, from_ = start + 1, "", start
    while script[position] != "`":
        if script[position] == "\\":
            text += script[position : position + 2]
            position += 2
        elif script.startswith("${", position):
            _blank(code, from_, position)
            from_ = position = _code(script, position + 2, matches, code)
            text += "\0"
            position += 1
        else:
            text += script[position]
            position += 1
    matches.append((start, position + 1, text))
    return _blank(code, from_ + (script[from_] == "}"), position + 1)


def _blank(code: list[str], start: int, end: int) -> int:
    code[start:end] = [" " if char != "\n" else char for char in code[start:end]]
    return end
