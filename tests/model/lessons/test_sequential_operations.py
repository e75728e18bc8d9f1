"""Steps and paths by their closed forms, on small graphs by hand, and in the graph that PyTorch records."""

import itertools

import pytest
import torch

from model.lessons.sequential_operations import Vertex, build_state_graph, count_recorded_steps
from model.networks.config import TransformerConfig
from model.networks.recurrent_config import VARIANTS, RecurrentConfig
from tests.model.networks import tiny_network, tiny_recurrent

LENGTHS = [(1, 1), (1, 5), (6, 1), (5, 4), (7, 9)]
TRANSFORMER = TransformerConfig(n_encoder_layers=2, n_decoder_layers=3)


def config_of(name: str) -> TransformerConfig | RecurrentConfig:
    return TRANSFORMER if name == "transformer" else RecurrentConfig.preset(name)


def closed_form(name: str, s: int, t: int, generated: bool) -> int:
    if name == "transformer":
        return 2 * 2 - 1 + 3 * 3 * (t if generated else 1)
    if name == "lstm-additive":
        return s + 2 * t
    if name == "lstm-dot":
        return s + 2 * t if generated else s + t + 1
    return s + t


@pytest.mark.parametrize("name", [*VARIANTS, "transformer"])
def test_the_longest_chain_has_a_closed_form(name):
    for (s, t), generated in itertools.product(LENGTHS, (False, True)):
        assert build_state_graph(config_of(name), s, t, generated).steps == closed_form(name, s, t, generated), (s, t)


@pytest.mark.parametrize("name", [*VARIANTS, "transformer"])
@pytest.mark.parametrize(("s", "t"), [(1, 1), (5, 4), (3, 8)])
def test_pytorch_records_the_same_chain(name, s, t):
    if name == "transformer":
        network = tiny_network()
        config = network.config
    else:
        network = tiny_recurrent(name)
        config = network.config
    network.eval().requires_grad_(False)
    source, target = torch.arange(4, 4 + s).tolist(), torch.arange(4, 4 + t).tolist()
    assert count_recorded_steps(network, source, target) == build_state_graph(config, s, t).steps
    with torch.inference_mode():  # where pages compute
        assert count_recorded_steps(network, source, target) == build_state_graph(config, s, t).steps


@pytest.mark.parametrize("name", ["rnn-vector", "lstm-vector"])
def test_paths_through_one_vector_are_as_long_as_the_sentences(name):
    graph = build_state_graph(config_of(name), 6, 4)  # read backwards: the last token first
    for i, t in itertools.product(range(6), range(4)):
        assert len(graph.to_output(i, t)) - 1 == (i + 1) + (t + 1)
    for i, j in itertools.product(range(6), range(6)):
        assert len(graph.within_source(i, j)) - 1 == (i - j + 1 if j <= i else -1)  # -1: no path at all


@pytest.mark.parametrize("name", ["lstm-additive", "lstm-dot"])
def test_alignment_shortens_paths_to_the_output_but_not_within_the_source(name):
    graph = build_state_graph(config_of(name), 6, 4)
    for i, t in itertools.product(range(6), range(4)):
        path = graph.to_output(i, t)
        assert len(path) == 3 and path[1].row.startswith("encoder.") and path[1].place == i
        assert path[2] == Vertex("context", t) or t == 0  # the start, too, reads a state of the first or the last token
    for i, j in itertools.product(range(6), range(6)):
        assert len(graph.within_source(i, j)) - 1 == abs(i - j) + 1


def test_in_the_transformer_every_token_is_one_attention_away():
    graph = build_state_graph(TRANSFORMER, 6, 4)
    for i, j in itertools.product(range(6), range(6)):
        assert graph.within_source(i, j) == [Vertex("source", i), Vertex("encoder.0.self", j)]
    for i, t in itertools.product(range(6), range(4)):
        path = graph.to_output(i, t)
        assert len(path) - 1 == 2 * 2 + 2  # the encoder, then cross-attention and feed-forward of the last layer
        assert path[-2:] == [Vertex("decoder.2.cross", t), Vertex("decoder.2.ffn", t)]


def test_the_steps_of_a_small_recurrence_one_by_one():
    ready = build_state_graph(RecurrentConfig.preset("lstm-additive"), 3, 2).ready
    assert [ready[Vertex("encoder.forwards", place)] for place in range(3)] == [1, 2, 3]
    assert [ready[Vertex("encoder.backwards", place)] for place in range(3)] == [3, 2, 1]
    assert [ready[Vertex(row, place)] for place in range(2) for row in ("context", "decoder")] == [4, 5, 6, 7]
    assert {ready[Vertex("source", place)] for place in range(3)} == {0}


def test_the_causal_mask_is_in_the_graph():
    graph = build_state_graph(TRANSFORMER, 2, 3)
    assert graph.reads[Vertex("decoder.0.self", 1)] == (Vertex("target", 0), Vertex("target", 1))
    assert graph.path(Vertex("target", 2), [Vertex("decoder.0.self", 1)]) == []


def test_gradients_flow_along_paths_only():
    network = tiny_recurrent("rnn-vector").eval()
    graph = build_state_graph(network.config, 5, 1)
    embedded = network.embed(torch.tensor([[4, 5, 6, 7, 8]])).detach().requires_grad_()
    states, _ = network.encoder.run(embedded)
    for j in range(5):
        (gradient,) = torch.autograd.grad(states[0, j].sum(), embedded, retain_graph=True)
        reached = (gradient[0].abs().sum(dim=1) > 0).tolist()
        assert reached == [bool(graph.within_source(i, j)) for i in range(5)]


def test_zero_tokens_are_refused():
    with pytest.raises(ValueError, match="0 source and 3 target tokens"):
        build_state_graph(TRANSFORMER, 0, 3)
