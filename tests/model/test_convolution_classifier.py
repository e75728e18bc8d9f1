"""The convolutional network for pages and notebooks: loaded only if requested, traced map by map."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from PIL import Image

from model import CheckpointError, ConvolutionClassifier
from model.networks.tap import Intervention
from model.runtime.checkpoint import save_tensors, sha256_of, write_json
from tests.model.images import noise, tiny_convolution


@pytest.fixture
def folder(tmp_path):
    """A classifier's folder as training writes it, in half precision."""
    network = tiny_convolution()
    state = network.state_dict()
    tensors = {name: tensor.half() if tensor.is_floating_point() else tensor for name, tensor in state.items()}
    save_tensors(tmp_path / "model.safetensors", tensors)
    write_json(tmp_path / "config.json", network.config.to_dict())
    files = {"weights_sha256": "model.safetensors", "config_sha256": "config.json"}
    digests = {name: sha256_of(tmp_path / file) for name, file in files.items()}
    write_json(tmp_path / "card.json", digests)
    return tmp_path


@pytest.fixture(scope="module")
def classifier():
    return ConvolutionClassifier(tiny_convolution())


def test_a_saved_folder_loads_unchanged(folder, classifier):
    loaded = ConvolutionClassifier.load(folder, device="cpu")
    assert loaded.config == classifier.config and not loaded.network.training
    assert loaded.parameters == sum(parameter.numel() for parameter in classifier.network.parameters())
    pixels = noise(32, 32, 3)
    np.testing.assert_allclose(loaded.probabilities(pixels), classifier.probabilities(pixels), atol=2e-3)


def test_a_broken_folder_gives_one_sentence(folder):
    write_json(folder / "config.json", {**tiny_convolution().config.to_dict(), "blocks": 1})
    with pytest.raises(CheckpointError, match="do not fit the sizes"):
        ConvolutionClassifier.load(folder)
    with pytest.raises(CheckpointError, match="card.json is missing"):
        ConvolutionClassifier.load(folder / "nowhere")


def test_the_trace_contains_the_maps_after_the_stem_and_after_every_block(classifier):
    image = Image.fromarray((noise(40, 60, 3) * 255).astype(np.uint8))
    trace = classifier.trace(image)
    assert trace.pixels.shape == (32, 32, 3)
    assert [maps.shape for maps in trace.maps] == [(8, 8, 8)] * 3 + [(16, 4, 4)] * 2
    assert all(maps.dtype == np.float32 for maps in trace.maps)
    head = classifier.network.head
    expected = trace.maps[-1].mean(axis=(1, 2)) @ head.weight.numpy().T + head.bias.numpy()
    np.testing.assert_allclose(trace.logits, expected, atol=1e-5)
    np.testing.assert_allclose(trace.probabilities, classifier.probabilities(trace.pixels), atol=1e-6)
    assert trace.answer == trace.probabilities.argmax() and trace.classes == classifier.config.classes
    np.testing.assert_allclose(np.exp(-classifier.score(trace)), trace.probabilities, atol=1e-6)
    assert trace.records == {}
    with pytest.raises(KeyError):
        trace.axes("vision")


def test_an_intervention_is_recorded(classifier):
    pixels = noise(32, 32, 3)
    changed = classifier.trace(pixels, intervention=Intervention({"convolution.0": torch.zeros_like}))
    assert not changed.maps[1].any() and changed.maps[0].any()
    assert not np.allclose(changed.logits, classifier.trace(pixels).logits, atol=1e-3)


def test_loading_the_vision_transformer_does_not_import_the_convolution():
    program = """
import sys
opened = []
sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
from model import VisionClassifier
VisionClassifier.load(device="cpu")
assert any("assets/vision" in path for path in opened)
print([path for path in opened if "assets/convolution" in path])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
