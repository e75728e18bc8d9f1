"""Terms with their explanations and where they are shown, as a list in HTML."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..text import literal

STYLE = """<style>
.aa-terms { max-width: 60rem; margin: 0; padding: 0 }
.aa-terms dt { font-weight: 600; margin-top: .9rem }
.aa-terms dd { margin: .1rem 0 0; line-height: 1.5 }
.aa-terms a { white-space: nowrap; color: inherit }
</style>"""


@dataclass(frozen=True)
class GlossaryEntry:
    """One term.

    Attributes:
        name: the term.
        text: Markdown that begins with the term in bold and a colon.
        page: what the page is called that shows it.
        address: of the part there.
    """

    name: str
    text: str
    page: str
    address: str


def matching_entries(entries: Sequence[GlossaryEntry], wanted: str) -> list[GlossaryEntry]:
    """Those that hold the words `wanted`: a term of that name alone, else terms before explanations."""
    sought = wanted.casefold().strip()
    named = [entry for entry in entries if sought in entry.name.casefold()]
    if sought and (exact := [entry for entry in named if entry.name.casefold() == sought]):
        return exact
    return named + [entry for entry in entries if sought in entry.text.casefold() and entry not in named]


def terms_html(entries: Sequence[GlossaryEntry]) -> str:
    """The terms with their explanations, each with a link."""
    items = "".join(
        f"<dt>{literal.html(entry.name)}</dt><dd>{_explanation(entry)} "
        f'<a href="{literal.html(entry.address)}" target="_self" aria-label="{literal.html(entry.name)}: '
        f'{literal.html(entry.page)}">{literal.html(entry.page)}</a></dd>'
        for entry in entries
    )
    return f'{STYLE}<dl class="aa-terms">{items}</dl>'


def _explanation(entry: GlossaryEntry) -> str:
    """The explanation without the term, which stands above it."""
    text = " ".join(re.sub(r"\*\*.+?\*\*:?\s*", "", entry.text, count=1).replace("`", "").split())
    return literal.html(text[:1].upper() + text[1:])
