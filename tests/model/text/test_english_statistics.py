"""Evidence of words for a language, by hand; the shipped table, its size and the time it takes."""

import time

import numpy as np
import pytest
import torch

from model import Translator
from model.runtime.checkpoint import CheckpointError, load_tensors, save_tensors
from model.text.english import (
    FILE,
    LARGEST,
    UNLISTED,
    UNSEEN,
    EnglishStatistics,
    foreign_sign,
    is_latin,
    letter_triples,
)
from model.translator import SHIPPED
from tests.model.text.small_statistics import small_statistics

WORDS = {"in": {"English": -4, "German": -3.5}, "und": {"German": -3}, "the": {"English": -3}, "het": {"Dutch": -3}}


def test_evidence_is_the_sum_over_words_for_the_best_language():
    statistics = small_statistics(WORDS, english_letter=-2.0, other_letter=-2.0)
    # "und": German -3, English unseen with 4 letters, its end included; more than the limit
    expected = min(LARGEST, -3 - (UNSEEN - 8))
    assert expected == LARGEST
    language, nats = statistics.evidence(["in", "und"])
    assert language == "German" and nats == pytest.approx(0.5 + LARGEST)
    # "the" is not listed in German: it is no more frequent than the rarest listed word, or than its letters
    unlisted = min(-7.0, UNLISTED - 8)
    assert unlisted - -3 < -LARGEST
    assert statistics.evidence(["in", "und", "the"]).nats == pytest.approx(0.5 + LARGEST - LARGEST)


def test_a_word_that_was_counted_nowhere_is_judged_by_its_letters():
    statistics = small_statistics(WORDS, english_letter=-2.0, other_letter=-1.5, rarest=0.0)
    assert statistics.evidence(["abc"]).nats == pytest.approx((UNLISTED - 6) - (UNSEEN - 8))
    statistics = small_statistics(WORDS, english_letter=-2.0, other_letter=-2.5, rarest=0.0)
    assert statistics.evidence(["abcdef"]).nats == pytest.approx((UNLISTED - 17.5) - (UNSEEN - 14))


def test_a_language_that_does_not_list_a_word_gains_no_more_than_its_rarest_word():
    statistics = small_statistics({"at": {"English": -5.0}, "y": {"Dutch": -3}}, other_letter=-0.1, rarest=-7.0)
    assert statistics.evidence(["at"]).nats == pytest.approx(-2)


def test_names_inside_a_sentence_are_ignored():
    statistics = small_statistics(WORDS, english_letter=-2.0, other_letter=-1.0)
    plain = statistics.evidence(["in", "the"])
    assert statistics.evidence(["in", "the", "Xyz", "Het"]) == plain
    assert statistics.evidence(["in", "the", "xyz"]).nats > plain.nats
    assert statistics.evidence(["Xyz", "in", "the"]).nats > plain.nats  # every sentence begins with a capital letter
    assert statistics.evidence(["In", "The", "Xyz"]).nats > plain.nats  # a title
    assert statistics.evidence(["in", "The"]) == plain  # English words count


def test_triples_of_letters():
    assert letter_triples("ab") == ([0, 0, 1], [0, 1, 2], [1, 2, 0])
    assert letter_triples("é") == ([0, 0], [0, 27], [27, 0])


@pytest.mark.parametrize(
    ("word", "latin"), [("cafe", True), ("café", True), ("naïve", True), ("π", False), ("да", False)]
)
def test_words_of_other_scripts(word, latin):
    assert is_latin(word) == latin


def test_what_is_saved_is_loaded_in_half_precision(tmp_path):
    statistics = small_statistics(WORDS, english_letter=-2.0, other_letter=-1.5)
    statistics.save(tmp_path, "hash")
    loaded = EnglishStatistics.load(tmp_path, "hash")
    assert (loaded.languages, loaded.words, loaded.rarest) == (
        statistics.languages,
        statistics.words,
        statistics.rarest,
    )
    np.testing.assert_array_equal(loaded.entries, statistics.entries)
    for name in ("english", "others", "english_letters", "other_letters"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(statistics, name).astype(np.float16))
    assert loaded.evidence(["und", "abc"]) == pytest.approx(statistics.evidence(["und", "abc"]))
    assert EnglishStatistics.load(tmp_path, "another hash") is None


def test_tables_of_earlier_versions_are_ignored_and_damaged_ones_reported(tmp_path):
    earlier = {"log_odds": torch.zeros(8).half(), "spelling": torch.zeros(28, 28, 28).half()}
    save_tensors(tmp_path / FILE, earlier, {"tokenizer_sha256": "hash"})
    assert EnglishStatistics.load(tmp_path, "hash") is None
    save_tensors(tmp_path / FILE, {"words": torch.zeros(8).half()}, {"tokenizer_sha256": "hash"})
    with pytest.raises(CheckpointError, match="table of English words"):
        EnglishStatistics.load(tmp_path, "hash")


@pytest.mark.parametrize(
    "damage",
    [
        {"language": torch.tensor([0, 200, 1], dtype=torch.uint8)},
        {"word": torch.tensor([0, 1, -3], dtype=torch.int32)},
        {"words": torch.tensor([195, 40], dtype=torch.uint8)},  # no UTF-8
        {"words": torch.tensor([65, 10, 66], dtype=torch.uint8)},
        {"english_letters": torch.zeros(27, 27, 27).half()},
        {"others": torch.zeros(2).half()},
    ],
    ids=lambda damage: "-".join(damage),
)
def test_flipped_bytes_are_reported_when_the_table_is_read(tmp_path, damage):
    small_statistics(WORDS).save(tmp_path, "hash")
    tensors, facts = load_tensors(tmp_path / FILE)
    save_tensors(tmp_path / FILE, tensors | damage, facts)
    with pytest.raises(CheckpointError, match="table of English words"):
        EnglishStatistics.load(tmp_path, "hash")


@pytest.fixture(scope="module")
def shipped() -> EnglishStatistics:
    return EnglishStatistics.load(SHIPPED, Translator.load(device="cpu").card["tokenizer_sha256"])


def test_the_shipped_table_is_small_and_its_probabilities_sum_to_at_most_1(shipped):
    assert (SHIPPED / FILE).stat().st_size < 500_000
    _, facts = load_tensors(SHIPPED / FILE)
    assert facts["tokenizer_sha256"] == Translator.load(device="cpu").card["tokenizer_sha256"]
    assert 0.8 < np.exp(shipped.english[np.isfinite(shipped.english)]).sum() < 0.9 + 1e-3
    for at, language in enumerate(shipped.languages):
        total = np.exp(shipped.others[shipped.entries[:, 1] == at]).sum()
        assert total == pytest.approx(0.5, abs=1e-3) or language == "French" and 0.8 < total < 0.9 + 1e-3
    assert (np.diff(shipped.entries[:, 0]) >= 0).all()
    # the probabilities after two letters sum to 1
    for table in (shipped.english_letters, shipped.other_letters):
        np.testing.assert_allclose(np.exp(table.astype(np.float64)).sum(axis=2), 1, atol=2e-3)


def test_a_sentence_takes_less_than_a_millisecond(shipped):
    text = "The landlord is responsible for structural repairs unless both parties have agreed otherwise in writing."

    def measure() -> float:
        begin = time.perf_counter()
        foreign_sign(text, shipped)
        return time.perf_counter() - begin

    assert min(measure() for _ in range(50)) < 1e-3
