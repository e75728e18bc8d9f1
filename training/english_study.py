"""Count the statistics of `model.text.english`, choose its threshold, and measure how often it is right."""

import argparse
import hashlib
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from model.data.corpus import Corpus, CorpusError, read_corpus
from model.runtime.checkpoint import display_path, write_json
from model.text.english import (
    FEWEST,
    FRENCH,
    MEASURED,
    SENTENCE_WORDS,
    SIGNS,
    SYMBOLS,
    THRESHOLD,
    UNLISTED,
    UNSEEN,
    EnglishStatistics,
    count_words,
    foreign_evidence,
    foreign_sign,
    letter_triples,
    split_lowercase,
    split_words,
)

from .frequent_words import frequent_words
from .proportions import wilson_interval
from .study import MODEL, Study, held_out_card, read_figures, read_heldout
from .templates import table_rows

PAIRS = 20.0  # weight of the estimate from pairs of letters, in counted triples
LEAST = 2  # a word has to occur so often to be counted; rarer ones are judged by their letters
STEEPNESS = 2.0  # the word of rank r is listed with a probability proportional to 1 / (r + STEEPNESS - 1)
# How often a word counts among the letters: in English up to three times; of the other languages, a listed word as
# often as 27 different French words, so that French does not outweigh the rest.
MOST_ENGLISH, LISTED, COUNTED_FRENCH = 3, 4.0, 0.15
ENGLISH = "English, "  # the kinds of written sentences that are English begin with it
APART = "English, chat"  # its spelling is not that of other English, so it is reported apart


@dataclass(frozen=True)
class WrittenSentences:
    """Sentences by kind, such as "English, law" or "German", in two halves."""

    sha256: str  # of the file
    choosing: dict[str, list[str]]
    reporting: dict[str, list[str]]


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


def _block_values(counts: dict) -> dict | None:
    """The values of the card's block; None for figures of an earlier version."""
    if "nats" not in counts["thresholds"]:
        return None
    groups = {f"English, {name}": group for name, group in counts["english"].items()} | counts["foreign"]
    written = counts.get("written", {})
    return {
        **counts,
        "groups": _group_rows(groups),
        "written": written,
        "choosing": written.get("choosing"),
        "reporting": _group_rows(written.get("reporting", {})),
        "sentence_words": SENTENCE_WORDS,
    }


def _group_rows(groups: dict[str, dict]) -> str:
    return table_rows(_group_cells(name, counts) for name, counts in groups.items())


def _group_cells(name: str, counts: dict) -> list[object]:
    warned = sum(counts[sign] for sign in SIGNS)
    share = f"{100 * warned / counts['sentences']:.2f} %" if counts["sentences"] else "none asked"
    low, high = (100 * bound for bound in counts["interval"])
    return [name, f"{counts['sentences']:,}", share, f"{low:.2f} to {high:.2f} %", *(counts[sign] for sign in SIGNS)]


def _measure(options: argparse.Namespace) -> None:
    others = {}
    for pair in options.other:
        name, separator, path = pair.partition("=")
        if not (name and separator and path):
            raise ValueError(f"--other {pair} has no name or no file; give NAME=FILE, such as Korean=kor-eng.zip.")
        others[name] = read_corpus(path, heldout_sentences=1)
    written = read_written(options.written) if options.written else None
    measure_english(options.model, read_heldout(options), others, written)


ENGLISH_TEXT = Study(
    "english",
    "count what tells English from other text, and measure how well",
    _measure,
    {
        "--model": MODEL | {"help": "folder of the trained translator"},
        "--other": {
            "action": "append",
            "default": [],
            "metavar": "NAME=FILE",
            "help": "pairs of English and a further language",
        },
        "--written": {
            "type": Path,
            "metavar": "FILE",
            "help": "lines of a kind, a tab and a sentence that choose and report",
        },
    },
    on_device=False,
    template="english",
    key="tokenizer_sha256",
    read=read_figures(MEASURED, "tokenizer_sha256"),
    values=_block_values,
)
