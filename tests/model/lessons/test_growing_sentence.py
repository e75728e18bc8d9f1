"""A growing sentence: its clauses, and that losses of a batch equal those of each pair alone."""

import numpy as np
import pytest

from model import RecurrentTranslator, Translator
from model.lessons.growing_sentence import (
    CLAUSES,
    LengthenedPair,
    NoSharedTokensError,
    add_clauses,
    lengthening_losses,
    losses_of_pairs,
)
from model.lessons.network_comparison import NETWORKS, TRANSFORMER


@pytest.fixture(scope="module")
def networks():
    return {
        name: Translator.load(device="cpu") if name == TRANSFORMER else RecurrentTranslator.load(name, "cpu")
        for name in NETWORKS
    }


def test_clauses_are_appended_in_order(networks):
    grown = add_clauses(networks[TRANSFORMER], "Is she a student?", "Est-elle \u00e9tudiante\u202f?")
    assert [pair.clauses for pair in grown] == list(range(len(CLAUSES) + 1))
    assert grown[0] == LengthenedPair(0, "Is she a student?", "Est-elle \u00e9tudiante\u202f?")
    assert grown[1] == LengthenedPair(
        1, "Is she a student and I am tired.", "Est-elle \u00e9tudiante et je suis fatigu\u00e9."
    )
    assert grown[2].source == "Is she a student and I am tired, but my brother is in the garden."
    assert [pair.words for pair in grown[:3]] == [4, 8, 15]


def test_a_sentence_grows_up_to_the_network_s_limit(networks):
    long = "car " * 118
    grown = add_clauses(networks[TRANSFORMER], long, "voiture")
    assert 1 <= len(grown) < len(CLAUSES) + 1


@pytest.mark.parametrize("name", NETWORKS)
def test_losses_of_a_batch_equal_those_of_each_pair_alone(networks, name):
    translator = networks[name]
    grown = add_clauses(translator, "I am a student.", "Je suis un \u00e9tudiant.")[:3]
    losses = lengthening_losses(translator, grown)
    for place, pair in enumerate(grown):
        alone = translator.score(translator.trace(pair.source, target=pair.target))
        assert losses.whole[place] == pytest.approx(alone.mean(), abs=2e-5)
        assert losses.own[place] == pytest.approx(alone[: losses.shared].mean(), abs=2e-5)
    assert 0 <= losses.difference < 2e-5
    target = translator.tokenizer.encode(grown[0].target)
    assert losses.shared == len(target) - 1  # all but the full stop


def test_two_clauses_raise_the_loss_of_one_vector_much_and_of_attention_little(networks):
    pairs = {
        "I am a student.": "Je suis un \u00e9tudiant.",
        "She reads a book.": "Elle lit un livre.",
        "My father works in a big house.": "Mon p\u00e8re travaille dans une grande maison.",
        "I want to buy a car.": "Je veux acheter une voiture.",
    }
    increases = {}
    for name, network in networks.items():
        own = [lengthening_losses(network, add_clauses(networks[TRANSFORMER], *pair)[:3]).own for pair in pairs.items()]
        increases[name] = np.mean([losses[-1] - losses[0] for losses in own])
    assert increases["lstm-vector"] > 0.5
    for name in ("lstm-additive", "lstm-dot", "transformer"):
        assert increases[name] < increases["lstm-vector"] / 3


def test_targets_with_nothing_in_common_are_refused(networks):
    pairs = [LengthenedPair(0, "A car.", "Une voiture."), LengthenedPair(1, "A car.", "Le chien.")]
    with pytest.raises(NoSharedTokensError, match="no token that stays"):
        lengthening_losses(networks["lstm-dot"], pairs)


def test_losses_of_one_pair_are_an_array_of_its_tokens(networks):
    (line,) = losses_of_pairs(networks["rnn-vector"], [("A car.", "Une voiture.")])
    assert line.dtype == np.float64 and len(line) == 1 + len(networks["rnn-vector"].tokenizer.encode("Une voiture."))
