"""The shipped figures of forgetting belong to the shipped weights and agree with a new measurement."""

import json
import shutil

import pytest

from model import RecurrentTranslator
from model.lessons.forgetting import FEWEST, FILE, NETWORKS, load_forgetting
from model.lessons.recurrence_gradients import state_gradients
from model.recurrent_translator import SHIPPED
from model.runtime.checkpoint import CheckpointError, read_json


@pytest.fixture(scope="module")
def cards():
    return {name: read_json(SHIPPED / name / "card.json") for name in NETWORKS}


@pytest.fixture(scope="module")
def hashes(cards):
    return {name: card["weights_sha256"] for name, card in cards.items()}


@pytest.fixture(scope="module")
def shipped(hashes):
    return load_forgetting(hashes)


def test_shipped_figures_are_of_500_sentences_of_the_test_set(shipped, cards):
    assert shipped.sentences == 500
    assert {card["data"]["sha256"] for card in cards.values()} == {shipped.facts["data_sha256"]}
    assert shipped.facts["largest_difference_to_autograd"] < 1e-5
    for network, states in NETWORKS.items():
        assert tuple(shipped.sizes[network]) == states
        for sizes in shipped.sizes[network].values():
            assert sizes[0].sentences == 500
            counts = [size.sentences for size in sizes]
            assert counts == sorted(counts, reverse=True)
            assert all(0 < size.typical <= size.mean * (1 + 1e-9) for size in sizes)


def test_distances_with_fewer_than_fifty_sentences_do_not_count(shipped):
    sizes = shipped.sizes["rnn-vector"]["hidden"]
    assert sizes[shipped.farthest].sentences >= FEWEST > sizes[shipped.farthest + 1].sentences
    assert shipped.retained("rnn-vector", "hidden") == sizes[shipped.farthest].mean / sizes[0].mean


def test_shipped_figures_agree_with_one_sentence_now(shipped):
    ids = RecurrentTranslator.load("rnn-vector", "cpu").check("I want to buy a new car for my brother.")
    for name, states in NETWORKS.items():
        gradients = state_gradients(RecurrentTranslator.load(name, "cpu").network, [*ids, 3])
        for state in states:
            sizes = getattr(gradients, state)[:-1]
            for distance, size in enumerate(sizes[:8]):
                figures = shipped.sizes[name][state][distance]
                assert size == pytest.approx(figures.typical, rel=10 ** (3.5 * figures.spread) - 1)


def test_a_measurement_of_other_weights_or_a_damaged_one_is_refused(hashes, tmp_path):
    with pytest.raises(CheckpointError, match="There is no forgetting.json in .*make forgetting"):
        load_forgetting(hashes, tmp_path)
    shutil.copy(SHIPPED / FILE, tmp_path / FILE)
    with pytest.raises(CheckpointError, match="belongs to other weights; run `make forgetting`"):
        load_forgetting(hashes | {"lstm-vector": "0" * 64}, tmp_path)
    content = json.loads((SHIPPED / FILE).read_text())
    for damage in ({"sizes": {"rnn-vector": 3}}, {"sizes": {"rnn-vector": {"hidden": [{}]}}}, {"more": 1}):
        (tmp_path / FILE).write_text(json.dumps(content | damage))
        with pytest.raises(CheckpointError, match="is damaged; run `make forgetting`"):
            load_forgetting(hashes, tmp_path)
