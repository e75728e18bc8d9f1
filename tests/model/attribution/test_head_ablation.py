"""Ablating all heads in one batch equals ablating them one by one."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from model.attribution import head_ablation
from model.attribution.head_ablation import (
    ablate_classification_heads,
    ablate_translation_heads,
    logits_without,
    loss_without,
)
from model.networks.losses import token_cross_entropy
from model.networks.tap import Intervention
from tests.model.images import tiny_vision
from tests.model.networks import ablate_heads, tiny_network

SOURCE, TARGET, NEXT = [9, 8, 7, 3], [2, 11, 12], [11, 12, 3]
TRACE = SimpleNamespace(source_ids=SOURCE, target_ids=TARGET, next_ids=NEXT)
STEPS = {
    "encoder": "encoder.{}.self.outputs",
    "decoder": "decoder.{}.self.outputs",
    "cross": "decoder.{}.cross.outputs",
}


@torch.inference_mode()
def test_each_head_of_the_translator_alone(monkeypatch):
    monkeypatch.setattr(head_ablation, "POSITIONS", 7)  # slices that end in the middle of a row
    network = tiny_network()

    def losses(tap) -> np.ndarray:
        logits = network(torch.tensor([SOURCE]), torch.tensor([TARGET]), tap)
        return token_cross_entropy(logits, torch.tensor([NEXT]))[0].numpy()

    effects = ablate_translation_heads(network, TRACE)
    np.testing.assert_allclose(effects.losses, losses(None), atol=1e-6)
    assert effects.reference == pytest.approx(losses(None).mean(), abs=1e-6)
    assert effects.changes.keys() == effects.without.keys() == STEPS.keys()
    for kind, step in STEPS.items():
        assert effects.without[kind].shape == (2, 2, 3)
        for layer in range(2):
            for head in range(2):
                without = losses(Intervention({step.format(layer): ablate_heads([head])}))
                np.testing.assert_allclose(effects.without[kind][layer, head], without, atol=2e-6)
                change = effects.changes[kind][layer, head]
                assert change == pytest.approx(without.mean() - effects.reference, abs=2e-6)
                alone = loss_without(network, TRACE, (kind, layer, head))
                assert change == pytest.approx(alone - effects.reference, abs=2e-6)
    assert max(np.abs(table).max() for table in effects.changes.values()) > 1e-3


@torch.inference_mode()
def test_each_head_of_the_vit_alone():
    network = tiny_vision()
    pixels = torch.rand(3, 12, 12, generator=torch.Generator().manual_seed(0)) * 2 - 1
    plain = network(pixels[None])[0].double()
    effects = ablate_classification_heads(network, pixels)
    np.testing.assert_allclose(effects.logits, plain, atol=1e-6)
    for layer in range(2):
        for head in range(2):
            tap = Intervention({f"vision.{layer}.self.outputs": ablate_heads([head])})
            without = network(pixels[None], tap)[0].double()
            np.testing.assert_allclose(effects.without[layer, head], without, atol=2e-6)
            np.testing.assert_allclose(logits_without(network, pixels, layer, head), without, atol=2e-6)
            difference = without - plain
            assert effects.logit_changes(1)[layer, head] == pytest.approx(difference[1].item(), abs=2e-6)
            probability = without.softmax(0)[1] - plain.softmax(0)[1]
            assert effects.probability_changes(1)[layer, head] == pytest.approx(probability.item(), abs=2e-6)
            nats = F.log_softmax(plain, 0)[1] - F.log_softmax(without, 0)[1]
            assert effects.loss_changes(1)[layer, head] == pytest.approx(nats.item(), abs=4e-6)
    assert np.abs(effects.without - effects.logits).max() > 1e-4


def test_checking_a_head_does_not_change_the_network():
    network = tiny_network()
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    loss_without(network, TRACE, ("cross", 1, 0))
    for name, tensor in network.state_dict().items():
        assert torch.equal(tensor, before[name])
