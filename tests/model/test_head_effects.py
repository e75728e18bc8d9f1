"""All heads in one batch give what switching them off one by one gives."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from model.head_effects import OneHeadOff, recognition_effects, translation_effects
from model.losses import token_cross_entropy
from model.tap import Intervention, switch_off_heads
from tests.model.images import tiny_vision
from tests.model.networks import tiny_network

SOURCE, TARGET, NEXT = [9, 8, 7, 3], [2, 11, 12], [11, 12, 3]
STEPS = {
    "encoder": "encoder.{}.self.outputs",
    "decoder": "decoder.{}.self.outputs",
    "cross": "decoder.{}.cross.outputs",
}


@torch.inference_mode()
def test_each_head_of_the_translator_alone():
    network = tiny_network()

    def loss(tap) -> float:
        logits = network(torch.tensor([SOURCE]), torch.tensor([TARGET]), tap)
        return token_cross_entropy(logits, torch.tensor([NEXT])).mean().item()

    effects = translation_effects(network, SOURCE, TARGET, NEXT)
    assert effects.reference == pytest.approx(loss(None), abs=1e-6)
    assert effects.changes.keys() == STEPS.keys()
    for kind, step in STEPS.items():
        assert effects.changes[kind].shape == (2, 2)
        for layer in range(2):
            for head in range(2):
                without = loss(Intervention({step.format(layer): switch_off_heads([head])}))
                assert effects.changes[kind][layer, head] == pytest.approx(without - effects.reference, abs=2e-6)
    assert max(np.abs(table).max() for table in effects.changes.values()) > 1e-3


@torch.inference_mode()
def test_each_head_of_the_vit_alone():
    network = tiny_vision()
    pixels = torch.rand(3, 12, 12, generator=torch.Generator().manual_seed(0)) * 2 - 1

    def log_probability(tap) -> float:
        return F.log_softmax(network(pixels[None], tap)[0], dim=0)[1].item()

    effects = recognition_effects(network, pixels, 1)
    assert effects.reference == pytest.approx(log_probability(None), abs=1e-6)
    for layer in range(2):
        for head in range(2):
            without = log_probability(Intervention({f"vision.{layer}.self.outputs": switch_off_heads([head])}))
            assert effects.changes["vision"][layer, head] == pytest.approx(without - effects.reference, abs=2e-6)


def test_the_ranking_starts_with_the_largest_change_of_either_sign():
    ranked = translation_effects(tiny_network(), SOURCE, TARGET, NEXT).ranked()
    assert len(ranked) == len({row[:3] for row in ranked}) == 12
    sizes = [abs(change) for *_, change in ranked]
    assert sizes == sorted(sizes, reverse=True)


def test_a_row_keeps_its_other_heads_and_other_rows_keep_theirs():
    tensor = torch.ones(3, 2, 4, 5)
    changed = OneHeadOff([None, ("a", 1), ("b", 0)])("a", tensor)
    assert changed.sum(dim=(2, 3)).tolist() == [[20, 20], [20, 0], [20, 20]]
    assert tensor.min() == 1
    assert OneHeadOff([None])("a", tensor) is tensor
