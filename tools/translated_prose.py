"""Compare translated prose with the English blocks: which are missing, stale, not recorded or unused.

A heading of a translated block ends in the hash of the English block that was translated. `record_hashes` writes it
where there is none; a translator who has translated a changed block anew deletes the old hash.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from views.text import prose
from views.text.catalogue import ENGLISH

State = Literal["translated", "missing", "stale", "unrecorded", "unused"]
_HEADING = re.compile(r"(?m)^(##? )(.*?)[ \t]*$")


@dataclass(frozen=True)
class Block:
    """One block in two languages; a text is empty where it does not exist. Title and lead are the block ""."""

    page: str
    id: str
    state: State
    english: str
    translation: str

    def __str__(self) -> str:
        return f"{self.page}.md, {self.id or 'title and lead'}"


def block_hash(english: str) -> str:
    """The hash that a translation of this English block records."""
    return hashlib.sha256(english.encode()).hexdigest()[:8]


def blocks(folder: Path, language: str) -> Iterator[Block]:
    """Yield every block of English prose with its translation, and translations of blocks that do not exist."""
    names = {path.stem for code in (ENGLISH, language) for path in (folder / code).glob("*.md")}
    for page in sorted(names):
        english, translated = _page(folder / ENGLISH / f"{page}.md"), _page(folder / language / f"{page}.md")
        source, target = _blocks(english), _blocks(translated)
        for id in {**source, **target}:
            yield Block(page, id, _state(id, source, target, translated.hashes), source.get(id, ""), target.get(id, ""))


def _page(path: Path) -> prose.PageText:
    return prose.parse(path.read_text(encoding="utf-8")) if path.is_file() else prose.PageText()


def _blocks(page: prose.PageText) -> dict[str, str]:
    """The blocks that have a text, with the title before the lead."""
    texts = {**page.blocks, "": f"{page.title}\n\n{page.blocks['']}".strip()}
    return {id: text for id, text in texts.items() if text}


def _state(id: str, source: dict[str, str], target: dict[str, str], hashes: dict[str, str]) -> State:
    if id not in source:
        return "unused"
    if id not in target:
        return "missing"
    if id not in hashes:
        return "unrecorded"
    return "translated" if hashes[id] == block_hash(source[id]) else "stale"


def record_hashes(folder: Path, language: str) -> None:
    """Write the hash of the English block to every translated block that has none."""
    for path in sorted((folder / language).glob("*.md")):
        text = path.read_text(encoding="utf-8")
        source, page = _blocks(_page(folder / ENGLISH / path.name)), prose.parse(text)

        def heading(match: re.Match, source: dict[str, str] = source, page: prose.PageText = page) -> str:
            id = match[2] if match[1] == "## " else ""
            is_new = id in source and id not in page.hashes and not match[2].endswith("-->")
            return f"{match[1]}{match[2]} <!-- {block_hash(source[id])} -->" if is_new else match[0]

        if (recorded := _HEADING.sub(heading, text)) != text:
            path.write_text(recorded, encoding="utf-8")
