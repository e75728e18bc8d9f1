"""Whole words from tokens, and matrices of tokens as matrices of words.

A word begins at SentencePiece's word-boundary mark. Special tokens such as `</s>` are words of their own. So are tokens
of punctuation at either end of a word ("car" and "." are two), but not inside it ("didn't" is one). A character spelt
in bytes belongs to the word around it, even if it is punctuation.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..runtime.messages import UserError
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
