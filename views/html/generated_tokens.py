"""The decoder's output as HTML: the sentence, its tokens, and for each the most probable candidates.

Every text is escaped by `literal.html`; colours are mixed with the page's text colour, so both themes work.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import repeat
from typing import Protocol

from ..kind_labels import OF_STACK
from ..text import literal
from ..text.catalogue import say
from ..text.numbers import three_digits
from .bars import Cell

_WORD = r"[^\s'\u2019]+['\u2019]?|['\u2019]"  # an elided article is a word: "l'" of "l'animal"


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
    return _paragraph(doubtful_text(text, doubtful), language)


def _paragraph(shown: str, language: str) -> str:
    return f'<p{literal.TOKEN} class="aa-text" data-announced lang="{language}" dir="auto">{shown}</p>'


def changed_words(text: str, former: str) -> list[tuple[int, int]]:
    """The parts of a text that are words which a former text does not have at that place, in order."""
    own, other = ([match.span() for match in re.finditer(_WORD, each)] for each in (text, former))
    words = [text[start:end] for start, end in own], [former[start:end] for start, end in other]
    changes = SequenceMatcher(None, *words, autojunk=False).get_opcodes()
    return [span for kind, start, end, _, _ in changes if kind != "equal" for span in own[start:end]]


def changed_sentence(name: str, text: str, language: str, former: str) -> str:
    """`labelled_sentence` in which the words that a former one does not have are marked."""
    parts, end = [], 0
    for start, after in changed_words(text, former):
        before, marked = (literal.html(literal.visible(text[cut])) for cut in (slice(end, start), slice(start, after)))
        parts += [before, f"<mark>{marked}</mark>"]
        end = after
    shown = "".join([*parts, literal.html(literal.visible(text[end:]))])
    return _line(name, _paragraph(shown, language))


def sentence_cell(text: str, doubtful: Sequence[tuple[int, int]] = ()) -> Cell:
    """A French sentence in a table; `doubtful` as of `sentence`."""
    return Cell(f'<span{literal.TOKEN} lang="fr">{doubtful_text(text, doubtful)}</span>', "0")


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
    return _line(name, sentence(text, language, doubtful))


def _line(name: str, shown: str) -> str:
    return f'<div class="aa-line">{label(name)}{shown}</div>'


def note(text: str) -> str:
    """A line below a sentence that explains its marks."""
    return f'<p class="aa-note">{literal.html(text)}</p>'


def note_of_entered(text: str) -> str:
    """A line above files of the entered sentence, which is shown while another one is typed, see content.css."""
    entered = say("stage.save.entered", "Files are of the sentence that was entered: {sentence}", sentence=text)
    return f'<p class="aa-note aa-entered">{literal.html(entered)}</p>'


def chips(
    tokens: Iterable[str],
    kind: str,
    probabilities: Sequence[float] | None = None,
    notes: Sequence[str] | None = None,
    language: str = "",
) -> str:
    """Tokens in a row, underlined in the colour of the stack `kind` that reads or generates them.

    Next to each is its probability or its note; an empty note is not shown. `language` is the stack's by default.
    """
    if probabilities is not None:
        notes = [three_digits(probability) for probability in probabilities]
    items = []
    for token, note in zip(tokens, repeat("") if notes is None else notes, strict=False):
        name, small = literal.html(literal.token(token)), f"<small>{literal.html(note)}</small>"
        content = f"<span{literal.TOKEN}>{name}</span>{small}" if note else name
        items.append(f'<span{"" if note else literal.TOKEN} role="listitem">{content}</span>')
    written = language or OF_STACK[kind]
    return f'<div role="list" class="aa-chips aa-{kind}" lang="{written}">{"".join(items)}</div>'


def cards(produced: Sequence[Produced]) -> str:
    """One card per French token: the candidates with their probabilities as bars, the chosen one in decoder orange."""
    items = "".join(_card(number, token) for number, token in enumerate(produced, 1))
    return f'<div role="list" class="aa-cards" lang="fr">{items}</div>'


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
