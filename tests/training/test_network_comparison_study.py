"""The comparison of the five networks: intervals and shares by hand, and the whole command."""

import json

import numpy as np
import pytest
import sacrebleu

from model.lessons.network_comparison import FILE, NETWORKS, TRANSFORMER, load_comparison
from model.runtime.checkpoint import read_json
from training.__main__ import main
from training.network_comparison_study import (
    bootstrap_interval,
    chrf_counts,
    corpus_bleu,
    corpus_chrf,
    group_by_length,
    score_all,
)

PERFECT = [10, 9, 8, 7, 10, 9, 8, 7, 10, 10]  # correct, total, length, reference of a sentence of ten words
HALF = [5, 4, 3, 2, 10, 9, 8, 7, 10, 10]
HALF_BLEU = 100 * (5 / 10 * 4 / 9 * 3 / 8 * 2 / 7) ** (1 / 4)
TRANSLATIONS = ["Le chat noir dort.", "", "Il a vu un chien.", "Où est-elle ?"]
REFERENCES = [
    ["Le chat noir dort.", "Un chat dort."],
    ["Bonjour !"],
    ["Il a vu le chien.", "Il vit un chien."],
    ["Où est-il ?"],
]


def test_equal_sentences_have_an_interval_of_width_zero():
    counts = {name: np.array([HALF if name == "lstm-vector" else PERFECT] * 120) for name in NETWORKS}
    groups, change = group_by_length(counts, np.array([3] * 60 + [7] * 60))
    assert [(group.shortest, group.longest, group.sentences) for group in groups] == [(1, 5, 60), (6, 10, 60)]
    for group in groups:
        for name in NETWORKS:
            expected = HALF_BLEU if name == "lstm-vector" else 100
            assert group.bleu[name].low == group.bleu[name].value == group.bleu[name].high
            assert group.bleu[name].value == pytest.approx(expected, abs=1e-4)
            assert group.counts[name].bleu == pytest.approx(expected)
        assert group.share["lstm-dot"].value == pytest.approx(HALF_BLEU / 100, abs=1e-5)
        assert group.share["lstm-vector"].value == 1
    assert all(change[name].value == change[name].low == 0 for name in NETWORKS)


def test_the_change_is_from_the_shortest_to_the_longest_group_of_fifty_sentences():
    counts = {name: np.array([PERFECT] * 170) for name in NETWORKS}
    counts["lstm-vector"][60:] = HALF
    groups, change = group_by_length(counts, np.array([3] * 60 + [12] * 60 + [20] * 50))
    assert groups[-1].longest is None and groups[-1].enough
    assert change["transformer"].value == pytest.approx(HALF_BLEU / 100 - 1, abs=1e-5)
    groups, change = group_by_length(counts, np.array([3] * 60 + [12] * 61 + [20] * 49))
    assert not groups[-1].enough and change["transformer"].value == pytest.approx(HALF_BLEU / 100 - 1, abs=1e-5)
    _, change = group_by_length(counts, np.array([3] * 121 + [20] * 49))
    assert change == {}


def test_a_mixed_group_has_an_interval_around_its_score():
    mixed = np.array([PERFECT] * 100 + [HALF] * 100)
    groups, _ = group_by_length({name: mixed for name in NETWORKS}, np.array([3] * 200))
    score = groups[0].bleu["rnn-vector"]
    assert score.value == pytest.approx(corpus_bleu(mixed.sum(axis=0)), abs=1e-4)
    assert HALF_BLEU < score.low < score.value < score.high < 100
    assert groups[0].share["lstm-dot"].low == groups[0].share["lstm-dot"].high == 1  # the same sentences are resampled


def test_all_sentences_are_scored_with_an_interval_and_the_step_to_the_next_network():
    mixed = np.array([PERFECT] * 100 + [HALF] * 100)
    counts = {"first": mixed, "second": mixed, "third": np.array([PERFECT] * 200)}
    bleu, steps = score_all(counts)
    assert bleu["first"] == bleu["second"]  # the same resampled sentences
    assert bleu["first"].value == pytest.approx(corpus_bleu(mixed.sum(axis=0)), abs=1e-4)
    assert HALF_BLEU < bleu["first"].low < bleu["first"].value < bleu["first"].high < bleu["third"].low
    assert bleu["third"].low == pytest.approx(100)
    assert list(steps) == ["second", "third"]
    assert steps["second"].low == steps["second"].value == steps["second"].high == 0
    assert steps["third"].value == pytest.approx(100 - bleu["first"].value, abs=1e-4)
    assert steps["third"].low == pytest.approx(100 - bleu["first"].high, abs=1e-4)


