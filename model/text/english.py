"""Does a text look English, the only language that the translator reads? Decided by counting, without a network.

Three signs say that it does not. `Sign` names them, and the first that shows is the answer:

- "script": more than half of the letters, or of the runs of letters, belong to another script than Latin. These are
  the texts that the tokenizer spells in bytes. A Greek letter on its own is a symbol and counts for nothing.
- "french": the tokens stand in French translations rather than in English sentences. The sum of their log-odds is
  compared with `LOG_ODDS` (naive Bayes; Manning, Raghavan and Schuetze 2008, section 13.2).
- "spelling": half of the words or more are spelt as English words hardly ever are: the mean log-probability of a
  word's letters, each after the two before it, lies below `SPELLING` (Cavnar and Trenkle 1994 compare such triples).

Numbers, addresses, code, emoji and punctuation say nothing about the language and are passed over. A few words do not
either: "french" needs `FRENCH_WORDS` different words and "spelling" `SPELLING_WORDS`, and a text of fewer than
`SENTENCE_WORDS`, most of them with a capital letter, is taken for a name.

What this finds and misses was measured over sentences that nothing was counted on, by `python -m model.training
english`; the figures are in `english.json`.
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

FILE = "english.safetensors"  # beside the weights: what was counted
MEASURED = "english.json"  # beside the weights: how often the answer is right

LOG_ODDS = -10.0  # nats: French about 22,000 times as probable as English
SPELLING = -3.0  # nats a letter
FRENCH_WORDS, SPELLING_WORDS, SENTENCE_WORDS = 3, 4, 5

Sign = Literal["script", "french", "spelling"]
SIGNS: tuple[Sign, ...] = ("script", "french", "spelling")

LETTERS = " abcdefghijklmnopqrstuvwxyz"  # the space stands for both ends of a word
SYMBOLS = len(LETTERS) + 1  # and one for every other letter
_PLACES = {letter: place for place, letter in enumerate(LETTERS)}
# What stands between two spaces and has a digit, a sign of code or an address in it is not made of words.
_NO_WORDS = re.compile(r"[\d@/\\_<>{}\[\]=#$%^*|~]|\w[.:(;]+\w")
_PART = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*['\u2019]?")


@dataclass(frozen=True, eq=False)
class EnglishStatistics:
    """What was counted over the sentences that the translator was trained on."""

    log_odds: np.ndarray  # `(vocabulary,)` float32, ln p(token | English) - ln p(token | French)
    # `(SYMBOLS, SYMBOLS, SYMBOLS)` float32, ln p(letter | the two letters before it) in English words
    spelling: np.ndarray

    def save(self, folder: Path, tokenizer_sha256: str) -> None:
        """Write to `FILE` in `folder` in half precision, with the tokenizer whose ids it speaks of."""
        tensors = {name: torch.from_numpy(array).half() for name, array in vars(self).items()}
        save_tensors(folder / FILE, tensors, {"tokenizer_sha256": tokenizer_sha256})

    @classmethod
    def load(cls, folder: Path, tokenizer_sha256: str) -> "EnglishStatistics | None":
        """Read what `save` wrote; None where there is none for this tokenizer, as after a training of one's own.

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
    """Why `text` does not look English, or None where nothing says so; without `statistics` by its script alone."""
    text = unicodedata.normalize("NFKC", text)
    if _mostly_another_script(text):
        return "script"
    found = list(dict.fromkeys(split_words(text)))  # each once: "ha ha ha ha" says no more than "ha"
    is_name = len(found) < SENTENCE_WORDS and 2 * sum(word[0].isupper() for word in found) > len(found)
    if statistics is None or is_name:
        return None
    if len(found) >= FRENCH_WORDS and french_log_odds(found, tokenizer, statistics) < LOG_ODDS:
        return "french"
    if len(found) >= SPELLING_WORDS and median_spelling(found, statistics) < SPELLING:
        return "spelling"
    return None


def split_words(text: str) -> list[str]:
    """Words of a text in NFKC, in small letters where most are capital: "I WANT A CAR" is no rare English."""
    found = [word for part in text.split() if not _NO_WORDS.search(part) for word in _WORD.findall(part)]
    letters = "".join(found)
    if sum(map(str.isupper, letters)) > len(letters) / 2 and len(letters) > len(found):
        return [word.lower() for word in found]
    return found


def french_log_odds(found: list[str], tokenizer: Tokenizer, statistics: EnglishStatistics) -> float:
    """Sum of the log-odds of the tokens of these words, in nats: below 0 for French, above 0 for English."""
    return float(statistics.log_odds[tokenizer.encode(" ".join(found))].sum(dtype=np.float64))


def median_spelling(found: list[str], statistics: EnglishStatistics) -> float:
    """The median over words of the mean log-probability of a word's letters and of its end, in nats."""
    return median(
        float(statistics.spelling[letter_triples(word)].mean(dtype=np.float64)) for word in split_lowercase(found)
    )


def split_lowercase(found: list[str]) -> list[str]:
    """The words in small letters, taken apart at apostrophes and hyphens."""
    return _PART.findall(" ".join(found).lower())


def letter_triples(word: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places in `spelling` of each letter of a word in small letters and of its end, after the two before it."""
    places = np.array([0, 0, *(_PLACES.get(letter, SYMBOLS - 1) for letter in word), 0])
    return places[:-2], places[1:-1], places[2:]


def _mostly_another_script(text: str) -> bool:
    letters = [char for char in text if not unicodedata.category(char).startswith("M")]  # marks belong to their letter
    runs = [(script, "".join(run)) for script, run in itertools.groupby(letters, _script)]
    latin = [len(run) for script, run in runs if script == "latin"]
    symbols = [run for _, run in runs if len(run) == 1 and unicodedata.name(run, "").startswith("GREEK")]
    other = [len(run) for script, run in runs if script == "other" and run not in symbols]
    return sum(other) > sum(latin) or len(other) > len(latin)


def _script(char: str) -> str:
    """ "latin" or "other"; empty for what is no letter of a script."""
    if not char.isalpha() or unicodedata.category(char) == "Lm":
        return ""
    return "latin" if unicodedata.name(char, "").startswith("LATIN") else "other"
