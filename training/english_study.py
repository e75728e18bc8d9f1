"""Count the statistics of `model.text.english`, choose its threshold, and measure how often it is right."""

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from model.data.corpus import Corpus
from model.runtime.checkpoint import write_json
from model.text.english import (
    FEWEST,
    FRENCH,
    MEASURED,
    SENTENCE_WORDS,
    THRESHOLD,
    split_lowercase,
    split_words,
)
from model.text.english_statistics import SYMBOLS, UNLISTED, UNSEEN, EnglishStatistics, letter_triples

from .card import held_out_card
from .frequent_words import frequent_words
from .written_sentences import WrittenSentences, count_signs, measure_written

PAIRS = 20.0  # weight of the estimate from pairs of letters, in counted triples
LEAST = 2  # a word has to occur so often to be counted; rarer ones are judged by their letters
STEEPNESS = 2.0  # the word of rank r is listed with a probability proportional to 1 / (r + STEEPNESS - 1)
# How often a word counts among the letters: in English up to three times; of the other languages, a listed word as
# often as 27 different French words, so that French does not outweigh the rest.
MOST_ENGLISH, LISTED, COUNTED_FRENCH = 3, 4.0, 0.15


def learn_english(corpus: Corpus) -> EnglishStatistics:
    """Count over the distinct sentences of the training pairs, and take the lists of `frequent_words`."""
    english, french = (_count_words({pair[side] for pair in corpus.train}) for side in (0, 1))
    listed = frequent_words()
    probabilities = {name: _probabilities_by_rank(words) for name, words in listed.items()}
    rarest = min(min(table.values()) for table in probabilities.values())
    probabilities[FRENCH] = _probabilities(french)
    own = _probabilities(english)
    languages = tuple(probabilities)
    words = tuple(sorted({word for table in (own, *probabilities.values()) for word in table}))
    place = {word: at for at, word in enumerate(words)}
    entries = sorted(
        (place[word], at, table[word]) for at, table in enumerate(probabilities.values()) for word in table
    )
    others = dict.fromkeys(french, COUNTED_FRENCH)
    for word in (word for table in listed.values() for word in table):
        others[word] = others.get(word, 0.0) + LISTED
    return EnglishStatistics(
        languages,
        words,
        np.array([own.get(word, -math.inf) for word in words], dtype=np.float32),
        np.array([entry[:2] for entry in entries], dtype=np.int32).reshape(-1, 2),
        np.array([entry[2] for entry in entries], dtype=np.float32),
        rarest,
        _letters({word: min(count, MOST_ENGLISH) for word, count in english.items()}),
        _letters(others),
    )


def _count_words(lines: Iterable[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for line in sorted(lines):
        counts.update(split_lowercase(_normalized_words(line)))
    return counts


def _probabilities(counts: Mapping[str, int]) -> dict[str, float]:
    """ln p of every word that was counted `LEAST` times; together they have all but the share of unseen words."""
    total = sum(counts.values())
    seen = math.log1p(-math.exp(UNSEEN))
    return {word: seen + math.log(count / total) for word, count in counts.items() if count >= LEAST}


def _probabilities_by_rank(words: Iterable[str]) -> dict[str, float]:
    """ln p of listed words, the most frequent first; together they have all but the share of unlisted words."""
    weights = {word: 1 / (rank + STEEPNESS) for rank, word in enumerate(words)}
    scale = math.log1p(-math.exp(UNLISTED)) - math.log(sum(weights.values()))
    return {word: scale + math.log(weight) for word, weight in weights.items()}


def _letters(words: Mapping[str, float]) -> np.ndarray:
    counts = np.zeros((SYMBOLS,) * 3)
    for word in sorted(words):
        np.add.at(counts, letter_triples(word), words[word])
    pairs = counts.sum(axis=0) + 0.5
    pairs /= pairs.sum(axis=1, keepdims=True)  # (letter before, letter)
    probabilities = (counts + PAIRS * pairs[None]) / (counts.sum(axis=2, keepdims=True) + PAIRS)
    return np.log(probabilities).astype(np.float32)


def _normalized_words(line: str) -> list[str]:
    return split_words(unicodedata.normalize("NFKC", line))


def measure_english(
    folder: Path, corpus: Corpus, others: dict[str, Corpus] | None = None, written: WrittenSentences | None = None
) -> dict:
    """Count, write `english.safetensors`, classify sentences that were not counted, and write `english.json`.

    Args:
        folder: of the trained translator.
        others: name of a language -> pairs of English and that language. Their English sentences are classified too,
            except those in `corpus`.
        written: sentences that were written to choose the threshold and to report.

    Raises:
        CheckpointError: the folder cannot be read or written.
        ValueError: the translator was trained on other data.
    """
    card = held_out_card(folder, corpus)
    learn_english(corpus).save(folder, card["tokenizer_sha256"])
    statistics = EnglishStatistics.load(folder, card["tokenizer_sha256"])  # as shipped, in half precision
    assert statistics is not None

    def counted(sentences: Iterable[str], least_words: int = 0) -> dict:
        chosen = [sentence for sentence in sorted(set(sentences)) if len(_normalized_words(sentence)) >= least_words]
        return count_signs(chosen, statistics)

    known = {side: {pair[side] for pair in corpus.train} for side in (0, 1)}
    french = {text for options in corpus.heldout.values() for text in options} - known[1]
    english, foreign = {"held out": counted(corpus.heldout)}, {"French": counted(french)}
    foreign[f"French, {SENTENCE_WORDS} words or more"] = counted(french, SENTENCE_WORDS)
    for name, pairs in (others or {}).items():
        both = [*pairs.train, *((one, other) for one, options in pairs.heldout.items() for other in options)]
        english[f"paired with {name}"] = counted({pair[0] for pair in both} - known[0] - corpus.heldout.keys())
        foreign[name] = counted(pair[1] for pair in both)
    result = {
        "tokenizer_sha256": card["tokenizer_sha256"],
        "data_sha256": {"French": corpus.sha256, **{name: pairs.sha256 for name, pairs in (others or {}).items()}},
        "thresholds": {"nats": THRESHOLD, "words": FEWEST},
        "english": english,
        "foreign": foreign,
    }
    if written is not None:
        result["written"] = measure_written(written, statistics)
    write_json(folder / MEASURED, result)
    return result
