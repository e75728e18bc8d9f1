"""Reading sentence pairs, refused files with their messages, and the split."""

import gzip
import hashlib
import random
import zipfile

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from model.data.corpus import CorpusError, read_corpus

LINES = ["Go.\tVa !", "Go.\tMarche.", "Hi.\tSalut.", "Run!\tCours !", "Who?\tQui ?"]
PAIRS = [tuple(line.split("\t")) for line in LINES]
TEXT = "".join(f"{line}\n" for line in LINES).encode()


def write_file(folder, content: bytes, name: str = "pairs.tsv"):
    path = folder / name
    path.write_bytes(content)
    return path


def zipped(folder, files: dict[str, bytes]):
    path = folder / "pairs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def all_pairs(corpus) -> list[tuple[str, str]]:
    return corpus.train + [(english, french) for english, options in corpus.heldout.items() for french in options]


def error_message(path, heldout: int = 1) -> str:
    """The error message, which must be one line that ends like a sentence."""
    with pytest.raises(CorpusError) as error:
        read_corpus(path, heldout)
    text = str(error.value)
    assert "\n" not in text and text.endswith(".")
    return text


@pytest.mark.parametrize("name", ["pairs.tsv", "fra.txt", "pairs.tsv.gz", "fra-eng.zip"])
def test_every_form_gives_the_same_pairs_and_split(tmp_path, name):
    if name.endswith(".zip"):
        path = zipped(tmp_path, {"_about.txt": b"Terms of use: no tab here", "fra.txt": TEXT})
    else:
        path = write_file(tmp_path, gzip.compress(TEXT) if name.endswith(".gz") else TEXT, name)
    corpus = read_corpus(path, 2)
    assert sorted(all_pairs(corpus)) == sorted(PAIRS)
    assert len(corpus.heldout) == 2
    plain = read_corpus(write_file(tmp_path, TEXT, "plain.tsv"), 2)
    assert corpus == plain  # the hash included: it is of the text, not of its packing


@pytest.mark.parametrize(
    "content",
    [
        "".join(f"{line}\tCC-BY 2.0 (France) Attribution: tatoeba.org #1\t\n" for line in LINES).encode(),
        b"\xef\xbb\xbf" + TEXT,
        TEXT.replace(b"\n", b"\r\n"),
        TEXT.rstrip(b"\n"),
        b"\n" + TEXT.replace(b"\n", b"\n\n  \n") + b"\r\n",
        "".join(f"  {english} \t {french}  \n" for english, french in PAIRS).encode(),
    ],
    ids=["more columns", "byte order mark", "CRLF", "no last line break", "empty lines", "spaces around"],
)
def test_additions_of_editors_and_exports_are_ignored(tmp_path, content):
    corpus = read_corpus(write_file(tmp_path, content), 1)
    assert sorted(all_pairs(corpus)) == sorted(PAIRS)


def test_the_hash_is_of_the_text_that_was_read(tmp_path):
    assert read_corpus(write_file(tmp_path, TEXT), 1).sha256 == hashlib.sha256(TEXT).hexdigest()
    assert read_corpus(write_file(tmp_path, TEXT + b"\n"), 1).sha256 == hashlib.sha256(TEXT + b"\n").hexdigest()


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    expected = "There is no file {}; give --data a .tsv, .txt, .tsv.gz or .zip of sentence pairs."
    assert error_message(tmp_path / "none.tsv") == expected.format(tmp_path / "none.tsv")
    assert error_message(tmp_path) == expected.format(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\n\r\n  \n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.tsv.gz"])
def test_a_file_without_pairs_is_refused(tmp_path, content, name):
    path = write_file(tmp_path, gzip.compress(content) if name.endswith(".gz") else content, name)
    assert error_message(path) == f"{path} holds no sentence pairs; it needs lines of English, a tab, French."


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"No tab here.", "no tab; every line needs English, a tab, French."),
        (b"English.\t", "one side is empty; every line needs English, a tab, French."),
        (b"\tFrench.", "one side is empty; every line needs English, a tab, French."),
        (b"\t", "one side is empty; every line needs English, a tab, French."),
        (b" \t \tmore", "one side is empty; every line needs English, a tab, French."),
        (b"caf\xe9.\tcafe.", "not UTF-8 (byte 4); convert the file."),
        (b"\xff\xfea\tb", "not UTF-8 (byte 1); convert the file."),
    ],
)
@pytest.mark.parametrize("number", [1, 4, 6])
def test_a_wrong_line_is_named_by_its_number(tmp_path, line, complaint, number):
    lines = TEXT.rstrip(b"\n").split(b"\n")
    lines.insert(number - 1, line)
    path = write_file(tmp_path, b"\n".join(lines))
    assert error_message(path) == f"{path}, line {number}: {complaint}"


def test_line_numbers_count_empty_lines_and_other_line_ends_do_not_break_lines(tmp_path):
    path = write_file(tmp_path, b"\r\n\r\nGo.\tVa\xe2\x80\xa8!\x0c\x1c\r\nbroken\r\n")
    assert error_message(path).startswith(f"{path}, line 4: no tab")


