"""Sentences written to measure the test of English: their numbers and halves, the threshold, the shipped figures."""

import json
from collections import Counter
from pathlib import Path

import pytest

import tests.model.text
from model import Translator
from model.data.corpus import CorpusError
from model.text.english import MEASURED, SENTENCE_WORDS, SIGNS, THRESHOLD, count_words
from model.text.english_statistics import EnglishStatistics
from model.translator import SHIPPED
from tests.model.text.small_statistics import small_statistics
from training.written_sentences import APART, choose_threshold, measure_written, read_written

SENTENCES = Path(tests.model.text.__file__).with_name("language_sentences.tsv")
KINDS = ("science", "law", "recipe", "chat", "headline", "manual")
LANGUAGES = ("German", "Dutch", "Spanish", "Italian", "Portuguese", "Swedish")


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
