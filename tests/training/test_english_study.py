"""Statistics of English text: counted by the command, measured, and stated in the card; sentences written for it."""

import json
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import tests.model.text
from model import Translator
from model.data.corpus import Corpus, CorpusError, read_corpus
from model.runtime.checkpoint import sha256_of
from model.text.english import (
    FILE,
    MEASURED,
    SENTENCE_WORDS,
    SIGNS,
    THRESHOLD,
    EnglishStatistics,
    count_words,
    is_latin,
    letter_triples,
)
from model.translator import SHIPPED
from tests.model.text.small_statistics import small_statistics
from training.__main__ import main
from training.card import evaluate_translator
from training.english_study import (
    APART,
    PAIRS,
    choose_threshold,
    learn_english,
    measure_english,
    measure_written,
    read_written,
)
from training.frequent_words import frequent_words
from training.readable_card import write_readable_card

SENTENCES = Path(tests.model.text.__file__).with_name("language_sentences.tsv")
KINDS = ("science", "law", "recipe", "chat", "headline", "manual")
LANGUAGES = ("German", "Dutch", "Spanish", "Italian", "Portuguese", "Swedish")


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
    words += ["--written", SENTENCES]
    assert main([str(word) for word in words]) == 0
    return copy


def test_the_counts_by_hand(corpus):
    pairs = [("a cat", "un chat"), ("a cat", "le chat"), ("a dog", "un chat")]
    table = learn_english(Corpus(pairs, corpus.heldout, ""))
    # each sentence once: "a" twice, "cat" and "dog" once, which is too rare to be counted
    counted = {word: value for word, value in zip(table.words, table.english, strict=True) if np.isfinite(value)}
    assert counted == {"a": pytest.approx(np.log(0.9 * 2 / 4))}
    french = table.languages.index("French")
    rows = {
        table.words[word]: value
        for (word, language), value in zip(table.entries, table.others, strict=True)
        if language == french
    }
    assert rows == {"chat": pytest.approx(np.log(0.9 * 2 / 4))}
    # letters of English: "a" counts twice, "cat" and "dog" once; after the start of a word and a, an end came twice
    (before, last, end) = (place[1] for place in letter_triples("a"))
    guess = 2.5 / (2 + 1 + 14)  # after the letter a: two ends and a t; of 28 symbols, half a time each
    probability = (2 + PAIRS * guess) / (2 + PAIRS)
    assert np.exp(table.english_letters[before, last, end]) == pytest.approx(probability)


def test_listed_words_are_the_more_probable_the_earlier_they_come(corpus):
    table = learn_english(Corpus([("a cat", "un chat")], corpus.heldout, ""))
    for language, words in frequent_words().items():
        assert len(words) >= 50 and all(word == word.lower() and is_latin(word) for word in words), language
        place = table.languages.index(language)
        values = {
            table.words[word]: value
            for (word, at), value in zip(table.entries, table.others, strict=True)
            if at == place
        }
        ranked = [values[word] for word in words]
        assert ranked == sorted(ranked, reverse=True)
        assert np.exp(ranked).sum() == pytest.approx(0.5)
        assert min(ranked) >= table.rarest - 1e-5


def test_only_sentences_that_were_not_counted_are_classified(folder, corpus):
    figures = json.loads((folder / MEASURED).read_text())
    assert figures["tokenizer_sha256"] == sha256_of(folder / "tokenizer.model")
    assert figures["english"]["held out"]["sentences"] == len(corpus.heldout)
    assert figures["english"]["paired with Korean"]["sentences"] == 1
    assert figures["foreign"]["Korean"] == {"sentences": 3, "script": 3, "french": 0, "other": 0} | {
        "interval": [pytest.approx(0.4385, abs=5e-5), 1.0]
    }
    counted = {french for _, french in corpus.train}
    expected = {text for texts in corpus.heldout.values() for text in texts} - counted
    assert figures["foreign"]["French"]["sentences"] == len(expected)


def test_measuring_again_gives_the_same_files(folder, corpus, korean_file, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / FILE).unlink()
    others = {"Korean": read_corpus(korean_file, heldout_sentences=1)}
    measure_english(copy, corpus, others, read_written(SENTENCES))
    for name in (FILE, MEASURED):
        assert (copy / name).read_bytes() == (folder / name).read_bytes()


