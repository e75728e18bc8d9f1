"""Edges from tokens through heads to the logits, and runs with edges cut."""

import numpy as np
import pytest
import torch

from model.causal.causal_error import CausalError
from model.causal.own_networks import resumable
from model.causal.path_edges import LOGITS, TOKEN, PathEdge, PathNode, cut_edges_in_steps, path_edges_in_steps
from model.causal.sentence_pairs import pair_sentences, prepare_pair
from model.networks.tap import Intervention
from model.runtime.progress import run_to_end
from model.text.tokenizer import Tokenizer
from model.translator import SHIPPED
from tests.model.networks import tiny_network


@pytest.fixture(scope="module")
def setting():
    """A tiny network, an experiment whose target is not the first word, its place, and all edges."""
    causal = resumable(tiny_network(2, max_positions=10).double().requires_grad_(False))
    tokenizer = Tokenizer(SHIPPED / "tokenizer.model")
    pair = pair_sentences(causal, tokenizer, (20, 21, 40, 50, 3), (20, 23, 41, 50, 3))
    place = next(target.place for target in pair.targets if target.changes)
    experiment = prepare_pair(causal, tokenizer, pair, place, "difference")
    return causal, experiment, place, pair, run_to_end(path_edges_in_steps(causal, experiment))


def test_edges_are_those_of_path_patching_and_of_the_tokens_that_differ(setting):
    causal, _, _, _, found = setting
    tokens = [edge for edge in found.edges if edge.sender.kind == TOKEN]
    direct = [edge for edge in found.edges if edge.receiver.kind == LOGITS]
    assert len(found.edges) == found.heads.count + sum(t.size for t in found.heads.direct.values()) + len(tokens)
    assert {edge.sender.layer for edge in tokens} == {1, 2}  # from 0
    assert {edge.receiver.kind for edge in tokens} == {"encoder", "cross"}
    assert {edge.sender.kind for edge in direct} == {"decoder", "cross"}
    assert all(edge.input != "queries" for edge in tokens if edge.receiver.kind == "cross")
    sizes = [abs(edge.effect) for edge in found.edges]
    assert sizes == sorted(sizes, reverse=True)
    assert len({edge.id for edge in found.edges}) == len(found.edges)
    assert found.find(["nothing", found.edges[3].id, found.edges[3].id]) == [found.edges[3]]


def test_one_cut_edge_has_the_effect_that_was_measured(setting):
    causal, experiment, place, _, found = setting
    generator = np.random.default_rng(0)
    kinds = {}
    for edge in found.edges:
        kinds.setdefault((edge.sender.kind, edge.receiver.kind, edge.input), []).append(edge)
    assert len(kinds) > 10
    for edges in kinds.values():
        edge = edges[int(generator.integers(len(edges)))]
        cut = run_to_end(cut_edges_in_steps(causal, experiment, [edge], place))
        assert cut.value - found.heads.receiver == pytest.approx(edge.effect, abs=1e-9), edge.id


def test_all_edges_cut_reproduce_the_corrupt_run(setting):
    causal, experiment, place, _, found = setting
    cut = run_to_end(cut_edges_in_steps(causal, experiment, found.edges, place))
    assert cut.value == pytest.approx(found.heads.donor, abs=1e-9)
    network = causal.network
    logits = network(*experiment.corrupt)[:, -1]
    logits[:, list(network.config.never_generated)] = -torch.inf
    assert cut.fed == place and cut.ids[place] == int(logits.argmax())


def test_nothing_cut_is_the_clean_translation(setting):
    causal, experiment, place, pair, found = setting
    cut = run_to_end(cut_edges_in_steps(causal, experiment, [], place))
    assert (cut.value, cut.ids) == (pytest.approx(found.heads.receiver, abs=1e-12), pair.translations[0])


def test_an_edge_of_the_encoder_acts_from_the_first_word_on(setting):
    causal, experiment, place, _, found = setting
    network = causal.network
    edge = next(e for e in found.edges if e.sender.kind == TOKEN and e.receiver.kind == "encoder")
    cut = run_to_end(cut_edges_in_steps(causal, experiment, [edge], place))
    assert cut.fed == 0
    # in layer 0 a token's edge replaces one head's input, and nothing else, by that of the corrupt sentence
    if edge.receiver.layer == 0:
        name = f"encoder.0.self.{edge.input}"
        run = causal.record(experiment.corrupt)

        def change(tensor):
            changed = tensor.clone()
            place = edge.sender.layer
            changed[:, edge.receiver.head, place] = run.tensors[name][:, edge.receiver.head, place]
            return changed

        logits = network(*experiment.clean, Intervention({name: change}))[0, -1]
        metric = experiment.metric
        assert cut.value == pytest.approx(float(logits[metric.index] - logits[metric.other]), abs=1e-9)


def test_an_edge_that_does_not_exist_is_refused(setting):
    causal, experiment, place, _, _ = setting
    for receiver in (PathNode("vision", 0, 0), PathNode("cross", 9, 0), PathNode("cross", 0, 99)):
        edge = PathEdge(PathNode("encoder", 0, 0), receiver, "keys", 0.0)
        with pytest.raises(CausalError, match="There is no edge"):
            run_to_end(cut_edges_in_steps(causal, experiment, [edge], place))
