"""Whole words from tokens, and matrices of tokens as matrices of words.

A word begins at SentencePiece's word-boundary mark. Special tokens such as `</s>` are words of their own. So are tokens
of punctuation at either end of a word ("car" and "." are two), but not inside it ("didn't" is one). A character spelt
in bytes belongs to the word around it, even if it is punctuation.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..runtime.messages import UserError
from .invisible import write_codes
from .token_names import is_special_name, name_bytes, spell_tokens
from .tokenizer import WORD_MARK, Tokenizer


@dataclass(frozen=True)
class Word:
    """A run of tokens."""

    text: str  # spelling of the tokens; a special token's name
    # the first token, and the one after the last
    start: int
    end: int
    special: bool = False  # True for `<s>`, `</s>` and the like, which are in no sentence


def whole_words(tokenizer: Tokenizer, ids: Sequence[int]) -> tuple[Word, ...]:
    """List the words of a sequence of tokens, in order; every token belongs to exactly one."""
    tokens = tokenizer.tokens(ids)
    special = {tokenizer.pad_id, tokenizer.unk_id, tokenizer.bos_id, tokenizer.eos_id}
    alone = [int(token) in special for token in ids]
    begins = [
        index == 0 or alone[index] or alone[index - 1] or token.startswith(WORD_MARK)
        for index, token in enumerate(tokens)
    ]
    edges = [*(index for index, first in enumerate(begins) if first), len(tokens)]
    words = []
    for start, end in zip(edges, edges[1:], strict=False):
        for first, last in _without_punctuation(tokens, start, end):
            text = tokens[first] if alone[first] else tokenizer.decode(ids[first:last]).strip()
            words.append(Word(text, first, last, alone[first]))
    return tuple(words)


def _without_punctuation(tokens: list[str], start: int, end: int) -> list[tuple[int, int]]:
    """Separate punctuation at both ends of a run of tokens between two boundary marks."""
    first, last = start, end
    while first < end and _punctuation(tokens[first]):
        first += 1
    while last > first and _punctuation(tokens[last - 1]):
        last -= 1
    if not any(token.strip(WORD_MARK) for token in tokens[first:last]):  # nothing but punctuation
        return [(start, end)]
    return [span for span in ((start, first), (first, last), (last, end)) if span[0] < span[1]]


def _punctuation(token: str) -> bool:
    spelt = token.strip(WORD_MARK)
    return bool(spelt) and all(unicodedata.category(char).startswith("P") for char in spelt)


def by_words(matrix: np.ndarray, queries: Sequence[Word], keys: Sequence[Word]) -> np.ndarray:
    """Convert a matrix of tokens to one of words: sum over the keys of a word, average over its queries.

    `(..., query token, key token)` -> `(..., query word, key word)` float64. Rows that sum to 1 still do.

    Raises:
        UserError: the words are of other texts.
    """
    given, sides = tuple(side[-1].end if side else 0 for side in (queries, keys)), matrix.shape[-2:]
    if given != sides:
        raise UserError(
            "The words have {words} tokens and the weights {tokens}; take the words of the same texts.",
            words=" x ".join(map(str, given)),
            tokens=" x ".join(map(str, sides)),
        )
    wide = np.add.reduceat(matrix.astype(np.float64), [word.start for word in keys], axis=-1)
    summed = np.add.reduceat(wide, [word.start for word in queries], axis=-2)
    return summed / np.array([word.end - word.start for word in queries])[:, None]


# Labels of tokens and whole words, from the slice of a text that each token covers.

SPACE = "\u2423"  # shown for a space, which would not be visible
LINE_BREAK = "\u21b5"
THIN_SPACE = "\u2009"
_SHOWN = str.maketrans({"\n": LINE_BREAK, "\t": "\u21e5"})
_UNSPACED = ("CJK UNIFIED", "CJK COMPAT", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
LONGEST_WORD = 40  # characters; a longer run without space is a protein, a hash, an address
LONGEST_UNSPACED = 4  # characters of a word in a script that separates no words by spaces

Span = tuple[int, int]


@dataclass(frozen=True)
class TokenAxis:
    """The tokens of an axis as displayed."""

    labels: tuple[str, ...]
    """One for each token."""
    special: tuple[bool, ...]
    """Whether each is a special token."""
    words: tuple[Word, ...] | None = None
    """The whole words, each token in exactly one; None where the tokens have no word boundaries."""
    segments: tuple[int, ...] = ()
    """0 or 1, the text of two that each belongs to; empty for one text."""
    chosen: tuple[str, ...] = ()
    """The token that a decoder chose at each, "" where it chose none; empty for a text that is only read."""
    kept: tuple[int, ...] = ()
    """Indices of special tokens at which an ordinary token was chosen, such as `<s>`."""

    def choosing(self, chosen: Sequence[str], special: Sequence[bool]) -> "TokenAxis":
        """The same tokens as rows at which a decoder chose others.

        Args:
            chosen: as the attribute.
            special: whether each chosen token is a special token.
        """
        rows = zip(self.special, chosen, special, strict=True)
        kept = tuple(place for place, (read, label, own) in enumerate(rows) if read and label and not own)
        return replace(self, chosen=tuple(chosen), kept=kept)


def read_tokens(names: Sequence[str]) -> TokenAxis:
    """Read labels, special tokens and whole words from the names of tokens, or from their texts.

    Args:
        names: as a tokenizer's `convert_ids_to_tokens` returns them; see `token_names` for the conventions.
    """
    special = tuple(is_special_name(name) for name in names)
    read = spell_tokens(names, special)
    labels = [label_slice(piece) if piece else name for name, piece in zip(names, read.pieces, strict=True)]
    labels = number_shared(labels, read.spans, [0] * len(names))
    words = words_by_span(read.text, read.spans)
    if not read.marks_words or not are_words([text for _, text in words]):
        return TokenAxis(tuple(labels), special)
    return TokenAxis(tuple(labels), special, word_runs(words, labels, special))


def label_slice(piece: str) -> str:
    """A slice of a text as a label: without U+0020 at its ends, and all else that shows nothing is visible.

    A lone U+0020 and a line break have signs; other spaces and line breaks are their code points.
    """
    visible = write_codes(name_bytes(piece.strip(" ")).translate(_SHOWN).replace(THIN_SPACE, "U+2009"), spaces=True)
    return visible or SPACE * len(piece)


def number_shared(labels: Sequence[str], spans: Sequence[Span], parts: Sequence[int]) -> list[str]:
    """Number tokens that cover the same characters: an emoji in three tokens is "1/3" to "3/3".

    Args:
        spans: start and end of every token in its text; an empty one shares nothing.
        parts: the text that every token belongs to.
    """
    places: dict[tuple[int, Span], list[int]] = {}
    for place, (part, span) in enumerate(zip(parts, spans, strict=True)):
        if span[1] > span[0]:
            places.setdefault((part, span), []).append(place)
    numbered = list(labels)
    for shared in places.values():
        if len(shared) > 1:
            for number, place in enumerate(shared, 1):
                numbered[place] = f"{labels[place]} {number}/{len(shared)}"
    return numbered


def words_by_span(text: str, spans: Sequence[Span]) -> list[tuple[list[int], str]]:
    """Tokens and text of each word: a run of characters without white space.

    Runs that one token covers together are one word ("of the"); white space alone belongs to no word.

    Args:
        spans: start and end of every token in `text`, in order; a token with an empty span belongs to no word.

    Returns:
        For each word the indices of its tokens and its slice of `text`.
    """
    runs = [match.span() for match in re.finditer(r"\S+", text)]
    words: list[list[int]] = []
    ends: list[Span] = []  # start and end of every word in `text`
    for place, (start, end) in enumerate(spans):
        covered = [run for run in runs if run[0] < end and start < run[1]] if end > start else []
        if not covered:
            continue
        if words and covered[0][0] < ends[-1][1]:
            words[-1].append(place)
            ends[-1] = ends[-1][0], max(ends[-1][1], covered[-1][1])
        else:
            words.append([place])
            ends.append((covered[0][0], covered[-1][1]))
    return [(word, text[start:end]) for word, (start, end) in zip(words, ends, strict=True)]


def word_runs(
    words: Sequence[tuple[Sequence[int], str]], labels: Sequence[str], special: Sequence[bool]
) -> tuple[Word, ...]:
    """Split a sequence of tokens into runs: the words, and every token that belongs to none as a run of its own.

    Args:
        words: see `words_by_span`.
        labels: of all tokens.
        special: whether each is a special token.
    """
    first = {places[0]: (places, text) for places, text in words}
    inside = {place for places, _ in words for place in places}
    runs = []
    for place, label in enumerate(labels):
        if place in first:
            places, text = first[place]
            runs.append(Word(name_bytes(text), place, places[-1] + 1))
        elif place not in inside:
            runs.append(Word(label, place, place + 1, special[place]))
    return tuple(runs)


def are_words(runs: Sequence[str]) -> bool:
    """Whether runs of characters between spaces are words, as they are not in Chinese or in proteins."""
    if not runs or (len(runs) > 3 and all(len(run) == 1 for run in runs)):
        return False
    if len(runs) == 1 and _is_unspaced(runs[0]):
        return False
    others = sum(len(run) for run in runs if len(run) > (LONGEST_UNSPACED if _is_unspaced(run) else LONGEST_WORD))
    return 2 * others <= sum(map(len, runs))


def _is_unspaced(run: str) -> bool:
    """Whether most letters of a run are of a script that does not separate words by spaces."""
    letters = [char for char in run if unicodedata.category(char).startswith(("L", "M"))]
    return 2 * sum(unicodedata.name(char, "").startswith(_UNSPACED) for char in letters) > len(letters)
