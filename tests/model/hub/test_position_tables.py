"""Learned position tables of opened models: found where there is one, and only there."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from model.hub.position_tables import find_position_tables
from model.open_model import open_model
from tests.model.hub import tiny


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("positions")

    def network(name: str) -> nn.Module:
        return open_model(tiny.save(name, folder / name), device="cpu").network

    return network


@pytest.mark.parametrize(
    ("name", "parameter", "shape", "offset"),
    [
        ("bert", "bert.embeddings.position_embeddings.weight", (64, 32), 0),
        ("gpt2", "transformer.wpe.weight", (64, 32), 0),
        ("roberta", "roberta.embeddings.position_embeddings.weight", (63, 32), 1),
        ("bart", "model.encoder.embed_positions.weight", (64, 32), 2),
        ("vit", "vit.embeddings.position_embeddings", (17, 32), 0),
    ],
)
def test_the_table_is_the_networks_own(networks, name, parameter, shape, offset):
    network = networks(name)
    table = find_position_tables(network)[0]
    assert (table.name, table.vectors.shape, table.offset) == (parameter, shape, offset)
    weight = dict(network.named_parameters())[parameter].detach().reshape(-1, shape[1])[offset:]
    torch.testing.assert_close(torch.from_numpy(table.vectors), weight)


def test_both_tables_of_an_encoder_and_decoder_are_found(networks):
    assert len(find_position_tables(networks("bart"))) == 2


@pytest.mark.parametrize("name", ["t5", "gpt-j", "llama", "marian", "deberta"])
def test_biases_rotations_and_fixed_sinusoids_are_no_tables(networks, name):
    assert find_position_tables(networks(name)) == ()


def test_a_change_of_the_result_does_not_change_the_network():
    network = nn.ModuleDict({"position_embeddings": nn.Embedding(4, 3)})
    find_position_tables(network)[0].vectors[:] = 9
    assert float(network["position_embeddings"].weight.detach().abs().max()) < 9