def test_the_first_wrong_line_is_the_one_that_is_named(tmp_path):
    assert "line 2: no tab" in error_message(write_file(tmp_path, b"a\tb\nbroken\n\xff\n"))


@pytest.mark.parametrize("part", [slice(-9), slice(20), slice(5, None)], ids=["end lost", "cut short", "start lost"])
def test_a_damaged_gz_is_refused(tmp_path, part):
    path = write_file(tmp_path, gzip.compress(TEXT)[part], "pairs.tsv.gz")
    assert error_message(path).startswith(f"{path} is damaged or not what its name says (")
    assert error_message(path).endswith("); download it again.")


def test_a_gz_with_a_flipped_byte_is_refused(tmp_path):
    content = bytearray(gzip.compress(TEXT))
    content[len(content) // 2] ^= 0xFF
    assert "download it again." in error_message(write_file(tmp_path, bytes(content), "pairs.tsv.gz"))


def test_a_damaged_zip_is_refused(tmp_path):
    whole = zipped(tmp_path, {"fra.txt": TEXT}).read_bytes()
    flipped = bytearray(whole)
    flipped[45] ^= 0xFF  # inside the compressed sentences
    for content in (b"", b"PK no archive", whole[:-30], bytes(flipped)):
        path = write_file(tmp_path, content, "bad.zip")
        assert error_message(path).startswith(f"{path} is damaged or not what its name says (")


def test_an_encrypted_zip_is_refused(tmp_path):
    content = bytearray(zipped(tmp_path, {"fra.txt": TEXT}).read_bytes())
    content[6] |= 1  # the encryption flag, in the entry and in the directory
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert "password required" in error_message(write_file(tmp_path, bytes(content), "locked.zip"))


@pytest.mark.parametrize(
    ("files", "count"),
    [({"readme.md": b"x"}, 0), ({}, 0), ({"_about.txt": b"x"}, 0), ({"fra.txt": TEXT, "deu.txt": TEXT}, 2)],
)
def test_a_zip_without_exactly_one_sentence_file_is_refused(tmp_path, files, count):
    path = zipped(tmp_path, files)
    assert error_message(path) == f"{path} must hold exactly one sentence file named *.txt, not {count}."


def test_holding_out_everything_or_nothing_is_refused(tmp_path):
    path = write_file(tmp_path, TEXT)
    assert error_message(path, 4) == (
        f"{path} has 4 distinct English sentences, too few to hold out 4; use a larger file or a smaller --heldout."
    )
    assert error_message(path, 0) == "0 sentences held out leave nothing to measure on; hold out at least 1."
    assert len(read_corpus(path, 3).heldout) == 3


WORDS = st.text(st.characters(categories=("L", "Nd", "P"), include_characters=" "), min_size=1, max_size=8)
CLEAN = WORDS.map(str.strip).filter(bool)


@given(
    st.lists(st.tuples(CLEAN, CLEAN), min_size=2, max_size=30), st.integers(1, 10), st.randoms(use_true_random=False)
)
def test_no_english_sentence_is_on_both_sides_and_the_order_of_lines_does_not_matter(
    tmp_path_factory, pairs, heldout, shuffler
):
    folder = tmp_path_factory.getbasetemp()
    distinct = {english for english, _ in pairs}
    assume(len(distinct) > 1)
    heldout = min(heldout, len(distinct) - 1)
    lines = [f"{english}\t{french}\n" for english, french in pairs]
    corpus = read_corpus(write_file(folder, "".join(lines).encode()), heldout)
    assert len(corpus.heldout) == heldout
    assert not {english for english, _ in corpus.train} & corpus.heldout.keys()
    assert sorted(all_pairs(corpus)) == sorted(pairs)
    shuffler.shuffle(lines)
    again = read_corpus(write_file(folder, "".join(lines).encode()), heldout)
    assert again.heldout.keys() == corpus.heldout.keys()
    assert sorted(again.train) == sorted(corpus.train)
    assert read_corpus(folder / "pairs.tsv", heldout) == again


def test_the_split_follows_the_seed_and_grows_by_adding(tmp_path):
    lines = [f"Sentence {number}.\tPhrase {number}.\n" for number in range(200)]
    random.Random(0).shuffle(lines)
    path = write_file(tmp_path, "".join(lines).encode())
    first, other, more = (set(read_corpus(path, n, seed).heldout) for n, seed in ((20, 1), (20, 2), (50, 1)))
    assert first < more
    assert first != other
    assert len(first & other) < 12


def test_the_held_out_sentences_are_these_in_every_version(tmp_path):
    lines = "".join(f"Sentence {number}.\tPhrase {number}.\n" for number in range(10))
    heldout = read_corpus(write_file(tmp_path, lines.encode()), 3).heldout
    assert list(heldout) == ["Sentence 2.", "Sentence 4.", "Sentence 1."]


def test_all_translations_of_a_held_out_sentence_are_references(tmp_path):
    corpus = read_corpus(write_file(tmp_path, TEXT), 2)
    assert corpus.heldout == {"Run!": ["Cours !"], "Go.": ["Va !", "Marche."]}
    assert corpus.train == [("Hi.", "Salut."), ("Who?", "Qui ?")]
