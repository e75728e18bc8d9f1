"""Model cards in the user's language: their sentences are translated with the numbers and the code left out.

Cards come with the weights as Markdown, in English. A heading, a paragraph, an item of a list and a cell of a table is
one text each; its numbers, hashes and code become `{0}`, `{1}` and so on, so that a card of other weights has the same
texts.
"""

import re
from collections.abc import Callable, Iterator

from .catalogue import fill, say_sentence, with_whole_logs
from .numbers import MINUS
from .prose import joined

_VALUE = re.compile(r"`[^`]*`|\{[^{}]*\}|(?<![\w.])[+-]?\d+(?:,\d{3})*(?:\.\d+)*(?:e-?\d+)?(?!\w)")
_TITLE = "# Model card: "  # is the title of the dialog that shows it
_WORD = re.compile(r"[A-Za-z]{2,}")
_ITEM = re.compile(r"(#+ |- |)(.*)", re.DOTALL)
_HYPHEN = re.compile(r"(`[^`]*`)|(?<![\w.,-])-(?=\d)")  # code, which stays, or the sign of a number
_RULE = re.compile(r"[|\s:-]+")


def texts_of_card(card: str) -> Iterator[str]:
    """Yield the texts of a card, for translators."""
    collected: list[str] = []

    def collect(text: str) -> str:
        collected.append(text)
        return text

    _rewritten(card, collect)
    yield from dict.fromkeys(collected)


def translated_card(card: str) -> str:
    """A card in the user's language, without the words "Model card" of its title."""
    rewritten = _HYPHEN.sub(lambda match: match[1] or MINUS, _rewritten(card, say_sentence))
    return joined(with_whole_logs(rewritten))


def _rewritten(card: str, translate: Callable[[str], str]) -> str:
    """The card with every text replaced by what `translate` returns for it."""

    def text(original: str) -> str:
        values = _VALUE.findall(original)
        if not _WORD.search(_VALUE.sub("", original)):
            return original
        places = iter(range(len(values)))
        template = _VALUE.sub(lambda match: f"{{{next(places)}}}", original)
        return fill(translate(template), {}, values)

    return "\n\n".join(_block(block, text) for block in card.removeprefix(_TITLE).strip().split("\n\n"))


def _block(block: str, text: Callable[[str], str]) -> str:
    lines = block.splitlines()
    if block.startswith("|"):
        return "\n".join(line if _RULE.fullmatch(line) else _row(line, text) for line in lines)
    items: list[str] = []
    for line in lines:
        if line.startswith(("- ", "#")) or not items:
            items.append(line)
        else:
            items[-1] += " " + line.strip()
    return "\n".join(match[1] + text(match[2]) for item in items if (match := _ITEM.fullmatch(item)))


def _row(line: str, text: Callable[[str], str]) -> str:
    return "| " + " | ".join(text(cell.strip()) for cell in line.strip("|").split("|")) + " |"
