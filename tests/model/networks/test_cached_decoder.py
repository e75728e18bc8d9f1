import pytest
import torch

from model.networks.attention import FIRST_CAPACITY
from model.networks.masks import padding_mask
from model.networks.transformer import CachedDecoder
from tests.model.networks import random_ids, tiny_network

SOURCE = random_ids(3, 9)
SOURCE[1, 6:] = 0
SOURCE[2, 2:] = 0
LONG = FIRST_CAPACITY + 5


def start(network, source=SOURCE):
    allowed = padding_mask(source, 0)
    return CachedDecoder(network, network.encode(source, allowed), allowed)


@torch.no_grad()
def test_steps_return_the_logits_of_the_whole_target_beyond_the_first_capacity_too():
    network = tiny_network()
    target = random_ids(3, LONG, seed=2)
    decoder = start(network)
    steps = [decoder.step(target[:, position]) for position in range(LONG)]
    assert decoder.cache.length == LONG
    assert (torch.stack(steps, dim=1) - network(SOURCE, target)).abs().max() < 1e-5


@torch.no_grad()
def test_selected_rows_continue_as_if_decoded_from_the_start():
    network = tiny_network()
    source = SOURCE[:1].expand(4, -1)  # four hypotheses of one sentence
    target = random_ids(4, 7, seed=3)
    target[:, 0] = target[0, 0]
    decoder = start(network, SOURCE[:1])
    decoder.step(target[:1, 0])
    decoder.select_rows([0, 0, 0, 0])
    for position in range(1, 3):
        decoder.step(target[:, position])
    for rows in ([2, 2, 0, 3], [1, 0, 3, 2], [1, 0]):
        decoder.select_rows(rows)
        target = target[rows]
        position = decoder.cache.length
        logits = decoder.step(target[:, position])
        expected = network(source[: len(rows)], target[:, : position + 1])[:, -1]
        assert (logits - expected).abs().max() < 1e-5


@torch.no_grad()
def test_hypotheses_are_selected_within_one_sentence():
    with pytest.raises(ValueError, match="hypotheses of one sentence can be chosen from; there are 3"):
        start(tiny_network()).select_rows([0, 0, 1])


@torch.no_grad()
def test_a_single_row_can_become_several():
    network = tiny_network()
    decoder = start(network, SOURCE[:1])
    decoder.step(torch.tensor([2]))
    decoder.select_rows([0, 0, 0])
    logits = decoder.step(torch.tensor([7, 8, 9]))
    target = torch.tensor([[2, 7], [2, 8], [2, 9]])
    assert (logits - network(SOURCE[:1].expand(3, -1), target)[:, -1]).abs().max() < 1e-5


@torch.no_grad()
def test_a_step_beyond_the_table_of_positions_is_refused():
    network = tiny_network(max_positions=9)
    decoder = start(network)
    for _ in range(9):
        decoder.step(torch.tensor([2, 2, 2]))
    with pytest.raises(ValueError, match="10 positions are more than the 9"):
        decoder.step(torch.tensor([2, 2, 2]))


@torch.no_grad()
def test_weights_changed_between_translations_are_used():
    network = tiny_network()
    target = random_ids(3, 1, seed=2)
    before = start(network).step(target[:, 0])
    network.decoder[1].feed_forward.expand.weight.mul_(1.5)
    network.embedding.weight[7] += 1
    after = start(network).step(target[:, 0])
    assert (after - network(SOURCE, target)[:, 0]).abs().max() < 1e-5
    assert (after - before).abs().max() > 1e-3
