"""The tree of a beam search: the same run as the result, with all its hypotheses."""

import math
import random

import pytest

from model.decoding.search import DecodingOptions, beam_search, beam_tree, length_penalty, stream
from tests.model.decoding import reference as plain
from tests.model.half_trained import half_trained_network, random_sentences

SENTENCES = random_sentences(6, 24, random.Random(5))


@pytest.fixture(scope="module")
def network():
    return half_trained_network(24, 50)


@pytest.fixture(scope="module", params=[(1, 0.6, 8), (2, 0.0, 8), (4, 0.6, 8), (4, 1.5, 3)], ids=str)
def searches(request, network):
    width, alpha, longest = request.param
    options = DecodingOptions("beam", beam=width, length_penalty=alpha, max_length=longest)
    return [(source, options, beam_tree(network, source, options)) for source in SENTENCES]


def test_the_tree_ends_with_the_results_of_the_search(network, searches):
    for source, options, tree in searches:
        assert list(tree.best) == beam_search(network, source, options)
        assert tree.winner == list(stream(network, source, options))[-1].ids


def test_finished_nodes_of_the_tree_are_the_results(searches):
    for _, _, tree in searches:
        finished = {n.ids: (n.log_probability, n.score) for nodes in tree.steps for n in nodes if n.fate == "finished"}
        assert finished == {best.ids: (best.log_probability, best.score) for best in tree.best}


def test_every_node_extends_a_retained_one(searches):
    for _, options, tree in searches:
        opened = {()}
        for length, nodes in enumerate(tree.steps, 1):
            assert len(nodes) <= 2 * options.beam
            assert {node.ids[:-1] for node in nodes} <= opened
            assert all(len(node.ids) == length for node in nodes)
            assert [n.log_probability for n in nodes] == sorted((n.log_probability for n in nodes), reverse=True)
            opened = {node.ids for node in nodes if node.fate == "kept"}
            assert len(opened) <= options.beam


def test_scores_are_the_networks_own(network, searches):
    source, options, tree = searches[0]
    for nodes in tree.steps:
        for node in nodes:
            total = plain.log_probability(network, source, node.ids)
            assert node.log_probability == pytest.approx(total, abs=1e-4)
            expected = plain.normalise(total, len(node.ids), options.length_penalty)
            assert node.score == pytest.approx(expected, abs=1e-4)
            last = plain.next_logits(network, source, list(node.ids[:-1])).softmax(0)[node.id]
            assert node.probability == pytest.approx(float(last), abs=1e-5)


def test_pruned_nodes_are_less_probable_than_retained_ones(searches):
    for _, _, tree in searches:
        for nodes in tree.steps:
            retained = [n.log_probability for n in nodes if n.fate == "kept"]
            pruned = [n.log_probability for n in nodes if n.fate == "pruned" and n.id != plain.EOS]
            assert not retained or not pruned or min(retained) >= max(pruned)


def test_displaced_translations_had_finished_and_are_worse_than_the_results(searches):
    for _, _, tree in searches:
        for nodes in tree.steps:
            for node in nodes:
                if node.fate == "displaced":
                    assert node.score <= min(best.score for best in tree.best)


def test_the_winning_path_has_one_node_a_step(searches):
    for _, _, tree in searches:
        on_path = [[n for n in nodes if tree.on_winning_path(n)] for nodes in tree.steps]
        assert [len(nodes) for nodes in on_path[: len(tree.winner)]] == [1] * len(tree.winner)
        assert [nodes[0].id for nodes in on_path[: len(tree.winner)]] == list(tree.winner)


def test_every_outcome_of_a_node_occurs(network):
    """Otherwise the tests above would test nothing."""
    options = DecodingOptions("beam", beam=2, length_penalty=0.6, max_length=8)
    fates = {n.fate for source in SENTENCES for nodes in beam_tree(network, source, options).steps for n in nodes}
    assert fates >= {"kept", "finished", "pruned"}


def test_the_length_penalty_of_wu_et_al():
    assert length_penalty(1, 0.6) == 1
    assert length_penalty(7, 1.0) == 2
    assert length_penalty(13, 0.5) == pytest.approx(math.sqrt(3))
    assert length_penalty(50, 0.0) == 1
