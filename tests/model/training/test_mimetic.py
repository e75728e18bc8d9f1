"""A Vision Transformer whose training begins with attention like a trained network's."""

import json

import torch

from model.networks.vision import VisionConfig, VisionTransformer
from model.training.__main__ import main
from model.training.mimetic import begin_mimetic, waves
from tests.model.training.toy_pictures import CLASSES, vision_training, write_shards

CONFIG = VisionConfig(CLASSES, image_size=48, patch_size=4, d_model=96, n_heads=3, n_layers=2, d_ff=32)


def begun() -> VisionTransformer:
    torch.manual_seed(0)
    network = VisionTransformer(CONFIG)
    begin_mimetic(network)
    return network


def test_queries_and_keys_agree_with_themselves_and_values_are_taken_away():
    for layer in begun().layers:
        attention = layer.attention
        for head in range(3):
            rows = slice(32 * head, 32 * (head + 1))
            product = attention.query.weight[rows].t() @ attention.key.weight[rows]  # W_Q W_K^T, (96, 96)
            assert torch.linalg.matrix_rank(product) == 32
            assert product.diagonal().mean() > 0.2
            off = product - torch.diag(product.diagonal())
            assert abs(off.mean()) < 0.02
        product = attention.value.weight.t() @ attention.output.weight.t()  # x W_V W_O, (96, 96)
        assert abs(product.diagonal().mean() + 0.4) < 0.05
        assert abs(product.std() - (0.4**2 / 96 + 0.4**2 / 96) ** 0.5) < 0.02  # the noise, and the diagonal


def test_places_near_each_other_have_vectors_that_agree():
    network = begun()
    assert network.position_embedding[0].abs().max() == 0
    learned = network.position_embedding[1:].view(12, 12, 96)
    torch.testing.assert_close(learned.flatten(0, 1), 0.2 * waves(12, 96))
    agree = torch.nn.functional.cosine_similarity(learned[5, 5], learned, dim=-1)  # (12, 12)
    assert agree.argmax() == 5 * 12 + 5
    along, aside = agree[5, 5:], agree[5:, 5]
    torch.testing.assert_close(along, aside)
    assert (along.diff()[:3] < 0).all()
    assert waves(3, 10).shape == (9, 10) and waves(3, 10)[:, 8:].abs().max() == 0


def test_a_run_says_how_it_began(tmp_path):
    data = write_shards(tmp_path / "shapes")
    for begin in ("mimetic", "random"):
        out = tmp_path / begin
        assert main([str(word) for word in vision_training(data, out, stages="16x1", begin=begin)]) == 0
        card = json.loads((out / "card.json").read_text())
        assert (card["training"].get("begun"), "Trockman" in (out / "card.md").read_text()) == (
            ("mimetic", True) if begin == "mimetic" else (None, False)
        )
