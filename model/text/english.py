"""Tests whether a text looks English, the translator's only input language, by counts and without a network.

Two kinds of sign indicate that it does not; the first that applies is the result:

- "script": more than half of the letters, or of the runs of letters, belong to another script than Latin. These are
  the texts that the tokenizer spells in bytes. A single Greek letter is a symbol and does not count.
- "french" or "other": the words resemble French or another language in Latin letters more than English, by more than
  `THRESHOLD`; see `EnglishStatistics`.

Numbers, addresses, code, emoji and punctuation do not indicate a language and are ignored. Few words are not enough:
`FEWEST` different ones are needed, and a text of fewer than `SENTENCE_WORDS`, most of them with a capital letter,
counts as a name.

`python -m training english` chose the threshold on one half of the sentences that were written for it, and
measured the rates of errors on the other half and on held-out sentences; the figures are in `english.json`.
"""

import itertools
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..runtime.checkpoint import explain_read_errors, load_tensors, save_tensors
from .source_text import normalize_source

# Counts that tell English from other languages in Latin letters: words and the letters of words.
#
# A word's evidence is ln p(word | language) - ln p(word | English) (naive Bayes; Manning, Raghavan and Schuetze 2008,
# section 13.2), limited to `LARGEST` either way so that no single word decides. A word that was not counted gets its
# probability from its letters, each given the two before it (Cavnar and Trenkle 1994 compare such triples): for English
# from the letters of English words, for every other language from those of all others. The evidence of a language is
# the sum over the different words of a text; the language with the largest sum counts.

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


MEASURED = "english.json"  # next to the weights: how often the result is right

THRESHOLD = 3.0  # nats of evidence above English
FEWEST, SENTENCE_WORDS = 3, 5
FRENCH = "French"  # its name among the languages

Sign = Literal["script", "french", "other"]
SIGNS: tuple[Sign, ...] = ("script", "french", "other")

# Text between two spaces that contains a digit, a sign of code or an address does not consist of words.
_NO_WORDS = re.compile(r"[\d@/\\_<>{}\[\]=#$%^*|~]|\w[.:(;]+\w")
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*['\u2019]?")


def foreign_sign(text: str, statistics: EnglishStatistics | None) -> Sign | None:
    """Return why `text` does not look English, or None; without `statistics` only its script is tested."""
    text = unicodedata.normalize("NFKC", normalize_source(text))
    if _mostly_another_script(text):
        return "script"
    if statistics is None:
        return None
    evidence = foreign_evidence(text, statistics)
    if evidence is None or evidence.nats <= THRESHOLD:
        return None
    return "french" if evidence.language == FRENCH else "other"


def foreign_evidence(text: str, statistics: EnglishStatistics) -> Evidence | None:
    """How much more the words of a text in NFKC resemble another language than English; None for too few and names."""
    words = list(dict.fromkeys(split_words(text)))  # each once: "ha ha ha ha" is no more evidence than "ha"
    is_name = len(words) < SENTENCE_WORDS and 2 * sum(word[0].isupper() for word in words) > len(words)
    if len(words) < FEWEST or is_name:
        return None
    parts = dict.fromkeys(part for word in words for part in _LETTERS.findall(word) if is_latin(part))
    return statistics.evidence(tuple(parts))


def count_words(text: str) -> int:
    """Number of words of a text, repetitions included."""
    return len(split_words(unicodedata.normalize("NFKC", text)))


def split_words(text: str) -> list[str]:
    """List the words of a text in NFKC, in lower case if most letters are capital, as in "I WANT A CAR"."""
    words = [word for chunk in text.split() if not _NO_WORDS.search(chunk) for word in _WORD.findall(chunk)]
    letters = "".join(words)
    if sum(map(str.isupper, letters)) > len(letters) / 2 and len(letters) > len(words):
        return [word.lower() for word in words]
    return words


def split_lowercase(words: list[str]) -> list[str]:
    """Split words at apostrophes and hyphens, in lower case."""
    return _LETTERS.findall(" ".join(words).lower())


def _mostly_another_script(text: str) -> bool:
    letters = [char for char in text if not unicodedata.category(char).startswith("M")]  # marks belong to their letter
    runs = [(script, "".join(run)) for script, run in itertools.groupby(letters, _script)]
    latin = [len(run) for script, run in runs if script == "latin"]
    symbols = [run for _, run in runs if len(run) == 1 and unicodedata.name(run, "").startswith("GREEK")]
    other = [len(run) for script, run in runs if script == "other" and run not in symbols]
    return sum(other) > sum(latin) or len(other) > len(latin)


def _script(char: str) -> str:
    """Return "latin" or "other"; an empty string for characters that are no letters of a script."""
    if not char.isalpha() or unicodedata.category(char) == "Lm":
        return ""
    return "latin" if unicodedata.name(char, "").startswith("LATIN") else "other"
