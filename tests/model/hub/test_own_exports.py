"""The translator and the classifier of this project, exported and opened, have the same maps."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from model import Translator, VisionClassifier
from model.open_model import open_model

SENTENCE = "I want to buy a car."


def test_the_translator_opened_as_marian(tmp_path):
    translator = Translator.load(device="cpu")
    translator.export_marian(tmp_path)
    model = open_model(tmp_path, device="cpu", dtype="float32")
    expected = translator.trace(SENTENCE)
    trace = model.trace(SENTENCE, target=expected.target_text)
    assert {kind.name for kind in model.kinds} == {"encoder", "decoder", "cross"}
    assert trace.source.ids == expected.source_ids
    for kind in ("encoder", "decoder", "cross"):
        np.testing.assert_allclose(trace.attention(kind), expected.attention(kind), atol=1e-4)
    assert model.generate(SENTENCE, 40) == translator.translate(SENTENCE)
    assert model.score(trace).sum() == pytest.approx(float(translator.score(expected).sum()), abs=1e-2)


def test_the_classifier_opened_as_vit(tmp_path):
    classifier = VisionClassifier.load(device="cpu")
    classifier.export_vit(tmp_path)
    picture = Image.radial_gradient("L").convert("RGB").resize((classifier.config.image_size,) * 2)
    model = open_model(tmp_path, device="cpu", dtype="float32")
    trace, expected = model.trace(picture), classifier.trace(picture)
    np.testing.assert_allclose(trace.attention("vision"), expected.attention, atol=1e-4)
    np.testing.assert_allclose(trace.probabilities, expected.probabilities, atol=1e-4)
    assert (trace.grid, trace.leading, trace.classes) == (expected.grid, 1, expected.classes)
