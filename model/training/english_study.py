"""Count the statistics of `model.text.english`, and measure how often it is right."""

import unicodedata
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from tqdm import tqdm

from ..runtime.checkpoint import write_json
from ..text.english import (
    LOG_ODDS,
    MEASURED,
    SENTENCE_WORDS,
    SIGNS,
    SPELLING,
    SYMBOLS,
    EnglishStatistics,
    foreign_sign,
    letter_triples,
    split_lowercase,
    split_words,
)
from ..text.tokenizer import Tokenizer
from .card import held_out_card
from .corpus import Corpus

PAIRS = 20.0  # weight of the estimate from pairs of letters, in counted triples


def learn_english(corpus: Corpus, tokenizer: Tokenizer) -> EnglishStatistics:
    """Count over the distinct sentences of the training pairs; every token has one count more than it occurs."""
    english, french = ({pair[side] for pair in corpus.train} for side in (0, 1))
    odds = [np.log(_token_shares(lines, tokenizer)) for lines in (english, french)]
    return EnglishStatistics((odds[0] - odds[1]).astype(np.float32), _spelling(english))


def _token_shares(lines: Iterable[str], tokenizer: Tokenizer) -> np.ndarray:
    counts = np.ones(len(tokenizer))
    for line in tqdm(sorted(lines), desc="tokens", mininterval=2):
        counts += np.bincount(tokenizer.encode(" ".join(_normalized_words(line))), minlength=len(counts))
    return counts / counts.sum()


def _spelling(lines: Iterable[str]) -> np.ndarray:
    counts = np.zeros((SYMBOLS,) * 3)
    for line in sorted(lines):
        for word in split_lowercase(_normalized_words(line)):
            np.add.at(counts, letter_triples(word), 1)
    pairs = counts.sum(axis=0) + 0.5
    pairs /= pairs.sum(axis=1, keepdims=True)  # (letter before, letter)
    probabilities = (counts + PAIRS * pairs[None]) / (counts.sum(axis=2, keepdims=True) + PAIRS)
    return np.log(probabilities).astype(np.float32)


def _normalized_words(line: str) -> list[str]:
    return split_words(unicodedata.normalize("NFKC", line))


def measure_english(folder: Path, corpus: Corpus, others: dict[str, Corpus] | None = None) -> dict:
    """Count, write `english.safetensors`, classify sentences that were not counted, and write `english.json`.

    Args:
        folder: of the trained translator.
        others: name of a language -> pairs of English and that language. Their English sentences are classified too,
            except those in `corpus`.

    Raises:
        CheckpointError: the folder cannot be read or written.
        ValueError: the translator was trained on other data.
    """
    card = held_out_card(folder, corpus)
    tokenizer = Tokenizer(folder / "tokenizer.model")
    learn_english(corpus, tokenizer).save(folder, card["tokenizer_sha256"])
    statistics = EnglishStatistics.load(folder, card["tokenizer_sha256"])  # as shipped, in half precision

    def counted(sentences: Iterable[str], least_words: int = 0) -> dict:
        chosen = [sentence for sentence in sorted(set(sentences)) if len(_normalized_words(sentence)) >= least_words]
        signs = [foreign_sign(sentence, tokenizer, statistics) for sentence in chosen]
        return {"sentences": len(chosen), **{sign: signs.count(sign) for sign in SIGNS}}

    known = {side: {pair[side] for pair in corpus.train} for side in (0, 1)}
    french = {text for options in corpus.heldout.values() for text in options} - known[1]
    english, foreign = {"held out": counted(corpus.heldout)}, {"French": counted(french)}
    foreign[f"French, {SENTENCE_WORDS} words or more"] = counted(french, SENTENCE_WORDS)
    for name, pairs in (others or {}).items():
        both = [*pairs.train, *((one, other) for one, options in pairs.heldout.items() for other in options)]
        english[f"beside {name}"] = counted({pair[0] for pair in both} - known[0] - corpus.heldout.keys())
        foreign[name] = counted(pair[1] for pair in both)
    result = {
        "tokenizer_sha256": card["tokenizer_sha256"],
        "data_sha256": {"French": corpus.sha256, **{name: pairs.sha256 for name, pairs in (others or {}).items()}},
        "thresholds": {"log_odds": LOG_ODDS, "spelling": SPELLING},
        "english": english,
        "foreign": foreign,
    }
    write_json(folder / MEASURED, result)
    return result
