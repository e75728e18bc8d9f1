"""Read the teaching texts: one Markdown file per page and language, in blocks.

`# Title` starts the file and is followed by the lead; each `## id` starts a block. In a translation both end in the
hash of the English text that was translated, `## id <!-- 0a1b2c3d -->`. Marked terms become links to the glossary. A
text that is missing in another language is shown in English. If a file cannot be read, one sentence about that is shown
instead.
"""

import re
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial

from ..shipped_files import ShippedFileError, read_shipped
from . import catalogue, glossary
from .catalogue import TEXT, Message, say_sentence
from .literal import columns
from .numbers import NO_BREAK_SPACE

MISSING = Message("prose.missing", "`{file}` is missing from `{folder}`: restore it with `git checkout -- assets`.")
DAMAGED = Message("prose.damaged", "`{file}` cannot be read in `{folder}`: restore it with `git checkout -- assets`.")

ALTERED = Message(
    "prose.altered",
    "`{file}` in `{folder}` does not match its recorded SHA-256: restore it with `git checkout -- assets`.",
)


# Punctuation, a hyphen within a Hangul word, a formula or code, marks of emphasis after it, and the Hangul after it;
# the spaces before a percent sign and around a times or plus-minus sign; else a formula or code, not read inside.
_JOINED = re.compile(
    r"(\$[^$]+\$|`[^`]*`|%|(?<=[가-힣])-|[)\]\u2260\u201d\u2019\"'])(\*{0,2})(?=[가-힣])"
    r"|\$\$[^$]*\$\$|\$[^$]*\$|`[^`]*`"
    r"| (?=%)|(?<=[\d}]) (?=[\u00d7\u00b1])|(?<=[\d}] [\u00d7\u00b1]) (?=[\d{])"
)
_HEADING = re.compile(r"(##?) (.*?)(?:\s*<!-- ([0-9a-f]{8}) -->)?\s*")


@dataclass
class PageText:
    """The texts of one file."""

    title: str = ""
    blocks: dict[str, str] = field(default_factory=lambda: {"": ""})  # id -> text; the lead has the id ""
    # id -> hash of the English block that was translated, if it is recorded; "" is that of title and lead
    hashes: dict[str, str] = field(default_factory=dict)


def parse(text: str) -> PageText:
    """Split the text of a file into title and blocks."""
    page, id = PageText(), ""
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line)
        if heading is None:
            page.blocks[id] += line + "\n"
            continue
        if heading[1] == "#":
            page.title = heading[2]
        else:
            id = heading[2]
            page.blocks[id] = ""
        if heading[3]:
            page.hashes[id] = heading[3]
    page.blocks = {id: block.strip() for id, block in page.blocks.items()}
    return page


@lru_cache(maxsize=128)
def _blocks(page: str, language: str) -> tuple[str, dict[str, str]]:
    text = parse(catalogue.with_whole_logs(read_shipped(TEXT / language / f"{page}.md").decode("utf-8")))
    return text.title, text.blocks


def title(page: str) -> str:
    """The page's title in the user's language; the name of its file if that cannot be read."""
    try:
        return _with_links(_blocks_or_english(page)[0])
    except (OSError, UnicodeDecodeError):
        return page.replace("_", " ").capitalize()


def lead(page: str) -> str:
    """The sentence under the title about what to look for."""
    return block(page, "")


def block(page: str, id: str, **values: object) -> str:
    """The Markdown under `## id` in the user's language; `values`, if any, replace its placeholders.

    Raises:
        KeyError: the page has no such block.
    """
    try:
        if text := _blocks_or_english(page)[1].get(id):
            with suppress(KeyError, IndexError, ValueError):  # its placeholders are others
                return _with_links(_filled(text, values))
        return _with_links(_filled(_blocks(page, catalogue.ENGLISH)[1][id], values))
    except FileNotFoundError:
        message = MISSING
    except ShippedFileError:
        message = ALTERED
    except (OSError, UnicodeDecodeError):
        message = DAMAGED
    return message(file=f"{page}.md", folder=f"assets/text/{catalogue.ENGLISH}")


def has(page: str, id: str) -> bool:
    """Whether the page has such a block; False if its file cannot be read."""
    try:
        return id in _blocks(page, catalogue.ENGLISH)[1]
    except (OSError, UnicodeDecodeError):
        return False


def _blocks_or_english(page: str) -> tuple[str, dict[str, str]]:
    """Title and blocks in the user's language, or in English if that file is missing or damaged."""
    with suppress(OSError, UnicodeDecodeError):
        return _blocks(page, catalogue.language())
    return _blocks(page, catalogue.ENGLISH)


def _filled(text: str, values: dict[str, object]) -> str:
    return catalogue.fill(text, values) if values else text


def _with_links(text: str) -> str:
    linked = joined(glossary.link_terms(text, partial(block, glossary.PAGE)))
    return catalogue.in_brackets(linked) if catalogue.language() == catalogue.PSEUDO else linked


def joined(text: str) -> str:
    """`text`, whose lines begin neither with a particle or a percent sign nor after the hyphen of a Hangul word."""
    return _JOINED.sub(_join, text)


def _join(match: re.Match[str]) -> str:
    """Join a particle or a sign to what it follows, as a letter would.

    Else a line may end between them, despite `word-break: keep-all`, and CommonMark closes no emphasis there.
    """
    if match[1] is None:
        return NO_BREAK_SPACE if match[0] == " " else match[0]
    return match[1] + glossary.JOINER + match[2]


# Comments of the programs that pages show, in the user's language; code and comments that are shapes stay.

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
