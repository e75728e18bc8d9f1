"""Tests whether a text looks English, the translator's only input language, by counts and without a network.

Two kinds of sign indicate that it does not; the first that applies is the result:

- "script": more than half of the letters, or of the runs of letters, belong to another script than Latin. These are
  the texts that the tokenizer spells in bytes. A single Greek letter is a symbol and does not count.
- "french" or "other": the words resemble French or another language in Latin letters more than English, by more than
  `THRESHOLD`; see `model.text.english_statistics`.

Numbers, addresses, code, emoji and punctuation do not indicate a language and are ignored. Few words are not enough:
`FEWEST` different ones are needed, and a text of fewer than `SENTENCE_WORDS`, most of them with a capital letter,
counts as a name.

`python -m training english` chose the threshold on one half of the sentences that were written for it, and
measured the rates of errors on the other half and on held-out sentences; the figures are in `english.json`.
"""

import itertools
import re
import unicodedata
from typing import Literal

from .english_statistics import EnglishStatistics, Evidence, is_latin
from .source_text import normalize_source

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