def test_the_card_states_the_rates_and_retains_them(folder, corpus, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    evaluate_translator(copy, corpus, "cpu")
    text = (copy / "card.md").read_text()
    assert "| Korean | 3 | 100.00 % | 43.85 to 100.00 % | 3 | 0 | 0 |" in text
    assert "| Dutch, 5 words or more | " in text and "every threshold between" in text
    assert text.index("## Quality") < text.index("## Text that is not English") < text.index("## Files")
    content = json.loads((copy / MEASURED).read_text())
    (copy / MEASURED).write_text(json.dumps(content | {"tokenizer_sha256": "0" * 64}))
    write_readable_card(copy)
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


@pytest.fixture(scope="module")
def written():
    return read_written(SENTENCES)


@pytest.fixture(scope="module")
def statistics():
    return EnglishStatistics.load(SHIPPED, Translator.load(device="cpu").card["tokenizer_sha256"])


def test_there_are_fifty_of_every_kind_and_about_half_of_them_report(written):
    sizes = Counter({kind: len(sentences) for kind, sentences in written.choosing.items()})
    reporting = Counter({kind: len(sentences) for kind, sentences in written.reporting.items()})
    both = sizes + reporting
    assert set(both) == {f"English, {kind}" for kind in KINDS} | set(LANGUAGES)
    assert min(both.values()) >= 50 and sum(both[f"English, {kind}"] for kind in KINDS) >= 300
    assert all(0.3 < reporting[kind] / both[kind] < 0.7 for kind in both)
    chosen = {sentence for sentences in written.choosing.values() for sentence in sentences}
    assert not chosen & {sentence for sentences in written.reporting.values() for sentence in sentences}


def test_the_shipped_figures_are_those_of_these_sentences(written, statistics):
    shipped = json.loads((SHIPPED / MEASURED).read_text())["written"]
    assert shipped == json.loads(json.dumps(measure_written(written, statistics)))


def test_the_threshold_was_chosen_on_the_other_half(written, statistics):
    choice = choose_threshold(written.choosing, statistics)
    assert choice["lowest"] <= THRESHOLD < choice["highest"]
    assert choice["sentences"]["english"] > 100 and choice["sentences"]["other"] > 100


def test_the_bounds_are_met_on_the_half_that_reports(written, statistics):
    report = measure_written(written, statistics)["reporting"]

    def rate(name: str) -> float:
        return sum(report[name][sign] for sign in SIGNS) / report[name]["sentences"]

    assert rate("English, all but chat") <= 0.02
    assert {name: rate(f"{name}, 5 words or more") >= 0.9 for name in LANGUAGES} == dict.fromkeys(LANGUAGES, True)
    assert report["all six, 5 words or more"]["sentences"] > 150


def test_chat_and_short_sentences_do_not_choose():
    words = {"xa": {"English": -2, "Dutch": -5}, "xb": {"English": -5, "Dutch": -2}}
    statistics = small_statistics({f"{word}{letter}": table for word, table in words.items() for letter in "abcdefgh"})
    english, dutch = (" ".join(f"{word}{letter}" for letter in "abcde") for word in words)
    mixed = "xaa xab xac xba xbb xbc xbd"  # -9 + 12
    choosing = {"English, law": [english, mixed], APART: [dutch], "Dutch": [dutch, "xaa xab xac"]}
    choice = choose_threshold(choosing, statistics)
    assert choice == {
        "sentences": {"english": 2, "other": 1}, "lowest": 3, "highest": 15, "false_alarms": 0, "missed": 0,
    }  # fmt: skip
    assert count_words("xaa xab xac") < SENTENCE_WORDS


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("German\tJa.\nNein.\n", "line 2, is not a kind, a tab and a sentence"),
        ("German\tJa.\n\tNein.\n", "line 2, is not a kind"),
        ("German\tJa.\nDutch\tJa.\n", "line 2, repeats a sentence"),
    ],
)
def test_a_file_of_another_form_is_reported(tmp_path, content, reason):
    path = tmp_path / "written.tsv"
    path.write_text(content)
    with pytest.raises(CorpusError, match=reason):
        read_written(path)


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(CorpusError, match="cannot be read"):
        read_written(tmp_path / "none.tsv")
