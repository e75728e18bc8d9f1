"""Read the teaching texts: one Markdown file per page and language, in blocks.

`# Title` starts the file and is followed by the lead; each `## id` starts a block. Marked terms become links to the
glossary. A text that is missing in another language is shown in English. If a file cannot be read, one sentence about
that is shown instead.
"""

from contextlib import suppress
from functools import lru_cache, partial

from ..shipped_files import ShippedFileError, read_shipped
from . import catalogue, glossary
from .catalogue import TEXT, Message

MISSING = Message("prose.missing", "`{file}` is missing from `{folder}`: restore it with `git checkout -- assets`.")
DAMAGED = Message("prose.damaged", "`{file}` cannot be read in `{folder}`: restore it with `git checkout -- assets`.")

ALTERED = Message(
    "prose.altered",
    "`{file}` in `{folder}` does not match its recorded SHA-256: restore it with `git checkout -- assets`.",
)


@lru_cache(maxsize=32)
def _blocks(page: str, language: str) -> tuple[str, dict[str, str]]:
    title, blocks, heading = "", {"": ""}, ""
    for line in read_shipped(TEXT / language / f"{page}.md").decode("utf-8").splitlines():
        if line.startswith("# "):
            title = line[2:].strip()
        elif line.startswith("## "):
            heading = line[3:].strip()
            blocks[heading] = ""
        else:
            blocks[heading] += line + "\n"
    return title, {heading: text.strip() for heading, text in blocks.items()}


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
    return text.format(**values) if values else text


def _with_links(text: str) -> str:
    linked = glossary.link_terms(text, partial(block, glossary.PAGE))
    return catalogue.in_brackets(linked) if catalogue.language() == catalogue.PSEUDO else linked
