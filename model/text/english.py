"""Tests whether a text looks English, the translator's only input language, by counts and without a network.

Three signs indicate that it does not. `Sign` names them, and the first that applies is the result:

- "script": more than half of the letters, or of the runs of letters, belong to another script than Latin. These are
  the texts that the tokenizer spells in bytes. A single Greek letter is a symbol and does not count.
- "french": the tokens are more frequent in French translations than in English sentences. The sum of their log-odds is
  compared with `LOG_ODDS` (naive Bayes; Manning, Raghavan and Schuetze 2008, section 13.2).
- "spelling": half of the words or more have a spelling that is very rare in English: the mean log-probability of a
  word's letters, each given the two before it, is below `SPELLING` (Cavnar and Trenkle 1994 compare such triples).

Numbers, addresses, code, emoji and punctuation do not indicate a language and are ignored. Few words are not enough:
"french" needs `FRENCH_WORDS` different words and "spelling" `SPELLING_WORDS`, and a text of fewer than
`SENTENCE_WORDS`, most of them with a capital letter, counts as a name.

The rates of errors were measured over held-out sentences by `python -m model.training english`; the figures are in
`english.json`.
"""

import itertools
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal

import numpy as np
import torch

from ..runtime.checkpoint import explain_read_errors, load_tensors, save_tensors
from .tokenizer import Tokenizer

FILE = "english.safetensors"  # next to the weights: the counts
MEASURED = "english.json"  # next to the weights: how often the result is right

LOG_ODDS = -10.0  # nats: French about 22,000 times as probable as English
SPELLING = -3.0  # nats a letter
FRENCH_WORDS, SPELLING_WORDS, SENTENCE_WORDS = 3, 4, 5

Sign = Literal["script", "french", "spelling"]
SIGNS: tuple[Sign, ...] = ("script", "french", "spelling")

LETTERS = " abcdefghijklmnopqrstuvwxyz"  # the space represents both ends of a word
SYMBOLS = len(LETTERS) + 1  # and one for every other letter
_INDEX = {letter: index for index, letter in enumerate(LETTERS)}
# Text between two spaces that contains a digit, a sign of code or an address does not consist of words.
_NO_WORDS = re.compile(r"[\d@/\\_<>{}\[\]=#$%^*|~]|\w[.:(;]+\w")
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*['\u2019]?")


@dataclass(frozen=True, eq=False)
class EnglishStatistics:
    """Counts over the sentences that the translator was trained on."""

    log_odds: np.ndarray  # `(vocabulary,)` float32, ln p(token | English) - ln p(token | French)
    # `(SYMBOLS, SYMBOLS, SYMBOLS)` float32, ln p(letter | the two letters before it) in English words
    spelling: np.ndarray

    def save(self, folder: Path, tokenizer_sha256: str) -> None:
        """Write to `FILE` in `folder` in half precision, with the hash of the tokenizer that it belongs to."""
        tensors = {name: torch.from_numpy(array).half() for name, array in vars(self).items()}
        save_tensors(folder / FILE, tensors, {"tokenizer_sha256": tokenizer_sha256})

    @classmethod
    def load(cls, folder: Path, tokenizer_sha256: str) -> "EnglishStatistics | None":
        """Read what `save` wrote; None if there is none for this tokenizer, as after training another translator.

        Raises:
            CheckpointError: the file is damaged.
        """
        if not (folder / FILE).is_file():
            return None
        tensors, facts = load_tensors(folder / FILE)
        if facts.get("tokenizer_sha256") != tokenizer_sha256:
            return None
        with explain_read_errors("table of English words", folder):
            return cls(tensors["log_odds"].float().numpy(), tensors["spelling"].float().numpy())


def foreign_sign(text: str, tokenizer: Tokenizer, statistics: EnglishStatistics | None) -> Sign | None:
    """Return why `text` does not look English, or None; without `statistics` only its script is tested."""
    text = unicodedata.normalize("NFKC", text)
    if _mostly_another_script(text):
        return "script"
    words = list(dict.fromkeys(split_words(text)))  # each once: "ha ha ha ha" is no more evidence than "ha"
    is_name = len(words) < SENTENCE_WORDS and 2 * sum(word[0].isupper() for word in words) > len(words)
    if statistics is None or is_name:
        return None
    if len(words) >= FRENCH_WORDS and french_log_odds(words, tokenizer, statistics) < LOG_ODDS:
        return "french"
    if len(words) >= SPELLING_WORDS and median_spelling(words, statistics) < SPELLING:
        return "spelling"
    return None


def split_words(text: str) -> list[str]:
    """List the words of a text in NFKC, in lower case if most letters are capital, as in "I WANT A CAR"."""
    words = [word for chunk in text.split() if not _NO_WORDS.search(chunk) for word in _WORD.findall(chunk)]
    letters = "".join(words)
    if sum(map(str.isupper, letters)) > len(letters) / 2 and len(letters) > len(words):
        return [word.lower() for word in words]
    return words


def french_log_odds(words: list[str], tokenizer: Tokenizer, statistics: EnglishStatistics) -> float:
    """Sum the log-odds of the tokens of these words, in nats: below 0 for French, above 0 for English."""
    return float(statistics.log_odds[tokenizer.encode(" ".join(words))].sum(dtype=np.float64))


def median_spelling(words: list[str], statistics: EnglishStatistics) -> float:
    """The median over words of the mean log-probability of a word's letters and of its end, in nats."""
    return median(
        float(statistics.spelling[letter_triples(word)].mean(dtype=np.float64)) for word in split_lowercase(words)
    )


def split_lowercase(words: list[str]) -> list[str]:
    """Split words at apostrophes and hyphens, in lower case."""
    return _LETTERS.findall(" ".join(words).lower())


def letter_triples(word: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Indices in `spelling` of each letter of a lower-case word and of its end, given the two before it."""
    indices = np.array([0, 0, *(_INDEX.get(letter, SYMBOLS - 1) for letter in word), 0])
    return indices[:-2], indices[1:-1], indices[2:]


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
