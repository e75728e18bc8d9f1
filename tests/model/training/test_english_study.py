"""Statistics of English text: counted by the command, measured, and stated in the card."""

import json
import shutil

import numpy as np
import pytest

from model.runtime.checkpoint import sha256_of
from model.text.english import FILE, MEASURED, EnglishStatistics, letter_triples
from model.text.tokenizer import Tokenizer
from model.training.__main__ import main
from model.training.card import card_markdown, evaluate_translator
from model.training.corpus import Corpus, read_corpus
from model.training.english_study import PAIRS, learn_english, measure_english
from model.training.head_card import write_readable_card


@pytest.fixture(scope="module")
def korean_file(corpus, tmp_path_factory):
    """Pairs of English and Korean; the first English sentence was trained on, the second is held out."""
    path = tmp_path_factory.mktemp("other") / "kor.tsv"
    lines = [corpus.train[0][0], next(iter(corpus.heldout)), "Nobody counted this one.", "Nobody counted this one."]
    path.write_text("\n".join(f"{line}\t학생 {place % 3}" for place, line in enumerate(lines)) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(trained, data_file, korean_file, tmp_path_factory):
    """A copy of the finished translator, measured by the command."""
    copy = shutil.copytree(trained, tmp_path_factory.mktemp("measured") / "copy")
    words = ["english", "--data", data_file, "--model", copy, "--heldout", 6, "--other", f"Korean={korean_file}"]
    assert main([str(word) for word in words]) == 0
    return copy


def test_the_counts_by_hand(folder, corpus):
    tokenizer = Tokenizer(folder / "tokenizer.model")
    small = Corpus([("a cat", "un chat"), ("a cat", "le chat"), ("a cat", "un chat")], corpus.heldout, "")
    table = learn_english(small, tokenizer)
    shares = []
    for lines in (["a cat"], ["un chat", "le chat"]):  # each sentence once
        counts = np.ones(len(tokenizer))
        for line in lines:
            for token in tokenizer.encode(line):
                counts[token] += 1
        shares.append(counts / counts.sum())
    np.testing.assert_allclose(table.log_odds, np.log(shares[0] / shares[1]), atol=1e-6)
    # "a" and "cat": after the start of a word come a and c; after "a" its end, and t
    (_, _, end), guess = letter_triples("a"), (1.5 / (2 + 14))  # of 28 symbols, half a time each, after the letter a
    assert end.tolist() == [1, 0]
    probability = (1 + PAIRS * guess) / (1 + PAIRS)  # "a" ended once after a start
    assert np.exp(table.spelling[0, 1, 0]) == pytest.approx(probability)


def test_only_sentences_that_were_not_counted_are_classified(folder, corpus):
    figures = json.loads((folder / MEASURED).read_text())
    assert figures["tokenizer_sha256"] == sha256_of(folder / "tokenizer.model")
    assert figures["english"]["held out"]["sentences"] == len(corpus.heldout)
    assert figures["english"]["beside Korean"]["sentences"] == 1
    assert figures["foreign"]["Korean"] == {"sentences": 3, "script": 3, "french": 0, "spelling": 0}
    counted = {french for _, french in corpus.train}
    expected = {text for texts in corpus.heldout.values() for text in texts} - counted
    assert figures["foreign"]["French"]["sentences"] == len(expected)


def test_shipped_counts_are_in_half_precision(folder, corpus):
    tokenizer = Tokenizer(folder / "tokenizer.model")
    counted = learn_english(corpus, tokenizer)
    shipped = EnglishStatistics.load(folder, sha256_of(folder / "tokenizer.model"))
    for name in ("log_odds", "spelling"):
        np.testing.assert_array_equal(getattr(shipped, name), getattr(counted, name).astype(np.float16))


def test_measuring_again_gives_the_same_files(folder, corpus, korean_file, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / FILE).unlink()
    measure_english(copy, corpus, {"Korean": read_corpus(korean_file, heldout_sentences=1)})
    for name in (FILE, MEASURED):
        assert (copy / name).read_bytes() == (folder / name).read_bytes()


def test_the_card_states_the_rates_and_retains_them(folder, corpus, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    evaluate_translator(copy, corpus, "cpu")
    text = (copy / "card.md").read_text()
    assert "| Korean | 3 | 100.00 % | 3 | 0 | 0 |" in text
    assert text.index("## Quality") < text.index("## Text that is not English") < text.index("## Files")
    content = json.loads((copy / MEASURED).read_text())
    (copy / MEASURED).write_text(json.dumps(content | {"tokenizer_sha256": "0" * 64}))
    write_readable_card(copy, card_markdown)
    assert "## Text that is not English" not in (copy / "card.md").read_text()


@pytest.mark.parametrize("pair", ["kor.tsv", "=kor.tsv", "Korean="])
def test_another_language_needs_a_name_and_a_file(folder, data_file, pair, capsys):
    words = ["english", "--data", data_file, "--model", folder, "--heldout", 6, "--other", pair]
    assert main([str(word) for word in words]) == 2
    assert "give NAME=FILE" in capsys.readouterr().err


def test_other_data_than_was_trained_on_is_refused(folder, korean_file, capsys):
    words = ["english", "--data", korean_file, "--model", folder, "--heldout", 1]
    assert main([str(word) for word in words]) == 2
    assert "not the one the translator was trained on" in capsys.readouterr().err
