"""The decoder's output as HTML: the sentence, its tokens, and for each the most probable candidates.

Every text is escaped by `literal.html`; colours are mixed with the page's text colour, so both themes work.
"""

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Protocol

from ..text import literal
from ..text.catalogue import say
from ..text.numbers import three_digits
from .bars import Cell


class TokenProbability(Protocol):
    """A token and its probability."""

    @property
    def token(self) -> str: ...

    @property
    def probability(self) -> float: ...


class Produced(TokenProbability, Protocol):
    """A token that was generated, and the most probable tokens at its position, best first."""

    @property
    def top(self) -> Sequence[TokenProbability]: ...


def sentence(text: str, language: str, doubtful: Sequence[tuple[int, int]] = ()) -> str:
    """A sentence in large letters, in its own writing direction.

    Args:
        doubtful: parts to underline as doubtful, in order: first character and the one after the last.
    """
    shown = doubtful_text(text, doubtful)
    return f'<p{literal.TOKEN} class="aa-text" data-announced lang="{language}" dir="auto">{shown}</p>'


def sentence_cell(text: str, doubtful: Sequence[tuple[int, int]] = ()) -> Cell:
    """A sentence in a table; `doubtful` as of `sentence`."""
    return Cell(f"<span{literal.TOKEN}>{doubtful_text(text, doubtful)}</span>", "0")


def doubtful_text(text: str, doubtful: Sequence[tuple[int, int]]) -> str:
    """Text whose doubtful parts are underlined; screen readers get a word after each, which copied text has not."""
    word, parts, end = literal.html(say("doubt.word", "unsure")), [], 0
    for start, after in doubtful:
        before, marked = (literal.html(literal.visible(text[cut])) for cut in (slice(end, start), slice(start, after)))
        parts += [before, f'<u class="aa-doubt" data-doubt="{word}">{marked}</u>']
        end = after
    return "".join([*parts, literal.html(literal.visible(text[end:]))])


def label(text: str) -> str:
    """A label above a row of tokens."""
    return f'<p class="aa-label">{literal.html(text)}</p>'


def chart_title(text: str) -> str:
    """The title of a chart, which is shown while a page is presented, unlike prose."""
    return f'<p class="aa-title">{literal.html(literal.visible(text))}</p>'


def labelled_sentence(name: str, text: str, language: str, doubtful: Sequence[tuple[int, int]] = ()) -> str:
    """A sentence after its label, in one line if there is space; the arguments are those of `sentence`."""
    return f'<div class="aa-line">{label(name)}{sentence(text, language, doubtful)}</div>'


def note(text: str) -> str:
    """A line below a sentence that explains its marks."""
    return f'<p class="aa-note">{literal.html(text)}</p>'


def chips(
    tokens: Iterable[str],
    kind: str,
    probabilities: Sequence[float] | None = None,
    notes: Sequence[str] | None = None,
) -> str:
    """Tokens in a row, underlined in the colour of the stack `kind` that reads or generates them.

    Next to each is its probability or its note; an empty note is not shown.
    """
    if probabilities is not None:
        notes = [three_digits(probability) for probability in probabilities]
    items = []
    for token, note in zip(tokens, repeat("") if notes is None else notes, strict=False):
        name, small = literal.html(literal.token(token)), f"<small>{literal.html(note)}</small>"
        content = f"<span{literal.TOKEN}>{name}</span>{small}" if note else name
        items.append(f'<span{"" if note else literal.TOKEN} role="listitem">{content}</span>')
    return f'<div role="list" class="aa-chips aa-{kind}">{"".join(items)}</div>'


def cards(produced: Sequence[Produced]) -> str:
    """One card per token: the candidates with their probabilities as bars, the chosen one in decoder orange."""
    items = "".join(_card(number, token) for number, token in enumerate(produced, 1))
    return f'<div role="list" class="aa-cards">{items}</div>'


def _card(number: int, produced: Produced) -> str:
    tokens = [candidate.token for candidate in produced.top]
    # Sampling and beam search may take a token that is not among the most probable.
    candidates = [*produced.top] if produced.token in tokens else [*produced.top, produced]
    chosen = tokens.index(produced.token) if produced.token in tokens else len(tokens)
    rows = [_row(candidate.token, candidate.probability, index == chosen) for index, candidate in enumerate(candidates)]
    caption = f"<span{literal.TOKEN}>{literal.html(literal.token(produced.token))}</span> <small>{number}</small>"
    table = f"<table><caption>{caption}</caption><tbody>{''.join(rows)}</tbody></table>"
    return f'<div role="listitem">{table}</div>'


def _row(token: str, probability: float, chosen: bool) -> str:
    bar = f"--share:{100 * probability:.1f}%"
    mark = ' class="aa-chosen"' if chosen else ""
    name = literal.html(literal.token(token))
    return (
        f'<tr{mark} style="{bar}"><td{literal.TOKEN}>{name}</td><td>{literal.html(three_digits(probability))}</td></tr>'
    )
