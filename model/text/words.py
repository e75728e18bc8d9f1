"""Whole words from tokens, and what is known of tokens as a matrix of words.

A word begins at SentencePiece's word-boundary mark. Special tokens such as `</s>` stand alone. Tokens that are nothing
but punctuation stand apart at either end of a word ("car" and "." are two), but belong to it inside ("didn't" is one).
A character spelt in bytes belongs to the word it stands in, whatever character it is.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .tokenizer import WORD_MARK, Tokenizer


@dataclass(frozen=True)
class Word:
    """A run of tokens."""

    text: str  # what the tokens spell; a special token's name
    # the first token, and the one behind the last
    start: int
    end: int
    special: bool = False  # True for `<s>`, `</s>` and the like, which stand in no sentence


def whole_words(tokenizer: Tokenizer, ids: Sequence[int]) -> tuple[Word, ...]:
    """The words of a sequence of tokens, in order; every token belongs to exactly one."""
    tokens = tokenizer.tokens(ids)
    special = {tokenizer.pad_id, tokenizer.unk_id, tokenizer.bos_id, tokenizer.eos_id}
    alone = [int(token) in special for token in ids]
    begins = [
        place == 0 or alone[place] or alone[place - 1] or token.startswith(WORD_MARK)
        for place, token in enumerate(tokens)
    ]
    edges = [*(place for place, first in enumerate(begins) if first), len(tokens)]
    words = []
    for start, end in zip(edges, edges[1:], strict=False):
        for first, last in _without_punctuation(tokens, start, end):
            text = tokens[first] if alone[first] else tokenizer.decode(ids[first:last]).strip()
            words.append(Word(text, first, last, alone[first]))
    return tuple(words)


def _without_punctuation(tokens: list[str], start: int, end: int) -> list[tuple[int, int]]:
    """A run of tokens between two boundary marks, cut where punctuation stands at its ends."""
    first, last = start, end
    while first < end and _punctuation(tokens[first]):
        first += 1
    while last > first and _punctuation(tokens[last - 1]):
        last -= 1
    if not any(token.strip(WORD_MARK) for token in tokens[first:last]):  # nothing but punctuation
        return [(start, end)]
    return [cut for cut in ((start, first), (first, last), (last, end)) if cut[0] < cut[1]]


def _punctuation(token: str) -> bool:
    spelt = token.strip(WORD_MARK)
    return bool(spelt) and all(unicodedata.category(char).startswith("P") for char in spelt)


def by_words(matrix: np.ndarray, queries: Sequence[Word], keys: Sequence[Word]) -> np.ndarray:
    """A matrix of tokens as one of words: summed over the keys of a word, averaged over its queries.

    `(..., query token, key token)` -> `(..., query word, key word)` float64. So rows that sum to 1 still do.
    """
    wide = np.add.reduceat(matrix.astype(np.float64), [word.start for word in keys], axis=-1)
    summed = np.add.reduceat(wide, [word.start for word in queries], axis=-2)
    return summed / np.array([word.end - word.start for word in queries])[:, None]
