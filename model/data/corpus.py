"""Read and check sentence pairs from files of Tatoeba translations, and split them."""

import gzip
import hashlib
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..runtime.unpacking import UnpackedSizeError, unpack_within_limit
from .near_duplicates import HeldOutForms, Pair, normalize_english

VALIDATION_SENTENCES = 2000  # English sentences on which choices are made, by default


class CorpusError(ValueError):
    """The data file cannot be used; the message states why, with the line number, and what to do."""


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs, split so that no English sentence is on both sides."""

    train: list[Pair]  # (English, French) pairs
    heldout: dict[str, list[str]]  # test sentences: English -> all its French translations; never trained on
    sha256: str  # of the data file as it was read, hexadecimal
    # Sentences on which choices are made, likewise. Where there are none, choices were made on the test sentences.
    validation: dict[str, list[str]] = field(default_factory=dict)
    # pairs that left the training data as near duplicates of test or validation sentences: by their English, by their
    # French alone
    same_english: tuple[Pair, ...] = ()
    same_french: tuple[Pair, ...] = ()

    @property
    def outside_test(self) -> list[Pair]:
        """All pairs of the file except those of the test sentences."""
        validation = [(english, french) for english, options in self.validation.items() for french in options]
        return [*self.train, *validation, *self.same_english, *self.same_french]

    def counts(self) -> dict[str, int]:
        """Sentences and pairs of every part, for the card."""
        return {
            "test_sentences": len(self.heldout),
            "test_pairs": sum(map(len, self.heldout.values())),
            "validation_sentences": len(self.validation),
            "validation_pairs": sum(map(len, self.validation.values())),
            "same_english_left_out": len(self.same_english),
            "same_french_left_out": len(self.same_french),
            "training_pairs": len(self.train),
        }


def read_split(
    path: str | Path, test_sentences: int = 2000, validation_sentences: int = VALIDATION_SENTENCES, seed: int = 2017
) -> Corpus:
    """Read sentence pairs and split them into training, validation and test data without near duplicates.

    The test sentences are those that `read_corpus` holds out. Validation sentences follow the hash of the normalised
    English sentence (`normalize_english`), among those that are no near duplicates of test sentences. Pairs whose
    English or French has the letters of a test or validation sentence leave the training data.

    Args:
        test_sentences, validation_sentences: distinct English sentences. 0 validation sentences give the split of
            `read_corpus`, from which nothing else leaves; the first networks that ship were trained on it.

    Raises:
        CorpusError: as of `read_corpus`; or too few sentences for this split.
    """
    corpus = read_corpus(path, test_sentences, seed)
    if validation_sentences < 0:
        raise CorpusError(f"{validation_sentences} validation sentences are not possible; use 0 or more.")
    if not validation_sentences:
        return corpus
    test = HeldOutForms(corpus.heldout)
    by_english = _group_by_english(corpus.train)
    near = {
        english
        for english, french in corpus.train
        if test.same_english((english, french)) or test.same_french((english, french))
    }
    forms = {english: normalize_english(english) for english in by_english if english not in near}
    order = sorted(forms, key=lambda english: (hashlib.sha256(f"{seed} {forms[english]}".encode()).digest(), english))
    validation = {english: by_english[english] for english in order[:validation_sentences]}
    held = HeldOutForms(corpus.heldout | validation)
    train: list[Pair] = []
    same_english: list[Pair] = []
    same_french: list[Pair] = []
    for pair in corpus.train:
        if pair[0] in validation:
            continue
        part = same_english if held.same_english(pair) else same_french if held.same_french(pair) else train
        part.append(pair)
    if len(validation) < validation_sentences or not train:
        raise CorpusError(
            f"{path} has too few different sentences for {test_sentences} test and {validation_sentences} validation "
            f"sentences; use a larger file, or a smaller --heldout or --validation."
        )
    return Corpus(train, corpus.heldout, corpus.sha256, validation, tuple(same_english), tuple(same_french))


def read_corpus(path: str | Path, heldout_sentences: int = 2000, seed: int = 2017) -> Corpus:
    """Read a `.tsv`, `.txt`, `.tsv.gz` or `.zip` (as manythings.org ships it) of English TAB French lines.

    Further columns are ignored. The split is by English sentence: which ones are held out depends on their text and
    the seed alone, not on the order of the lines.

    Raises:
        CorpusError: missing, empty or damaged file; a line without a tab or with an empty side; text that is not
            UTF-8; too few distinct sentences to train on any; none to hold out. Blank lines are skipped.
    """
    if heldout_sentences < 1:
        raise CorpusError(f"{heldout_sentences} sentences held out leave nothing to measure on; hold out at least 1.")
    pairs, sha256 = read_pairs(path)
    by_english = _group_by_english(pairs)
    if len(by_english) <= heldout_sentences:
        raise CorpusError(
            f"{path} has {len(by_english)} distinct English sentences, too few to hold out {heldout_sentences}; "
            f"use a larger file or a smaller --heldout."
        )
    order = sorted(by_english, key=lambda english: hashlib.sha256(f"{seed} {english}".encode()).digest())
    heldout = {english: by_english[english] for english in order[:heldout_sentences]}
    train = [pair for pair in pairs if pair[0] not in heldout]
    return Corpus(train, heldout, sha256)


def _group_by_english(pairs: list[Pair]) -> dict[str, list[str]]:
    """English sentence -> its French translations, in the order of the file."""
    by_english: dict[str, list[str]] = {}
    for english, french in pairs:
        by_english.setdefault(english, []).append(french)
    return by_english


def read_pairs(path: str | Path) -> tuple[list[Pair], str]:
    """All pairs of a file that `read_corpus` reads, in its order, and the SHA-256 of the file.

    Raises:
        CorpusError: as of `read_corpus`.
    """
    path = Path(path)
    raw = _read_bytes(path)
    pairs = list(_parse(raw, path))
    if not pairs:
        raise CorpusError(f"{path} holds no sentence pairs; it needs lines of English, a tab, French.")
    return pairs, hashlib.sha256(raw).hexdigest()


def _read_bytes(path: Path) -> bytes:
    if not path.is_file():
        raise CorpusError(f"There is no file {path}; give --data a .tsv, .txt, .tsv.gz or .zip of sentence pairs.")
    try:
        if path.suffix == ".gz":
            with gzip.open(path) as packed:
                return unpack_within_limit(packed, path)
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                names = [name for name in archive.namelist() if name.endswith(".txt") and not name.startswith("_")]
                if len(names) != 1:
                    raise CorpusError(f"{path} must hold exactly one sentence file named *.txt, not {len(names)}.")
                with archive.open(names[0]) as packed:
                    return unpack_within_limit(packed, path)
        return path.read_bytes()
    except UnpackedSizeError as error:
        raise CorpusError(str(error)) from None
    except (OSError, EOFError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:  # Runtime: encrypted zip
        raise CorpusError(f"{path} is damaged or not what its name says ({error}); download it again.") from error


def _parse(raw: bytes, path: Path) -> Iterator[Pair]:
    for number, line in enumerate(raw.split(b"\n"), start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r")
        except UnicodeDecodeError as error:
            raise CorpusError(
                f"{path}, line {number}: not UTF-8 (byte {error.start + 1}); convert the file."
            ) from error
        if not text.strip(" "):
            continue
        columns = text.split("\t")
        if len(columns) < 2:
            raise CorpusError(f"{path}, line {number}: no tab; every line needs English, a tab, French.")
        english, french = columns[0].strip(), columns[1].strip()
        if not english or not french:
            raise CorpusError(f"{path}, line {number}: one side is empty; every line needs English, a tab, French.")
        yield english, french
