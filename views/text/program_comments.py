"""Comments of the programs that pages show, in the user's language; code and comments that are shapes stay."""

import re
import textwrap
from collections.abc import Iterator

from .catalogue import say_sentence
from .literal import columns

WIDTH = 120  # letters of a line, of which a wide one takes two
_COMMENT = re.compile(r"(.*?)((?:^|  )# )(.*)")
_MARKED = re.compile(r"^ *# program: (.+)\n((?:.*\n)*?) *# end of program$", re.MULTILINE)
_NOT_WORDS = re.compile(r"\([^()]*\)|noqa\b.*")  # a shape, or a mark for linters


def _parts(program: str) -> Iterator[tuple[str, str]]:
    """Yield code and comment of each line, either of which may be empty; comment lines in a row are one comment."""
    block: list[str] = []
    for line in program.splitlines():
        match = _COMMENT.fullmatch(line)
        code, comment = (match[1], match[3]) if match else (line, "")
        if comment and not code:
            block.append(comment)
            continue
        if block:
            yield "", " ".join(block)
            block = []
        yield code, comment
    if block:
        yield "", " ".join(block)


def marked_programs(module: str) -> dict[str, str]:
    """The programs between marks in a module, by the names in their marks, without their indentation."""
    return {name: textwrap.dedent(lines) for name, lines in _MARKED.findall(module)}


def comments_in(program: str) -> list[str]:
    """The comments of a program that consist of words."""
    return [comment for _, comment in _parts(program) if comment and not _NOT_WORDS.fullmatch(comment)]


def with_translated_comments(program: str) -> str:
    """A program with its comments in the user's language."""
    lines: list[str] = []
    for code, comment in _parts(program):
        words = comment if not comment or _NOT_WORDS.fullmatch(comment) else " ".join(say_sentence(comment).split())
        if code or not words:
            lines.append(f"{code}  # {words}" if words else code)
        else:
            lines += _wrap_comment(words)
    return "\n".join(lines)


def _wrap_comment(words: str) -> list[str]:
    lines = ["#"]
    for word in words.split():
        if lines[-1] != "#" and columns(f"{lines[-1]} {word}") > WIDTH:
            lines.append("#")
        lines[-1] += f" {word}"
    return lines
