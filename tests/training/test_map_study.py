"""Figures of a ViT's maps: of maps made by hand, the pointing game, and the whole command."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from model.attribution.rollout import METHODS
from model.classifier import VisionClassifier
from model.data.images import read_images
from model.runtime.checkpoint import CheckpointError, write_json
from tests.model.images import noise, tiny_vision
from tests.training.test_vision_run import call, data, finished  # noqa: F401
from tools.samples.drawing import DRAW
from training.map_study import (
    FILE,
    MAPS,
    KnownDrawing,
    is_right,
    measure_maps,
    measure_pointing,
    on_object,
    read_drawings,
    study_maps,
)
from training.recognition import resize_pictures


class Maps:
    """A trace of a picture of 3 x 3 patches; CLS first."""

    grid = (3, 3)

    def __init__(self, *heads: np.ndarray) -> None:
        self.attention = np.stack(heads)[None].astype(np.float32)


def test_uniform_attention_has_full_entropy_and_one_patch_none():
    uniform, identity = np.full((10, 10), 0.1), np.eye(10)
    assert measure_maps(Maps(uniform, uniform), 4)["entropy"] == pytest.approx([1.0])
    assert measure_maps(Maps(identity, identity), 4)["entropy"] == pytest.approx([0.0])
    assert measure_maps(Maps(uniform, identity), 4)["entropy"] == pytest.approx([0.5])


def test_attention_to_the_adjacent_patch_has_the_distance_of_a_patch():
    adjacent = np.zeros((10, 10))
    adjacent[0, 0] = 1
    for patch in range(9):
        adjacent[1 + patch, 1 + (patch + 1 if patch % 3 < 2 else patch - 1)] = 1
    adjacent[0, 1] = 1
    assert measure_maps(Maps(adjacent), 4)["distance"] == pytest.approx([4.0])


def test_a_sink_has_most_of_the_attention_of_cls():
    uniform, sink = np.full((10, 10), 0.1), np.full((10, 10), 0.1)
    sink[0] = [0.5, 0.5, *[0] * 8]
    assert measure_maps(Maps(uniform), 4)["strongest"] == pytest.approx([4 / 9])
    assert measure_maps(Maps(sink), 4)["strongest"] == pytest.approx([1.0])


def test_the_strongest_patch_counts_where_half_of_it_is_the_object():
    covered = np.array([[0.0, 0.49], [0.5, 1.0]])
    assert [on_object(np.eye(4)[patch], covered) for patch in range(4)] == [False, False, True, True]


@pytest.mark.parametrize(
    ("drawn", "right"),
    [("Circle", True), ("CIRCLE", True), ("circle", True), ("square", False), ("circl", False)],
)
def test_capitals_of_names_do_not_count(drawn, right):
    classifier = VisionClassifier(tiny_vision())
    trace = classifier.trace(noise(12, 12, 3))
    trace = replace(trace, logits=np.array([2.0, 1.0, 0.0], np.float32))  # a circle
    picture = Image.new("RGB", (12, 12))
    assert is_right(classifier, trace, KnownDrawing(drawn, picture, picture.convert("L"))) == right


def test_names_of_the_shipped_classes_match_the_names_of_drawings():
    classes = [name.casefold() for name in VisionClassifier.load(device="cpu").config.classes]
    assert all(name.replace("-", " ") in classes for name in DRAW)


def test_the_patch_in_the_middle_is_counted_like_the_methods():
    classifier, picture = VisionClassifier(tiny_vision()), Image.fromarray((255 * noise(12, 12, 3)).astype(np.uint8))
    middle, aside = np.zeros((12, 12), np.uint8), np.zeros((12, 12), np.uint8)
    middle[4:8, 4:8] = 255
    aside[:, :4] = 255
    drawn = [KnownDrawing("circle", picture, Image.fromarray(shape)) for shape in (middle, aside)]
    figures = measure_pointing(classifier, drawn)
    assert figures["pointing"]["centre"] == 0.5 and figures["drawn"] == 2
    assert figures["drawn_chance"] == pytest.approx((1 / 9 + 3 / 9) / 2)
    trace = classifier.trace(picture)
    for method, scores in classifier.explain(trace, trace.answer).items():
        best = int(scores.argmax())
        hits = [float(best == 4), float(best % 3 == 0)]
        assert figures["pointing"][method] == np.mean(hits)
        assert figures["pointing_over_centre"][method]["mean"] == pytest.approx(np.mean(hits) - 0.5)


@pytest.fixture(scope="module")
def drawings(tmp_path_factory, finished):  # noqa: F811
    """Two drawings: the object is the left half of one and all of the other."""
    folder = tmp_path_factory.mktemp("drawn")
    classes = VisionClassifier.load(finished, "cpu").config.classes
    random, half = np.random.default_rng(0), np.zeros((32, 32), np.uint8)
    half[:, :16] = 255
    for name, shape in zip(classes[:2], (half, np.full_like(half, 255)), strict=True):
        stem = f"{name.replace(' ', '-')}-1"
        Image.fromarray(random.integers(0, 256, (32, 32, 3), dtype=np.uint8)).save(folder / f"{stem}.png")
        Image.fromarray(shape).save(folder / f"{stem}.object.png")
    return folder


@pytest.mark.nightly
def test_the_command_states_both_networks_and_retains_the_earlier(finished, data, drawings, tmp_path):  # noqa: F811
    copy = shutil.copytree(finished, tmp_path / "copy")
    words = ["maps-vision", "--data", data, "--model", copy, "--drawn", drawings, "--pictures", 3, "--device", "cpu"]
    assert call([*words, "--before", finished]) == 0
    figures = json.loads((copy / FILE).read_text())
    classifier, images = VisionClassifier.load(copy, "cpu"), read_images(data)
    size, patch = classifier.config.image_size, classifier.config.patch_size
    traces = [classifier.trace(resize_pictures(images.validation.pictures[at : at + 1], size)[0]) for at in (0, 6, 11)]
    entropy = np.mean([measure_maps(trace, patch)["entropy"] for trace in traces], axis=0)
    np.testing.assert_allclose(figures["entropy"], entropy, atol=1e-5)
    assert figures["drawn_chance"] == 0.75 and figures["drawn"] == 2
    hits = dict.fromkeys(METHODS, 0)
    for drawing in read_drawings(drawings):
        trace = classifier.trace(drawing.picture)
        columns = trace.grid[1]
        for method, scores in classifier.explain(trace, trace.answer).items():
            left = int(scores.argmax()) % columns < columns // 2
            hits[method] += left or np.asarray(drawing.object).min() == 255
    assert figures["pointing"] == {method: count / 2 for method, count in hits.items()} | {"centre": 1.0}
    assert figures["before"] == {name: value for name, value in figures.items() if name not in ("before", "facts")}
    text = (copy / "card.md").read_text()
    assert "In brackets: the network that was shipped before." in text and "In 2 drawings" in text
    assert "| any patch | 75.0 % (75.0 %) |" in text
    again = study_maps(copy, images, read_drawings(drawings), pictures=3, device="cpu")
    assert again == figures
    assert MAPS.block(copy, {"weights_sha256": "0" * 64}) == ""
    write_json(copy / FILE, figures | {"before": figures["before"] | {"patches": 9}})
    note = f"read pictures of 9 patches, not of {figures['patches']}: the first table is of pictures of two sizes"
    text = MAPS.block(copy, figures)
    assert note in text and f"4 patches {400 / figures['patches']:.1f} % (44.4 %)." in text


@pytest.mark.nightly
def test_a_drawing_without_its_object_and_an_empty_folder_are_reported(drawings, tmp_path):
    with pytest.raises(CheckpointError, match="There are no drawings"):
        read_drawings(tmp_path)
    Image.new("RGB", (8, 8)).save(tmp_path / "church-1.png")
    with pytest.raises(CheckpointError, match=r"church-1\.png has no .*church-1\.object\.png next to it"):
        read_drawings(tmp_path)
