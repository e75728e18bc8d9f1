"""An opened picture model gives the same patches, gradients and occlusions as our own classifier."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

from model import HeadInterventions, VisionClassifier
from model.attribution.rollout import rollout
from model.hub.opened_pictures import patch_trace
from model.open_model import open_model
from model.tracing.head_interventions import Forbid, Scale
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE, TEXT


@pytest.fixture(scope="module")
def own_and_opened(tmp_path_factory):
    """Our classifier and its export opened, each with its trace of one picture."""
    folder = tmp_path_factory.mktemp("exported")
    own = VisionClassifier.load(device="cpu")
    own.export_vit(folder)
    picture = Image.radial_gradient("L").convert("RGB").resize((own.config.image_size,) * 2)
    opened = open_model(folder, device="cpu", dtype="float32")
    return own, own.trace(picture), opened, patch_trace(opened.trace(picture))


def test_patches_equal_those_of_our_classifier(own_and_opened):
    _, expected, model, trace = own_and_opened
    assert model.capabilities == {"classify", "ablate", "intervene", "explain"}
    assert (trace.grid, trace.leading, trace.classes, trace.answer) == (
        expected.grid,
        1,
        expected.classes,
        expected.answer,
    )
    np.testing.assert_allclose(trace.attention, expected.attention, atol=1e-4)
    assert trace.axes("vision") == expected.axes("vision")


def test_gradients_equal_those_of_our_classifier(own_and_opened):
    own, expected, model, trace = own_and_opened
    expected_scores, scores = (m.gradient_scores(t, 2) for m, t in ((own, expected), (model, trace)))
    for method, score in expected_scores.scores.items():
        np.testing.assert_allclose(scores.scores[method], score, rtol=1e-2, atol=1e-3 * np.abs(score).max())
    assert scores.difference < 2e-2


def test_occlusion_equals_that_of_our_classifier(own_and_opened):
    own, expected, model, trace = own_and_opened
    order = np.random.default_rng(0).permutation(trace.grid[0] * trace.grid[1])[None]
    (expected_curves,), (curves,) = own.occlusions(expected, order), model.occlusions(trace, order)
    np.testing.assert_allclose(curves.deletion, expected_curves.deletion, atol=1e-3)
    np.testing.assert_allclose(curves.insertion, expected_curves.insertion, atol=1e-3)


def test_interventions_equal_those_of_our_classifier(own_and_opened):
    own, expected, model, trace = own_and_opened
    plan = HeadInterventions((Scale("vision", ((2, 1), (3, 0)), 0.0), Forbid("vision", ((1, 0),), (5, 6))))
    expected_result, result = own.intervene(expected, plan), model.intervene(trace, plan)
    np.testing.assert_allclose(result.after.probabilities, expected_result.after.probabilities, atol=1e-3)
    np.testing.assert_allclose(result.after.attention, expected_result.after.attention, atol=1e-4)
    assert result.check.recomputed < 1e-5
    assert result.check.edited is None


def test_registers_are_left_out(opened):
    trace = opened("deit").trace(PICTURE)
    patches = patch_trace(trace)
    assert (trace.leading, patches.attention.shape) == (2, (2, 4, 17, 17))
    whole = trace.attention("vision")
    np.testing.assert_array_equal(patches.attention[:, :, 0, 0], whole[:, :, 0, 0])
    np.testing.assert_array_equal(patches.attention[:, :, 3, 1:], whole[:, :, 4, 2:])
    scores = opened("deit").gradient_scores(patches, 1)
    assert all(score.shape == (16,) for score in scores.scores.values())
    assert rollout(patches.attention).shape == (2, 17, 17)


def test_gradients_equal_the_library_s(opened):
    model = opened("vit")
    trace = patch_trace(model.trace(PICTURE))
    network = tiny.network("vit")
    pixels = torch.from_numpy(trace.received)[None].requires_grad_(True)
    network(pixel_values=pixels).logits[0, 1].backward()
    blocks = pixels.grad[0].square().sum(dim=0).reshape(4, 8, 4, 8).sum(dim=(1, 3)).sqrt().flatten()
    np.testing.assert_allclose(model.gradient_scores(trace, 1).scores["raw gradient"], blocks.numpy(), rtol=1e-3)


def test_a_network_without_classes_explains_nothing(opened):
    assert "explain" not in opened("dinov2").capabilities
    assert patch_trace(opened("dinov2").trace(PICTURE)).classes == ()
    assert patch_trace(opened("gpt2").trace(TEXT)) is None
