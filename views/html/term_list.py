"""The glossary as an HTML list: terms with definitions and links to the parts that show them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..text import glossary, literal


@dataclass(frozen=True)
class GlossaryEntry:
    """One term."""

    name: str  # the term
    text: str  # Markdown that begins with the term in bold and a colon
    page: str  # title of the page that shows it
    address: str  # URL of the part there
    english: str = ""  # its English name, by which it can be found in every language

    @property
    def names(self) -> tuple[str, str]:
        """The names by which it can be found, without regard to case."""
        return self.name.casefold(), self.english.casefold()


def matching_entries(entries: Sequence[GlossaryEntry], query: str) -> list[GlossaryEntry]:
    """The entries that contain `query`: an exact term alone, else matching terms before matching definitions."""
    sought = query.casefold().strip()
    by_name = [entry for entry in entries if any(sought in name for name in entry.names)]
    if sought and (exact := [entry for entry in by_name if sought in entry.names]):
        return exact
    return by_name + [entry for entry in entries if sought in entry.text.casefold() and entry not in by_name]


def terms_html(entries: Sequence[GlossaryEntry]) -> str:
    """The terms with their definitions, each with a link."""
    items = "".join(
        f"<dt>{literal.html(entry.name)}</dt><dd>{_explanation(entry)} "
        f'<a href="{literal.html(entry.address)}" target="_self" aria-label="{literal.html(entry.name)}: '
        f'{literal.html(entry.page)}">{literal.html(entry.page)}</a></dd>'
        for entry in entries
    )
    return f'<dl class="aa-terms">{items}</dl>'


def _explanation(entry: GlossaryEntry) -> str:
    """The definition without the term, which is above it."""
    text = glossary.plain_text(re.sub(r"\*\*.+?\*\*:?\s*", "", entry.text, count=1))
    has_capitals = not re.search("[가-힣]", text)  # a Korean sentence may begin with softmax
    return literal.html((text[:1].upper() if has_capitals else text[:1]) + text[1:])
