"""The teaching text: one Markdown file a page and language, one heading a block.

`# Title` starts the file and is followed by the lead; each `## Heading` starts a block. Another language is another
folder beside `en`. Where a file is missing or not text, one sentence that says so takes the place of its text, and the
rest of the page goes on.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

TEXT = Path(__file__).parent.parent.parent / "assets" / "text"


@lru_cache(maxsize=32)
def _blocks(page: str, language: str) -> tuple[str, dict[str, str]]:
    title, blocks, heading = "", {"": ""}, ""
    for line in (TEXT / language / f"{page}.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            title = line[2:].strip()
        elif line.startswith("## "):
            heading = line[3:].strip()
            blocks[heading] = ""
        else:
            blocks[heading] += line + "\n"
    return title, {heading: text.strip() for heading, text in blocks.items()}


def title(page: str, language: str = "en") -> str:
    """The page's title; the name of its file where that cannot be read."""
    try:
        return _blocks(page, language)[0]
    except (OSError, UnicodeDecodeError):
        return page.replace("_", " ").capitalize()


def lead(page: str, language: str = "en") -> str:
    """One sentence under the title that says what to look for."""
    return block(page, "", language)


def block(page: str, heading: str, language: str = "en") -> str:
    """The Markdown under `## heading`.

    Raises:
        KeyError: the page has no such heading.
    """
    try:
        return _blocks(page, language)[1][heading]
    except FileNotFoundError:
        trouble = "is missing from"
    except (OSError, UnicodeDecodeError):
        trouble = "cannot be read in"
    return f"`{page}.md` {trouble} `assets/text/{language}`: restore it with `git checkout -- assets`."
