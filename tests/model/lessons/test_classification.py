"""From CLS to the classes: compared with the library's norm and softmax, and with the trace's logits."""

import numpy as np
import pytest
import torch
from PIL import Image

from model import VisionClassifier
from model.lessons.classification import read_cls, recompute_classification


@pytest.fixture(scope="module")
def classifier():
    return VisionClassifier.load(device="cpu")


@pytest.mark.parametrize("colour", ["#204060", "#F0E010"])
def test_norm_logits_and_probabilities_equal_the_network_s(classifier, colour):
    trace = classifier.trace(Image.new("RGB", (90, 120), colour))
    classification = recompute_classification(classifier.network, trace)
    with torch.inference_mode():
        after = classifier.network.norm(torch.from_numpy(trace.stream[-1, 0]))
        logits = classifier.network.head(after)
    np.testing.assert_array_equal(classification.before, trace.stream[-1, 0])
    np.testing.assert_allclose(classification.after, after.numpy(), atol=1e-5)
    np.testing.assert_allclose(classification.logits, logits.numpy(), atol=1e-5)
    np.testing.assert_allclose(classification.probabilities, logits.softmax(0).numpy(), atol=1e-6)
    np.testing.assert_allclose(classification.powers, np.exp(classification.logits - classification.logits.max()))
    assert classification.difference == pytest.approx(np.abs(classification.logits - trace.logits).max())
    assert classification.difference < 1e-5 and classification.powers.max() == 1


def test_cls_read_after_every_layer_ends_in_the_answer(classifier):
    trace = classifier.trace(Image.new("RGB", (90, 120), "#204060"))
    read = read_cls(classifier.network, trace)
    assert read.shape == (trace.attention.shape[0], len(trace.classes))
    np.testing.assert_allclose(read.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(read[-1], trace.probabilities, atol=1e-5)
    lens = trace.logit_lens(top=len(trace.classes))  # layer 0 is the input
    for row, ids, probabilities in zip(read, lens.top_ids[1:, 0], lens.top_probabilities[1:, 0], strict=True):
        np.testing.assert_allclose(row[ids], probabilities, atol=1e-5)
