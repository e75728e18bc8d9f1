"""Tables of a few words, to compute the evidence by hand."""

import math

import numpy as np

from model.text.english import SYMBOLS, EnglishStatistics

RARE = -1000.0


def small_statistics(
    words: dict[str, dict[str, float]], english_letter: float = RARE, other_letter: float = RARE, rarest: float = -7.0
) -> EnglishStatistics:
    """Return tables in which every letter is equally probable.

    Args:
        words: word -> language, "English" included -> ln p.
        english_letter, other_letter: ln p of a letter in words that are not listed.
        rarest: largest ln p of a word in a language that does not list it.
    """
    ordered = sorted(words)
    languages = tuple(dict.fromkeys(name for table in words.values() for name in table if name != "English"))
    entries = [
        (at, languages.index(name), value)
        for at, word in enumerate(ordered)
        for name, value in words[word].items()
        if name != "English"
    ]
    return EnglishStatistics(
        languages,
        tuple(ordered),
        np.array([words[word].get("English", -math.inf) for word in ordered], np.float32),
        np.array([entry[:2] for entry in entries], np.int32).reshape(-1, 2),
        np.array([entry[2] for entry in entries], np.float32),
        rarest,
        np.full((SYMBOLS,) * 3, english_letter, np.float32),
        np.full((SYMBOLS,) * 3, other_letter, np.float32),
    )
