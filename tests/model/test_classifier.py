"""The classifier for pages and notebooks: from its folder to an explained trace."""

import json

import numpy as np
import pytest
import torch
from PIL import Image

from model import CheckpointError, VisionClassifier
from model.attribution.rollout import METHODS, attention_scores, class_gradients, rollout
from model.causal.metrics import Logit
from model.networks.tap import Intervention
from model.runtime.checkpoint import save_tensors, sha256_of, write_json
from tests.model.images import CLASSES, noise, tiny_vision


@pytest.fixture
def folder(tmp_path):
    """A classifier's folder as training writes it."""
    network = tiny_vision()
    save_tensors(tmp_path / "model.safetensors", network.state_dict())
    write_json(tmp_path / "config.json", network.config.to_dict())
    digest = sha256_of(tmp_path / "model.safetensors")
    digests = {"weights_sha256": digest, "config_sha256": sha256_of(tmp_path / "config.json")}
    write_json(tmp_path / "card.json", {**digests, "evaluation": {"accuracy": 0.5}})
    return tmp_path


@pytest.fixture(scope="module")
def classifier():
    return VisionClassifier(tiny_vision())


@pytest.fixture(scope="module")
def trace(classifier):
    return classifier.trace(noise(12, 12, 3))


def test_a_saved_folder_loads_unchanged(folder, classifier):
    (folder / "card.md").write_text("# Model card", encoding="utf-8")
    loaded = VisionClassifier.load(folder, device="cpu")
    assert loaded.config == classifier.config
    assert loaded.card["evaluation"]["accuracy"] == 0.5
    assert loaded.card_markdown == "# Model card"
    assert not loaded.network.training
    assert loaded.parameters == sum(parameter.numel() for parameter in classifier.network.parameters())
    np.testing.assert_array_equal(loaded.probabilities(noise(12, 12, 3)), classifier.probabilities(noise(12, 12, 3)))


def flip_a_bit(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def change_config(**changes):
    def change(path):
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return change


@pytest.mark.parametrize(
    ("name", "damage", "sentence"),
    [
        ("card.json", lambda path: path.unlink(), "card.json is missing"),
        ("config.json", lambda path: path.unlink(), "config.json is missing"),
        ("model.safetensors", lambda path: path.unlink(), "model.safetensors is missing"),
        ("card.json", lambda path: path.write_text("{}"), "weights_sha256"),
        ("config.json", lambda path: path.write_text("{"), "config.json.* is damaged"),
        ("model.safetensors", flip_a_bit, "does not match its recorded SHA-256"),
        ("config.json", change_config(d_model=17), "not divisible by n_heads"),
        ("config.json", change_config(d_model="16"), "cannot be read"),
        ("config.json", change_config(image_size=12.0), "cannot be read"),
        ("config.json", change_config(classes=3), "cannot be read"),
        ("config.json", change_config(extra=1), "unknown keys: extra"),
        ("config.json", change_config(d_ff=64), "do not fit the sizes"),
        ("config.json", change_config(classes=["one", "two"]), "do not fit the sizes"),
        ("config.json", change_config(n_heads=4), "config.json .*does not match its recorded SHA-256"),
        ("config.json", change_config(classes=["one", "two", "three"]), "does not match its recorded SHA-256"),
    ],
)
def test_a_broken_folder_gives_one_sentence(folder, name, damage, sentence):
    damage(folder / name)
    with pytest.raises(CheckpointError, match=sentence) as caught:
        VisionClassifier.load(folder)
    assert "\n" not in str(caught.value)


def test_prepare_takes_the_middle_square(classifier):
    # Red left, green middle, blue right: only the middle square of the wide picture remains.
    wide = np.zeros((24, 72, 3), dtype=np.uint8)
    wide[:, :24, 0] = wide[:, 24:48, 1] = wide[:, 48:, 2] = 255
    pixels = classifier.prepare(Image.fromarray(wide))
    assert (pixels.shape, pixels.dtype) == ((12, 12, 3), np.float32)
    # Scaling is smooth, so the outermost columns depend a little on the cropped parts.
    np.testing.assert_array_equal(pixels[:, 1:-1], np.broadcast_to(np.float32([0, 1, 0]), (12, 10, 3)))
    np.testing.assert_allclose(pixels, np.broadcast_to(np.float32([0, 1, 0]), (12, 12, 3)), atol=0.1)
    tall = classifier.prepare(Image.fromarray(wide.transpose(1, 0, 2)))
    np.testing.assert_array_equal(tall, pixels.transpose(1, 0, 2))


def test_a_picture_of_the_right_size_is_not_scaled(classifier):
    image = np.random.default_rng(0).integers(0, 256, (12, 12, 3), dtype=np.uint8)
    np.testing.assert_array_equal(classifier.prepare(Image.fromarray(image)) * 255, image)


@pytest.mark.parametrize("size", [(1, 1), (1, 40), (40, 1), (13, 12)])
def test_any_shape_of_picture_is_prepared(classifier, size):
    pixels = classifier.prepare(Image.new("L", size, 51))
    np.testing.assert_allclose(pixels, 0.2, atol=1e-6)
    assert pixels.shape == (12, 12, 3)


def test_the_trace_contains_everything(classifier, trace):
    assert trace.attention.shape == (2, 2, 10, 10)
    assert trace.record.queries.shape == (2, 2, 10, 8)
    assert trace.patches.shape == (9, 16)
    assert trace.stream.shape == (3, 10, 16)
    assert (trace.grid, trace.classes) == ((3, 3), CLASSES)
    assert trace.attention.dtype == trace.stream.dtype == trace.logits.dtype == np.float32
    assert trace.probabilities.sum() == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(trace.probabilities, classifier.probabilities(noise(12, 12, 3)), atol=1e-6)
    assert trace.answer == int(trace.probabilities.argmax())
    with torch.inference_mode():
        expected = classifier.network(torch.from_numpy(noise(12, 12, 3)).permute(2, 0, 1)[None] * 2 - 1)[0]
    np.testing.assert_allclose(trace.logits, expected, atol=1e-5)


def test_the_check_is_small(trace):
    check = trace.verify()
    assert check.max_difference < 1e-5 and check.row_sum_error < 1e-5 and check.masked_weight == 0


def test_picture_and_prepared_pixels_give_one_trace(classifier):
    image = Image.fromarray(np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8))
    one, other = classifier.trace(image), classifier.trace(classifier.prepare(image).astype(np.float64))
    np.testing.assert_array_equal(one.logits, other.logits)