def test_the_interval_is_as_wide_as_samples_of_such_sentences_differ():
    random = np.random.default_rng(0)
    samples = [np.array([PERFECT if random.random() < 0.5 else HALF for _ in range(100)]) for _ in range(200)]
    scores = [corpus_bleu(sample.sum(axis=0)) for sample in samples]
    low, high = np.percentile(scores, (2.5, 97.5))
    interval = score_all({"a": samples[0]})[0]["a"]
    assert interval.high - interval.low == pytest.approx(high - low, rel=0.25)


def test_an_interval_contains_the_central_resamples():
    interval = bootstrap_interval(0.5, np.arange(1001) / 1000)
    assert (interval.value, interval.low, interval.high) == (0.5, 0.025, 0.975)


@pytest.mark.nightly
def test_the_command_measures_all_five_and_binds_the_file_to_their_weights(folders, data_file, corpus):
    transformer, recurrent = folders
    words = ["comparison", "--data", data_file, "--model", transformer, "--recurrent", recurrent]
    assert main([str(word) for word in (*words, "--heldout", 6, "--device", "cpu")]) == 0
    places = {name: transformer if name == TRANSFORMER else recurrent / name for name in NETWORKS}
    hashes = {name: read_json(folder / "card.json")["weights_sha256"] for name, folder in places.items()}
    comparison = load_comparison(hashes, recurrent)
    assert comparison.to_dict() == json.loads((recurrent / FILE).read_text(), object_pairs_hook=_with_tuples)
    assert comparison.sentences == len(corpus.heldout) == 6 and comparison.alignment_sentences == 3
    assert sum(group.sentences for group in comparison.groups) == 6 and comparison.change == {}
    stated = read_json(transformer / "card.json")["evaluation"]["greedy"]["bleu"]
    group_counts = [group.counts[TRANSFORMER] for group in comparison.groups]
    counts = sum(np.array([*one.correct, *one.total, one.length, one.reference]) for one in group_counts)
    assert corpus_bleu(counts) == pytest.approx(stated, abs=0.01)
    stated = read_json(transformer / "card.json")["evaluation"]["greedy"]["chrf"]
    assert comparison.chrf[TRANSFORMER].value == pytest.approx(stated, abs=0.01)
    assert set(comparison.alignment) == {"lstm-additive", "lstm-dot", "transformer", "transformer-head"}
    assert all(0 <= rate.generated.value <= 1 for rate in comparison.alignment.values())
    assert all(comparison.tokens_per_second[name] > 0 for name in NETWORKS)
    for name in NETWORKS:
        whole = sum(np.array([*one.correct, *one.total, one.length, one.reference]) for one in
                    (group.counts[name] for group in comparison.groups))  # fmt: skip
        assert comparison.bleu[name].value == pytest.approx(corpus_bleu(whole), abs=1e-4)
    # BLEU and chrF anew, the rest retained
    stored = json.loads((recurrent / FILE).read_text())
    damaged = stored | {"bleu": {}, "steps": {}, "chrf": {}, "tokens_per_second": dict.fromkeys(NETWORKS, 1.0)}
    (recurrent / FILE).write_text(json.dumps(damaged))
    assert main([str(word) for word in (*words, "--heldout", 6, "--device", "cpu", "--scores-only")]) == 0
    again = json.loads((recurrent / FILE).read_text())
    assert again == stored | {"tokens_per_second": dict.fromkeys(NETWORKS, 1.0)}
    (recurrent / FILE).write_text(json.dumps(stored | {"weights_sha256": {}}))
    assert main([str(word) for word in (*words, "--heldout", 6, "--device", "cpu", "--scores-only")]) == 2


def test_data_that_a_network_was_trained_on_is_refused(folders, data_file, capsys):
    transformer, recurrent = folders
    words = ["comparison", "--data", data_file, "--model", transformer, "--recurrent", recurrent, "--heldout", 7]
    assert main([str(word) for word in words]) == 2
    assert "was trained on some of these held-out sentences" in capsys.readouterr().err
    assert not (recurrent / FILE).exists()


def _with_tuples(pairs: list[tuple]) -> dict:
    """JSON has lists where the dataclasses have tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in pairs}


def test_summed_counts_give_the_score_of_the_corpus():
    counts = chrf_counts(TRANSLATIONS, REFERENCES)
    assert counts.shape == (4, 18)
    streams = [[row[0] for row in REFERENCES], [row[1] if row[1:] else None for row in REFERENCES]]
    assert corpus_chrf(counts.sum(axis=0)) == sacrebleu.corpus_chrf(TRANSLATIONS, streams).score
    assert corpus_chrf(counts[0]) == 100 and corpus_chrf(counts[1]) == 0
    repeated = [TRANSLATIONS[place] for place in (0, 0, 2)]
    streams = [[REFERENCES[place][stream] for place in (0, 0, 2)] for stream in (0, 1)]
    expected = sacrebleu.corpus_chrf(repeated, streams).score
    assert corpus_chrf(np.array([2, 0, 1, 0]) @ counts) == pytest.approx(expected)
