"""Sentences that were written to measure the test of English: one half chooses its threshold, the other reports."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from model.data.corpus import CorpusError
from model.runtime.checkpoint import display_path
from model.text.english import SENTENCE_WORDS, SIGNS, THRESHOLD, count_words, foreign_evidence, foreign_sign
from model.text.english_statistics import EnglishStatistics

from .proportions import wilson_interval

ENGLISH = "English, "  # the kinds of English sentences begin with it
APART = "English, chat"  # its spelling is not that of other English, so it is reported apart


@dataclass(frozen=True)
class WrittenSentences:
    """Sentences by kind, such as "English, law" or "German", in two halves."""

    sha256: str  # of the file
    choosing: dict[str, list[str]]
    reporting: dict[str, list[str]]


def read_written(path: str | Path) -> WrittenSentences:
    """Read lines of a kind, a tab and a sentence, and split them by the first bit of the sentence's SHA-256.

    Raises:
        CorpusError: the file cannot be read, a line has another form, or a sentence is there twice.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
        lines = content.decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{display_path(path)} cannot be read: give a text file in UTF-8.") from error
    halves: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})
    known: set[str] = set()
    for number, line in enumerate(lines, 1):
        kind, tab, sentence = line.partition("\t")
        if not (kind and tab and sentence) or sentence in known:
            reason = "repeats a sentence" if sentence in known else "is not a kind, a tab and a sentence"
            raise CorpusError(f"{display_path(path)}, line {number}, {reason}; correct it.")
        known.add(sentence)
        half = hashlib.sha256(sentence.encode()).digest()[0] % 2
        halves[half].setdefault(kind, []).append(sentence)
    return WrittenSentences(hashlib.sha256(content).hexdigest(), *halves)


def measure_written(written: WrittenSentences, statistics: EnglishStatistics) -> dict:
    """Count what is warned of in the half that reports, and check the threshold on the half that chooses."""
    reporting = dict(written.reporting)
    english = [kind for kind in reporting if kind.startswith(ENGLISH) and kind != APART]
    other = [kind for kind in reporting if not kind.startswith(ENGLISH)]
    groups = {kind: reporting[kind] for kind in reporting}
    groups["English, all but chat"] = [sentence for kind in english for sentence in reporting[kind]]
    for kind in other:
        groups[_long(kind)] = [sentence for sentence in reporting[kind] if count_words(sentence) >= SENTENCE_WORDS]
    groups[_long("all six" if len(other) == 6 else "all")] = [
        sentence for kind in other for sentence in groups[_long(kind)]
    ]
    return {
        "sha256": written.sha256,
        "choosing": choose_threshold(written.choosing, statistics),
        "reporting": {name: count_signs(sentences, statistics) for name, sentences in groups.items()},
    }


def choose_threshold(choosing: dict[str, list[str]], statistics: EnglishStatistics) -> dict:
    """Find the thresholds with the fewest errors, as shares of false alarms and of missed sentences added up.

    English sentences count without chat, others from `SENTENCE_WORDS` words on.

    Returns:
        sentences: how many; lowest, highest: of the best thresholds, in nats; false_alarms, missed: at `THRESHOLD`.
    """
    english, other = [], []
    for kind, sentences in choosing.items():
        for sentence in sentences:
            evidence = foreign_evidence(sentence, statistics)
            nats = -np.inf if evidence is None else evidence.nats
            if kind.startswith(ENGLISH):
                english += [nats] if kind != APART else []
            elif count_words(sentence) >= SENTENCE_WORDS:
                other.append(nats)
    ours, theirs = np.sort(english), np.sort(other)
    edges = np.unique([*ours, *theirs])
    edges = edges[np.isfinite(edges)]
    errors = [float((ours > edge).mean() + (theirs <= edge).mean()) for edge in edges]
    best = int(np.argmin(errors))  # between this edge and the next, nothing changes
    return {
        "sentences": {"english": len(ours), "other": len(theirs)},
        "lowest": float(edges[best]),
        "highest": float(edges[min(best + 1, len(edges) - 1)]),
        "false_alarms": int((ours > THRESHOLD).sum()),
        "missed": int((theirs <= THRESHOLD).sum()),
    }


def count_signs(sentences: Iterable[str], statistics: EnglishStatistics) -> dict:
    """Count the sentences and the signs in them, with the 95 % interval of the share that is warned of."""
    signs = [foreign_sign(sentence, statistics) for sentence in sentences]
    warned = len(signs) - signs.count(None)
    interval = list(wilson_interval(warned, len(signs)))
    return {"sentences": len(signs), **{sign: signs.count(sign) for sign in SIGNS}, "interval": interval}


def _long(kind: str) -> str:
    return f"{kind}, {SENTENCE_WORDS} words or more"
