"""Detecting text that is not English: every sign on sentences of this project, and the shipped figures."""

import json
import shutil

import pytest

from model import CheckpointError, Translator
from model.text.english import (
    FEWEST,
    FILE,
    MEASURED,
    SIGNS,
    THRESHOLD,
    EnglishStatistics,
    count_words,
    foreign_evidence,
    foreign_sign,
    split_lowercase,
    split_words,
)
from model.translator import SHIPPED
from tests.model.text import english_cases as cases
from tests.model.text.small_statistics import small_statistics


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load()


@pytest.fixture(scope="module")
def statistics(translator) -> EnglishStatistics:
    return EnglishStatistics.load(SHIPPED, translator.card["tokenizer_sha256"])


@pytest.fixture(scope="module")
def sign(statistics):
    return lambda text: foreign_sign(text, statistics)


@pytest.mark.parametrize("text", [*cases.ENGLISH, *cases.SHORT, *cases.MIXED])
def test_english_short_and_mixed_text_has_no_sign(sign, translator, text):
    assert sign(text) is None
    assert translator.looks_english(text)


@pytest.mark.parametrize("text", [*cases.KOREAN, *(text for texts in cases.OTHER_SCRIPTS.values() for text in texts)])
def test_other_scripts_are_found_with_and_without_statistics(sign, translator, text):
    assert sign(text) == "script" == foreign_sign(text, None)
    assert not translator.looks_english(text)


@pytest.mark.parametrize("text", cases.FRENCH)
def test_french_is_found_by_its_words(sign, text):
    assert sign(text) == "french"
    assert foreign_sign(text, None) is None  # the counts are needed


def test_mostly_another_language_with_some_english_is_found(sign):
    assert [sign(text) for text in cases.MOSTLY_OTHER] == ["script"] * 4 + ["french"]


def test_other_languages_in_latin_letters_are_found(sign):
    assert [text for text in cases.LATIN if sign(text) is None] == []


def test_a_title_in_another_language_is_found_and_names_in_english_are_not(sign):
    assert sign("La Casa De Los Niños Que No Duermen") is not None
    assert sign("We Met At A Café In The Old Town") is None
    for name in ("São Paulo", "Rio de Janeiro", "Los Angeles", "Düsseldorf", "Málaga", "Győr", "Århus"):
        assert sign(f"My brother lives in {name} with his family.") is None, name


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


def test_too_few_words_and_names_have_no_evidence(statistics):
    assert foreign_evidence("je suis", statistics) is None
    assert foreign_evidence("je suis je suis", statistics) is None  # two different words
    assert foreign_evidence("Antoine De Saint", statistics) is None
    assert foreign_evidence("je suis là", statistics).language == "French"
    assert FEWEST == 3


def test_the_threshold_has_to_be_exceeded():
    def statistics_of(total: float, language: str) -> EnglishStatistics:
        return small_statistics({word: {"English": -5, language: -5 + total / 3} for word in ("xa", "xb", "xc")})

    below, above = (THRESHOLD - 0.01, THRESHOLD + 0.01)
    assert foreign_evidence("xa xb xc", statistics_of(above, "Dutch")).nats == pytest.approx(above, abs=1e-5)
    assert foreign_sign("xa xb xc", statistics_of(below, "Dutch")) is None
    assert foreign_sign("xa xb xc", statistics_of(above, "Dutch")) == "other"
    assert foreign_sign("xa xb xc", statistics_of(above, "French")) == "french"


def test_words_are_counted_with_repetitions():
    assert count_words("I don\u2019t, I won\u2019t: 5 e-mails!") == 5


def test_the_measured_rates_meet_the_documented_bounds(translator):
    result = json.loads((SHIPPED / MEASURED).read_text())
    assert result["tokenizer_sha256"] == translator.card["tokenizer_sha256"]
    assert result["data_sha256"]["French"] == translator.card["data"]["sha256"]
    assert result["thresholds"] == {"nats": THRESHOLD, "words": FEWEST}

    def warning_rate(counts: dict) -> float:
        return sum(counts[sign] for sign in SIGNS) / counts["sentences"]

    english, foreign = result["english"], result["foreign"]
    assert {name: counts["sentences"] for name, counts in (english | foreign).items()} == {
        "held out": 2000,
        "paired with Korean": 2473,
        "French": 2635,
        "French, 5 words or more": 2046,
        "Korean": 3763,
    }
    assert max(warning_rate(counts) for counts in english.values()) < 0.005
    assert warning_rate(foreign["Korean"]) >= 0.995
    assert warning_rate(foreign["French, 5 words or more"]) >= 0.99


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
