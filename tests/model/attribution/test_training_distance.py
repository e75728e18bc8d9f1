"""Distances to the training pictures: of vectors made by hand, of a picture, and through the files."""

import json

import numpy as np
import pytest
import torch

from model import CheckpointError, VisionClassifier
from model.attribution.training_distance import (
    FILE,
    TENSORS,
    TrainingDistance,
    TrainingDistances,
    picture_vectors,
    shrunk_covariance,
)
from model.runtime.checkpoint import save_tensors, sha256_of, write_json
from model.tracing.head_interventions import Scale
from model.tracing.interventions import HeadInterventions
from tests.model.images import noise, tiny_vision


def gathered(count: int = 4000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two classes around (0, 0, 0) and (10, 0, 0), with standard deviations 1, 2 and 0.5."""
    random = np.random.default_rng(seed)
    labels = np.arange(count) % 2
    vectors = random.normal(size=(count, 3)) * [1, 2, 0.5]
    vectors[:, 0] += 10 * labels
    return vectors, labels


def test_distances_are_in_standard_deviations_from_the_nearest_class():
    distances = TrainingDistances.fit(*gathered())
    points = np.array([[0, 0, 0], [10, 0, 0], [13, 0, 0], [0, 4, 0], [10, 0, 1], [5, 0, 0]])
    np.testing.assert_allclose(distances.distances(points), [0, 0, 3, 2, 2, 5], atol=0.15)


def test_the_distance_is_that_of_the_inverse_covariance():
    vectors, labels = gathered(60)
    vectors[:, 1] += vectors[:, 2]  # correlated
    distances = TrainingDistances.fit(vectors, labels)
    means = np.stack([vectors[labels == label].mean(axis=0) for label in (0, 1)])
    inverse = np.linalg.inv(shrunk_covariance(vectors - means[labels]))
    point = np.array([3.0, -1.0, 2.0])
    expected = min(float((point - mean) @ inverse @ (point - mean)) ** 0.5 for mean in means)
    assert distances.distances(point[None])[0] == pytest.approx(expected, rel=1e-5)


def test_a_class_without_pictures_is_refused():
    with pytest.raises(ValueError, match="Every class needs a training picture"):
        TrainingDistances.fit(np.zeros((2, 3)), np.array([0, 2]))


def test_the_covariance_of_few_samples_is_shrunk_and_of_many_hardly():
    random = np.random.default_rng(1)
    few = random.normal(size=(5, 20)) * np.linspace(1, 3, 20)
    few -= few.mean(axis=0)
    assert np.linalg.eigvalsh(shrunk_covariance(few)).min() > 0.05  # the plain one has rank 4
    many = random.normal(size=(50_000, 3)) * [1, 2, 3]
    many -= many.mean(axis=0)
    np.testing.assert_allclose(shrunk_covariance(many), many.T @ many / 50_000, atol=0.02)
    np.testing.assert_allclose(shrunk_covariance(np.tile([[1.0, 1.0], [-1.0, -1.0]], (2, 1))).trace(), 2)


@pytest.fixture
def folder(tmp_path):
    """A classifier's folder with distances; the threshold is that of the picture of `noise(12, 12, 3)`."""
    network = tiny_vision()
    save_tensors(tmp_path / "model.safetensors", network.state_dict())
    write_json(tmp_path / "config.json", network.config.to_dict())
    digest = sha256_of(tmp_path / "model.safetensors")
    write_json(tmp_path / "card.json", {"weights_sha256": digest})
    traces = [VisionClassifier(network).trace(noise(12, 12, 3, seed=seed)) for seed in range(40)]
    streams = torch.from_numpy(np.stack([trace.stream[-1] for trace in traces]))
    with torch.inference_mode():
        vectors = picture_vectors(network, streams).numpy()
    fitted = TrainingDistances.fit(vectors, np.arange(40) % 3)
    threshold = float(fitted.distances(vectors[1:2])[0])
    TrainingDistances(fitted.means, fitted.whitening, threshold + 1e-6).save(tmp_path, digest, {"trained": 40})
    return tmp_path


def test_the_vectors_are_cls_as_the_output_layer_reads_it_and_the_mean_of_the_patches():
    network = tiny_vision()
    trace = VisionClassifier(network).trace(noise(12, 12, 3))
    with torch.inference_mode():
        (vector,) = picture_vectors(network, torch.from_numpy(trace.stream[-1:]))
        logits = network.head(vector[:16])
    np.testing.assert_allclose(logits, trace.logits, atol=1e-5)
    np.testing.assert_allclose(vector[16:], trace.stream[-1, 1:].mean(axis=0), atol=1e-6)


def test_a_trace_of_a_measured_network_has_its_distance(folder):
    classifier = VisionClassifier.load(folder, "cpu")
    like = classifier.trace(noise(12, 12, 3, seed=1)).training_distance
    assert not like.is_unlike and like.distance == pytest.approx(like.threshold, abs=1e-4)
    unlike = classifier.trace(np.zeros((12, 12, 3), np.float32)).training_distance
    assert unlike.is_unlike and unlike.distance > like.distance


def test_a_changed_network_has_no_distance(folder):
    classifier = VisionClassifier.load(folder, "cpu")
    trace = classifier.trace(noise(12, 12, 3))
    result = classifier.intervene(trace, HeadInterventions((Scale("vision", ((0, 0),), 0.0),)))
    assert result.after.training_distance is None and trace.training_distance is not None


def test_other_weights_and_weights_without_a_measurement_have_no_distance(folder):
    assert TrainingDistances.load(folder, "0" * 64) is None
    (folder / FILE).unlink()
    classifier = VisionClassifier.load(folder, "cpu")
    assert classifier.training_distances is None
    assert classifier.trace(noise(12, 12, 3)).training_distance is None


def test_damaged_files_are_reported(folder):
    figures = json.loads((folder / FILE).read_text())
    for broken in ({"threshold": None}, {"threshold": []}, {"tensors_sha256": "0" * 64}):
        write_json(folder / FILE, figures | broken)
        with pytest.raises(CheckpointError):
            VisionClassifier.load(folder, "cpu")
    del figures["threshold"]
    write_json(folder / FILE, figures)
    with pytest.raises(CheckpointError, match="damaged"):
        VisionClassifier.load(folder, "cpu")
    (folder / TENSORS).unlink()
    write_json(folder / FILE, figures | {"threshold": 1.0})
    with pytest.raises(CheckpointError):
        VisionClassifier.load(folder, "cpu")


def test_above_the_threshold_is_unlike():
    assert TrainingDistance(2.01, 2.0).is_unlike and not TrainingDistance(2.0, 2.0).is_unlike
