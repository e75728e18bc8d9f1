"""Counts that tell English from other languages in Latin letters: words and the letters of words.

A word's evidence is ln p(word | language) - ln p(word | English) (naive Bayes; Manning, Raghavan and Schuetze 2008,
section 13.2), limited to `LARGEST` either way so that no single word decides. A word that was not counted gets its
probability from its letters, each given the two before it (Cavnar and Trenkle 1994 compare such triples): for English
from the letters of English words, for every other language from those of all others. The evidence of a language is the
sum over the different words of a text; the language with the largest sum counts.
"""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..runtime.checkpoint import explain_read_errors, load_tensors, save_tensors

FILE = "english.safetensors"  # next to the weights: the counts
LARGEST = 4.0  # nats: the largest evidence of one word
UNSEEN, UNLISTED = math.log(0.1), math.log(0.5)  # share of text in words that were not counted: English, others

LETTERS = " abcdefghijklmnopqrstuvwxyz"  # the space represents both ends of a word
SYMBOLS = len(LETTERS) + 1  # and one for every other letter
TABLES = ("english", "others", "english_letters", "other_letters")
_INDEX = {letter: index for index, letter in enumerate(LETTERS)}


class Evidence(NamedTuple):
    """The language that a text resembles most beside English, and how much more than English, in nats."""

    language: str
    nats: float


@dataclass(frozen=True, eq=False)
class EnglishStatistics:
    """Probabilities of words, and of letters given the two before them, in English and in other languages."""

    languages: tuple[str, ...]  # other languages than English
    words: tuple[str, ...]  # every counted word, in lower case
    english: np.ndarray  # `(word,)` float32, ln p(word | English); minus infinity for words that were not counted in it
    entries: np.ndarray  # `(entry, 2)` int32, place of a word and of a language in which it was counted; words ascend
    others: np.ndarray  # `(entry,)` float32, ln p(word | language)
    rarest: float  # ln of the largest probability that a word has in a language in which it is not listed
    # `english_letters`, `other_letters`: `(SYMBOLS, SYMBOLS, SYMBOLS)` float32, ln p(letter | the two letters before
    # it) in words of English, and of all other languages
    english_letters: np.ndarray
    other_letters: np.ndarray

    @cached_property
    def places(self) -> dict[str, int]:
        """Place of every word."""
        return dict(zip(self.words, range(len(self.words)), strict=True))

    @cached_property
    def first_entries(self) -> np.ndarray:
        """`(word + 1,)` place of the first entry of each word, and the number of entries."""
        return np.searchsorted(self.entries[:, 0], np.arange(len(self.words) + 1))

    def check(self) -> None:
        """Check that all tables belong together.

        Raises:
            ValueError: a size or a place is out of range.
        """
        words, languages = len(self.words), len(self.languages)
        sizes = (self.english.shape, self.others.shape, self.english_letters.shape, self.other_letters.shape)
        letters = (SYMBOLS,) * 3
        if sizes != ((words,), (len(self.entries),), letters, letters):
            raise ValueError("the tables of words and letters differ in size")
        if (self.entries < 0).any() or (self.entries >= (words, languages)).any():
            raise ValueError("a count is of no word or of no language")

    def evidence(self, words: Sequence[str]) -> Evidence:
        """Compare the words of a text with every language.

        A word with a capital letter inside a sentence that was not counted in English is taken for a name and ignored,
        unless all words have a capital letter, as in a title.

        Args:
            words: without repetition, as typed; each consists of letters only.
        """
        title = all(word[0].isupper() for word in words)
        everywhere, more = 0.0, [0.0] * len(self.languages)
        for place, word in enumerate(words):
            lower = word.lower()
            known = self.places.get(lower)
            counted = -math.inf if known is None else float(self.english[known])
            in_english = math.isfinite(counted)
            if not in_english and place and word[0].isupper() and not title:
                continue
            triples = letter_triples(lower)
            unlisted = min(self.rarest, UNLISTED + _sum(self.other_letters, triples))
            english = counted if in_english else UNSEEN + _sum(self.english_letters, triples)
            common = _limited(unlisted - english)
            everywhere += common
            entries = range(0) if known is None else range(*self.first_entries[known : known + 2])
            for entry in entries:
                more[self.entries[entry, 1]] += _limited(max(float(self.others[entry]), unlisted) - english) - common
        best = max(range(len(more)), key=more.__getitem__)
        return Evidence(self.languages[best], everywhere + more[best])

    def save(self, folder: Path, tokenizer_sha256: str) -> None:
        """Write to `FILE` in `folder` in half precision, with the hash of the tokenizer of the translator."""
        tensors = {
            "languages": _to_bytes(self.languages),
            "words": _to_bytes(self.words),
            "word": torch.from_numpy(self.entries[:, 0].astype(np.int32)),
            "language": torch.from_numpy(self.entries[:, 1].astype(np.uint8)),
            "rarest": torch.tensor(self.rarest, dtype=torch.float64),
        }
        tensors |= {name: torch.from_numpy(getattr(self, name)).half() for name in TABLES}
        save_tensors(folder / FILE, tensors, {"tokenizer_sha256": tokenizer_sha256})

    @classmethod
    def load(cls, folder: Path, tokenizer_sha256: str) -> "EnglishStatistics | None":
        """Read what `save` wrote; None if there is none for this tokenizer, as after training another translator.

        The tables of earlier versions, which have no words, give None, too.

        Raises:
            CheckpointError: the file is damaged.
        """
        if not (folder / FILE).is_file():
            return None
        tensors, facts = load_tensors(folder / FILE)
        if facts.get("tokenizer_sha256") != tokenizer_sha256 or "log_odds" in tensors:
            return None
        with explain_read_errors("table of English words", folder):
            tables = {name: tensors[name].float().numpy() for name in TABLES}
            languages, words = (_from_bytes(tensors[name]) for name in ("languages", "words"))
            entries = np.stack([tensors[name].numpy().astype(np.int32) for name in ("word", "language")], axis=1)
            statistics = cls(languages, words, entries=entries, rarest=float(tensors["rarest"]), **tables)
            statistics.check()
            return statistics


def letter_triples(word: str) -> tuple[list[int], list[int], list[int]]:
    """Indices in a table of letters of each letter of a lower-case word and of its end, given the two before it.

    Letters with a mark, such as é, are one symbol with all other letters beyond a to z.
    """
    indices = [0, 0, *(_INDEX.get(letter, SYMBOLS - 1) for letter in word), 0]
    return indices[:-2], indices[1:-1], indices[2:]


def is_latin(word: str) -> bool:
    """Whether all letters of a word belong to the Latin script."""
    return word.isascii() or all(unicodedata.name(letter, "").startswith("LATIN") for letter in word)


def _to_bytes(words: Sequence[str]) -> Tensor:
    return torch.frombuffer(bytearray("\n".join(words).encode()), dtype=torch.uint8)


def _from_bytes(tensor: Tensor) -> tuple[str, ...]:
    return tuple(tensor.numpy().tobytes().decode().split("\n"))


def _sum(table: np.ndarray, triples: tuple[list[int], list[int], list[int]]) -> float:
    return float(table[triples].sum(dtype=np.float64))


def _limited(nats: float) -> float:
    return max(-LARGEST, min(LARGEST, nats))
