"""Leaving words out in one batch equals leaving them out one by one, in both ways."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from model.attribution import leave_one_out as module
from model.attribution.leave_one_out import WAYS, leave_one_out
from model.networks.tap import Intervention, Recorder
from model.text.words import Word
from tests.model.networks import tiny_network

SOURCE, TARGET, NEXT = [9, 8, 7, 6, 3], [2, 11, 12], [11, 12, 3]
TRACE = SimpleNamespace(source_ids=SOURCE, target_ids=TARGET, next_ids=NEXT)
WORDS = (Word("a", 0, 1), Word("b", 1, 3), Word("c", 3, 4), Word("</s>", 4, 5, True))


@pytest.fixture(scope="module")
def network():
    return tiny_network()


@torch.inference_mode()
def log_probabilities(network, source: list[int], tap=None) -> np.ndarray:
    logits = network(torch.tensor([source]), torch.tensor([TARGET]), tap)[0]
    return F.log_softmax(logits.double(), dim=-1)[range(3), NEXT].numpy()


def test_deleting_each_word_alone(network):
    result = leave_one_out(network, TRACE, WORDS, "delete")
    full = log_probabilities(network, SOURCE)
    np.testing.assert_allclose(result.log_probabilities, full, atol=2e-6)
    for place, source in enumerate(([8, 7, 6, 3], [9, 6, 3], [9, 8, 7, 3], [9, 8, 7, 6])):
        np.testing.assert_allclose(result.drops[:, place], full - log_probabilities(network, source), atol=2e-6)
    assert np.abs(result.drops).min(axis=0).max() > 1e-4


def test_masking_each_word_alone(network):
    result = leave_one_out(network, TRACE, WORDS, "mask")
    full = log_probabilities(network, SOURCE)
    for place, word in enumerate(WORDS):
        allowed = torch.ones(1, 1, 1, 5, dtype=torch.bool)
        allowed[..., word.start : word.end] = False
        hide = {f"encoder.{layer}.self.mask": lambda _, allowed=allowed: allowed for layer in range(2)}
        hide |= {f"decoder.{layer}.cross.mask": lambda _, allowed=allowed: allowed for layer in range(2)}
        recorder = Recorder({"encoder.1.self.weights", "decoder.0.cross.weights"})

        def tap(name, tensor, hide=hide, recorder=recorder):
            return recorder(name, Intervention(hide)(name, tensor))

        masked = log_probabilities(network, SOURCE, tap)
        np.testing.assert_allclose(result.drops[:, place], full - masked, atol=2e-6)
        assert all((weights[..., word.start : word.end] == 0).all() for weights in recorder.tensors.values())


@pytest.mark.parametrize("way", WAYS)
def test_leaving_nothing_out_changes_nothing_and_the_check_is_small(network, way):
    result = leave_one_out(network, TRACE, WORDS, way)
    assert result.unaltered_change == 0
    assert result.single_difference < 1e-5
    assert result.checked_word == result.drops.max(axis=0).argmax()


def test_deleting_and_masking_give_different_losses(network):
    deleted, masked = (leave_one_out(network, TRACE, WORDS, way).drops for way in WAYS)
    assert np.abs(deleted - masked).max() > 1e-3


def test_the_check_detects_a_wrong_batch(network, monkeypatch):
    real = module._variants

    def variants_without_mask(*arguments):
        source, allowed = real(*arguments)
        return source, torch.ones_like(allowed)

    monkeypatch.setattr(module, "_variants", variants_without_mask)
    assert leave_one_out(network, TRACE, WORDS, "delete").single_difference > 1e-4


@pytest.mark.parametrize("way", WAYS)
def test_a_long_sentence_is_computed_in_steps(network, way, monkeypatch):
    whole = leave_one_out(network, TRACE, WORDS, way)
    monkeypatch.setattr(module, "POSITIONS", 7)  # two rows of three positions at a time
    np.testing.assert_allclose(leave_one_out(network, TRACE, WORDS, way).drops, whole.drops, atol=2e-6)


def test_invalid_words_to_leave_out_are_refused(network):
    with pytest.raises(ValueError, match="no way 'burn'; choose one of delete, mask"):
        leave_one_out(network, TRACE, WORDS, "burn")
    with pytest.raises(ValueError, match="at least two"):
        leave_one_out(network, TRACE, (Word("</s>", 0, 1, True),), "delete")
