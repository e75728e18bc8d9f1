"""Read and check sentence pairs from files of Tatoeba translations."""

import gzip
import hashlib
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


class CorpusError(ValueError):
    """The data file cannot be used; the message states why, with the line number, and what to do."""


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs, split so that no English sentence is on both sides."""

    train: list[tuple[str, str]]  # (English, French) pairs
    heldout: dict[str, list[str]]  # English sentence -> all its French translations; never trained on
    sha256: str  # of the data file as it was read, hexadecimal


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
    by_english: dict[str, list[str]] = {}
    for english, french in pairs:
        by_english.setdefault(english, []).append(french)
    if len(by_english) <= heldout_sentences:
        raise CorpusError(
            f"{path} has {len(by_english)} distinct English sentences, too few to hold out {heldout_sentences}; "
            f"use a larger file or a smaller --heldout."
        )
    order = sorted(by_english, key=lambda english: hashlib.sha256(f"{seed} {english}".encode()).digest())
    heldout = {english: by_english[english] for english in order[:heldout_sentences]}
    train = [pair for pair in pairs if pair[0] not in heldout]
    return Corpus(train, heldout, sha256)


def read_pairs(path: str | Path) -> tuple[list[tuple[str, str]], str]:
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
            return gzip.decompress(path.read_bytes())
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                names = [name for name in archive.namelist() if name.endswith(".txt") and not name.startswith("_")]
                if len(names) != 1:
                    raise CorpusError(f"{path} must hold exactly one sentence file named *.txt, not {len(names)}.")
                return archive.read(names[0])
        return path.read_bytes()
    except (OSError, EOFError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:  # Runtime: encrypted zip
        raise CorpusError(f"{path} is damaged or not what its name says ({error}); download it again.") from error


def _parse(raw: bytes, path: Path) -> Iterator[tuple[str, str]]:
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
