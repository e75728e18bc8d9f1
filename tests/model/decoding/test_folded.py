"""Folded cross-attention writes what the attention writes; the decoder uses it where it is less to read."""

import pytest
import torch

from model.decoding.folded import CrossWeights, FoldedCross
from model.decoding.incremental import Cross, IncrementalDecoder
from model.networks.attention import MultiHeadAttention
from tests.model.networks import random_ids, tiny_network


@pytest.mark.parametrize("source", [1, 5])
@pytest.mark.parametrize("rows", [1, 4])
@torch.no_grad()
def test_it_writes_what_the_attention_writes(source, rows):
    torch.manual_seed(0)
    attentions = [MultiHeadAttention(12, 3) for _ in range(2)]
    for attention in attentions:
        for parameter in attention.parameters():
            parameter.normal_()
    memory, stream = torch.randn(1, source, 12), torch.randn(rows, 12)
    pairs = [attention.project_memory(memory) for attention in attentions]
    keys, values = (torch.cat([pair[place] for pair in pairs]) for place in (0, 1))  # (layer, head, source, d_k)
    folded = FoldedCross.of_layers(CrossWeights.of(attentions), keys, values)
    for attention, kv, own in zip(attentions, pairs, folded, strict=True):
        expected = attention.double()(stream[None].double(), type(kv)(*(part.double() for part in kv)))[0]
        attention.float()
        assert (own(stream) - expected).abs().max() < 2e-5 * expected.abs().max()


@pytest.mark.parametrize(("source", "kind"), [(1, FoldedCross), (8, FoldedCross), (9, Cross)])
@torch.no_grad()
def test_a_short_sentence_alone_is_folded_and_gives_the_logits_of_the_network(source, kind):
    network = tiny_network()
    assert network.config.d_k == 8
    source, target = random_ids(1, source), random_ids(1, 4, seed=2)
    decoder = IncrementalDecoder(network, network.encode(source))
    assert {type(each) for each in decoder.cross} == {kind}
    steps = [decoder.step(target[:, position]) for position in range(4)]
    assert (torch.stack(steps, dim=1) - network(source, target)).abs().max() < 1e-5


@torch.no_grad()
def test_several_sentences_are_not_folded():
    network = tiny_network()
    decoder = IncrementalDecoder(network, network.encode(random_ids(2, 3)))
    assert {type(each) for each in decoder.cross} == {Cross}