def test_an_intervention_is_recorded(classifier, trace):
    uniform = Intervention({"vision.0.self.weights": lambda weights: torch.full_like(weights, 0.1)})
    changed = classifier.trace(noise(12, 12, 3), intervention=uniform)
    np.testing.assert_allclose(changed.attention[0], 0.1)
    assert np.abs(changed.logits - trace.logits).max() > 1e-3
    np.testing.assert_allclose(classifier.probabilities(noise(12, 12, 3), uniform), changed.probabilities, atol=1e-6)
    assert changed.verify().max_difference > 1e-2  # the check detects that these are not the weights of the scores


def test_explain_runs_every_method(classifier, trace):
    scores = classifier.explain(trace, 2)
    assert tuple(scores) == METHODS
    assert all(score.shape == (9,) and score.dtype == np.float32 for score in scores.values())
    np.testing.assert_allclose(scores["CLS attention"], trace.attention[1, :, 0, 1:].mean(axis=0))
    np.testing.assert_allclose(scores["rollout"], rollout(trace.attention)[-1, 0, 1:], atol=1e-6)
    pixels = torch.from_numpy(noise(12, 12, 3)).permute(2, 0, 1) * 2 - 1
    gradients = class_gradients(classifier.network, pixels, 2)
    np.testing.assert_allclose(scores["gradient relevance"], gradients.relevance(), rtol=1e-4)
    np.testing.assert_allclose(scores["raw gradient"], gradients.raw(4), rtol=1e-4)


def test_integrated_gradients_are_judged_like_the_other_methods(classifier, trace):
    scores = classifier.explain(trace, 1, integrated=True)
    assert tuple(scores) == (*METHODS, "integrated gradients")
    result = classifier.integrated_gradients(trace, Logit(1))
    np.testing.assert_allclose(scores["integrated gradients"], result.attributions["patches"], rtol=1e-5)
    assert "integrated gradients" in classifier.faithfulness(trace, scores, 1)


def test_attention_scores_of_a_layer_and_a_fusion(trace):
    scores = attention_scores(trace.attention, "max", 0)
    np.testing.assert_allclose(scores["CLS attention"], trace.attention[0, :, 0, 1:].mean(axis=0))
    np.testing.assert_allclose(scores["rollout"], rollout(trace.attention, "max")[0, 0, 1:], atol=1e-6)


def test_the_slope_measured_along_the_gradient_is_its_length(classifier, trace):
    result = classifier.gradient_scores(trace, 1)
    assert result.length > 0
    assert result.difference < 1e-2
    assert result.length == pytest.approx(float(np.linalg.norm(result.scores["raw gradient"])), rel=1e-5)


def test_faithfulness_of_every_method_and_of_both_baselines(classifier, trace):
    scores = classifier.explain(trace, trace.answer)
    result = classifier.faithfulness(trace, scores, trace.answer)
    assert tuple(result) == (*METHODS, "centre", "random")
    for curve in result.values():
        assert curve.deletion[0] == pytest.approx(float(trace.probabilities[trace.answer]), abs=1e-5)
        assert curve.deletion[0] == pytest.approx(curve.insertion[-1], abs=1e-9)
    chance = result["random"]
    assert len(chance.parts) == 4
    np.testing.assert_allclose(chance.deletion, np.mean([part.deletion for part in chance.parts], axis=0))
    (outwards,) = classifier.occlusions(trace, np.array([[4, 1, 3, 5, 7, 0, 2, 6, 8]]))
    np.testing.assert_allclose(result["centre"].deletion, outwards.curves(trace.answer).deletion, atol=1e-7)
    again = classifier.faithfulness(trace, {}, trace.answer)
    np.testing.assert_allclose(again["centre"].insertion, result["centre"].insertion, atol=1e-7)
    np.testing.assert_allclose(again["random"].deletion, chance.deletion, atol=1e-7)
    other = classifier.faithfulness(trace, {}, trace.answer, seed=1)
    assert np.abs(other["random"].deletion - chance.deletion).max() > 1e-6


def test_patches_are_rearranged_with_and_without_positions(classifier, trace):
    pixels, order = noise(12, 12, 3), np.random.default_rng(0).permutation(9)
    np.testing.assert_allclose(classifier.rearranged(pixels), trace.probabilities, atol=1e-6)
    moved = pixels.copy()
    for place, patch in enumerate(order):
        (to_row, to_column), (row, column) = divmod(place, 3), divmod(int(patch), 3)
        moved[4 * to_row : 4 * to_row + 4, 4 * to_column : 4 * to_column + 4] = pixels[
            4 * row : 4 * row + 4, 4 * column : 4 * column + 4
        ]
    np.testing.assert_allclose(classifier.rearranged(pixels, order), classifier.probabilities(moved), atol=1e-6)
    without = classifier.rearranged(pixels, positions=False)
    assert np.abs(without - trace.probabilities).max() > 1e-3
    np.testing.assert_allclose(classifier.rearranged(pixels, order, positions=False), without, atol=1e-6)
