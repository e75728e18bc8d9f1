"""Detecting text that is not English: every sign on sentences of this project, and the shipped figures."""

import json
import math
import shutil

import numpy as np
import pytest

from model import CheckpointError, Translator
from model.runtime.checkpoint import load_tensors
from model.text.english import (
    FILE,
    LOG_ODDS,
    MEASURED,
    SIGNS,
    SPELLING,
    EnglishStatistics,
    foreign_sign,
    french_log_odds,
    letter_triples,
    median_spelling,
    split_lowercase,
    split_words,
)
from model.translator import SHIPPED
from tests.model.text import english_cases as cases


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load()


@pytest.fixture(scope="module")
def statistics(translator) -> EnglishStatistics:
    return EnglishStatistics.load(SHIPPED, translator.card["tokenizer_sha256"])


@pytest.fixture(scope="module")
def sign(translator, statistics):
    return lambda text: foreign_sign(text, translator.tokenizer, statistics)


@pytest.mark.parametrize("text", [*cases.ENGLISH, *cases.SHORT, *cases.MIXED])
def test_english_short_and_mixed_text_has_no_sign(sign, translator, text):
    assert sign(text) is None
    assert translator.looks_english(text)


@pytest.mark.parametrize("text", [*cases.KOREAN, *(text for texts in cases.OTHER_SCRIPTS.values() for text in texts)])
def test_other_scripts_are_found_with_and_without_statistics(sign, translator, text):
    assert sign(text) == "script" == foreign_sign(text, translator.tokenizer, None)
    assert not translator.looks_english(text)


@pytest.mark.parametrize("text", cases.FRENCH)
def test_french_is_found_by_its_tokens(sign, translator, text):
    assert sign(text) == "french"
    assert foreign_sign(text, translator.tokenizer, None) is None  # the counts are needed


def test_mostly_another_language_with_some_english_is_found(sign):
    assert [sign(text) for text in cases.MOSTLY_OTHER] == ["script"] * 4 + ["french"]


def test_other_languages_in_latin_letters_are_mostly_found_by_french_tokens_or_spelling(sign):
    result = [sign(text) for text in cases.LATIN]
    assert (len(result), result.count("french"), result.count("spelling"), result.count(None)) == (24, 12, 11, 1)


def test_a_script_is_a_sign_above_half_of_the_letters_or_of_the_runs(sign):
    assert sign("ab бв") is None  # 2 of 4 letters, 1 of 2 runs
    assert sign("ab бвг") == "script"  # 3 of 5 letters
    assert sign("abcdefgh б в") == "script"  # 2 of 3 runs
    assert sign("abcdefgh бв") is None
    assert sign("abcdefgh α β") is None  # symbols


def test_words_exclude_what_is_no_language_and_are_lower_case_if_mostly_capital():
    text = "Don't e-mail tom@example.com, see http://a.b/c or f(x), at 5pm: it's \U0001f600 naïve!"
    assert split_words(text) == ["Don't", "e-mail", "see", "or", "at", "it's", "naïve"]
    assert split_words("I WANT A CAR") == ["i", "want", "a", "car"]
    assert split_words("I am A") == ["I", "am", "A"]
    assert split_words("123 ?!") == []
    assert split_lowercase(["Don't", "e-mail"]) == ["don", "t", "e", "mail"]


def test_the_sums_are_those_of_the_tables(translator, statistics):
    result = ["je", "suis"]
    ids = translator.tokenizer.encode("je suis")
    assert french_log_odds(result, translator.tokenizer, statistics) == pytest.approx(
        sum(float(statistics.log_odds[token]) for token in ids), abs=1e-5
    )
    assert [place.tolist() for place in letter_triples("ab")] == [[0, 0, 1], [0, 1, 2], [1, 2, 0]]
    table = statistics.spelling
    means = {word: float(table[letter_triples(word)].mean()) for word in ("the", "zxq", "and")}
    assert median_spelling(["the", "zxq", "and"], statistics) == pytest.approx(sorted(means.values())[1], abs=1e-5)
    assert means["zxq"] < SPELLING < means["the"]
    # the probabilities after two letters sum to 1
    np.testing.assert_allclose(np.exp(table.astype(np.float64)).sum(axis=2), 1, atol=2e-3)


def test_the_thresholds_are_met_exactly(translator):
    """With a table in which every token has -4 nats, every letter -2.5 nats."""
    vocabulary = len(translator.tokenizer)
    low = EnglishStatistics(np.full(vocabulary, -4, np.float32), np.full((28, 28, 28), -2.5, np.float32))
    tokens = len(translator.tokenizer.encode("we see it"))
    assert tokens == 3
    assert foreign_sign("we see it", translator.tokenizer, low) == "french"  # -12
    assert foreign_sign("we see", translator.tokenizer, low) is None  # two words
    assert foreign_sign("We See it", translator.tokenizer, low) is None  # a name
    uniform = EnglishStatistics(np.full(vocabulary, LOG_ODDS / 3, np.float32), low.spelling)
    assert math.isclose(french_log_odds(["we", "see", "it"], translator.tokenizer, uniform), LOG_ODDS, abs_tol=1e-5)
    high = EnglishStatistics(np.zeros(vocabulary, np.float32), np.full((28, 28, 28), -3.5, np.float32))
    assert foreign_sign("we see it now", translator.tokenizer, high) == "spelling"
    assert foreign_sign("we see it it", translator.tokenizer, high) is None  # three different words
    assert foreign_sign("we see it now", translator.tokenizer, low.__class__(high.log_odds, low.spelling)) is None


def test_the_measured_rates_meet_the_documented_bounds(translator):
    result = json.loads((SHIPPED / MEASURED).read_text())
    assert result["tokenizer_sha256"] == translator.card["tokenizer_sha256"]
    assert result["data_sha256"]["French"] == translator.card["data"]["sha256"]
    assert result["thresholds"] == {"log_odds": LOG_ODDS, "spelling": SPELLING}

    def warning_rate(counts: dict) -> float:
        return sum(counts[sign] for sign in SIGNS) / counts["sentences"]

    english, foreign = result["english"], result["foreign"]
    assert {name: counts["sentences"] for name, counts in (english | foreign).items()} == {
        "held out": 2000,
        "beside Korean": 2473,
        "French": 2635,
        "French, 5 words or more": 2046,
        "Korean": 3763,
    }
    assert max(warning_rate(counts) for counts in english.values()) < 0.005
    assert warning_rate(foreign["Korean"]) >= 0.995
    assert warning_rate(foreign["French, 5 words or more"]) >= 0.9


def test_the_table_is_small_and_of_this_tokenizer(translator):
    assert (SHIPPED / FILE).stat().st_size < 100_000
    _, facts = load_tensors(SHIPPED / FILE)
    assert facts == {"tokenizer_sha256": translator.card["tokenizer_sha256"]}


def test_a_translator_without_a_table_tests_scripts_only(tmp_path):
    folder = shutil.copytree(SHIPPED, tmp_path / "translator")
    assert EnglishStatistics.load(folder, "another tokenizer") is None
    (folder / FILE).unlink()
    translator = Translator.load(folder, "cpu")
    assert translator.looks_english("Je voudrais acheter une voiture.")
    assert not translator.looks_english("저는 학생입니다.")


def test_a_damaged_table_is_reported_in_one_sentence(tmp_path):
    folder = shutil.copytree(SHIPPED, tmp_path / "translator")
    (folder / FILE).write_bytes((folder / FILE).read_bytes()[:1000])
    with pytest.raises(CheckpointError, match=FILE):
        Translator.load(folder, "cpu")
