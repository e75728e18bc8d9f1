"""The shipped convolutional network: the figures of its card, measured on its weights."""

import pytest
from PIL import Image

from model import ConvolutionClassifier, VisionClassifier
from model.convolution_classifier import SHIPPED
from model.runtime.checkpoint import sha256_of
from model.trained_model import ASSETS

LOWEST_TOP1 = 0.91  # on the 2,000 validation pictures


@pytest.fixture(scope="module")
def shipped():
    return ConvolutionClassifier.load(device="cpu")


def test_the_files_are_small_and_described(shipped):
    assert (SHIPPED / "model.safetensors").stat().st_size <= 10e6
    assert shipped.parameters <= 3_000_000
    assert shipped.card["weights_sha256"] == shipped.weights_sha256 == sha256_of(SHIPPED / "model.safetensors")
    assert {path.name for path in SHIPPED.iterdir()} == {
        "card.json", "card.md", "config.json", "metrics.jsonl", "model.safetensors",
    }  # fmt: skip


def test_it_was_trained_on_the_vision_transformers_pictures_and_recognizes_enough_others(shipped):
    other = VisionClassifier.load(device="cpu")
    assert shipped.config.classes == other.config.classes
    assert shipped.card["data"]["sha256"] == other.card["data"]["sha256"]
    assert shipped.card["evaluation"]["top1"] >= LOWEST_TOP1
    assert f"{100 * shipped.card['evaluation']['top1']:.1f}" in shipped.card_markdown


def test_it_recognizes_the_drawn_samples(shipped):
    pictures = sorted((ASSETS / "samples").glob("*.jpg"))
    result = [shipped.trace(Image.open(path).convert("RGB")) for path in pictures]
    answers = [trace.classes[trace.logits.argmax()].lower().replace(" ", "-") for trace in result]
    assert answers == [path.stem for path in pictures]
