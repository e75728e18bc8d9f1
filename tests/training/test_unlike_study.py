"""The measurement of pictures unlike the training pictures: counts by hand, the whole command, and its refusals."""

import json
import shutil

import numpy as np
import pytest
from PIL import Image

from model.attribution.training_distance import FILE, TENSORS, TrainingDistances
from model.classifier import VisionClassifier
from model.data.images import ImageDataError, read_images
from tests.training.test_vision_run import call, data, finished  # noqa: F401
from training.recognition import resize_pictures
from training.unlike_study import UNLIKE, count_found, read_pictures, scores, vectors_and_logits


@pytest.fixture(scope="module")
def unlike(tmp_path_factory):
    """Two folders of pictures that are no shapes: noise, and black with a white edge."""
    folder = tmp_path_factory.mktemp("unlike")
    random = np.random.default_rng(0)
    for name, count in (("noise", 4), ("edges", 3)):
        (folder / name).mkdir()
        for number in range(count):
            pixels = random.integers(0, 256, (40, 60, 3), dtype=np.uint8)
            if name == "edges":
                pixels[:] = 0
                pixels[: 3 + number] = 255
            Image.fromarray(pixels).save(folder / name / f"{number}.png")
    return folder


def test_pictures_above_the_threshold_are_counted_with_their_interval():
    counts = count_found(np.array([1.0, 2.0, 3.0, 2.0]), 2.0)
    assert (counts["pictures"], counts["found"]) == (4, 1)
    assert 0 < counts["low"] < 0.25 < counts["high"] < 1


def test_every_score_is_higher_for_what_is_further_away():
    random = np.random.default_rng(0)
    labels = np.arange(300) % 3
    trained = random.normal(size=(300, 8)) + 6 * np.eye(8)[labels] + 6 * np.eye(8)[labels + 4]
    like = (np.tile(trained[labels == 0].mean(axis=0), (1, 1)), np.array([[9.0, 0, 0]], np.float32))
    unlike = (-10 * like[0], np.array([[0.1, 0, 0]], np.float32))
    for name, score in scores(trained, labels, 4).items():
        assert score(*unlike)[0] > score(*like)[0], name


@pytest.mark.nightly
def test_the_command_fits_chooses_counts_and_writes_the_card(finished, data, unlike, tmp_path):  # noqa: F811
    copy = shutil.copytree(finished, tmp_path / "copy")
    words = ["unlike-vision", "--data", data, "--model", copy, "--device", "cpu"]
    words += ["--choose", f"noise={unlike / 'noise'}", "--report", f"edges={unlike / 'edges'}"]
    assert call(words) == 0
    classifier = VisionClassifier.load(copy, "cpu")
    figures, distances = json.loads((copy / FILE).read_text()), classifier.training_distances
    images = read_images(data).hold_back(6)
    assert (figures["trained"], figures["held_back"]["pictures"]) == (30, 6)
    traced = [
        classifier.trace(resize_pictures(images.held_back.pictures[at : at + 1], 16)[0]).training_distance
        for at in range(6)
    ]
    assert distances.threshold == pytest.approx(np.quantile([each.distance for each in traced], 0.96), rel=1e-4)
    assert figures["held_back"]["found"] == 1  # of six, all but the most distant are below
    for group, name in (("chosen_by", "noise"), ("reported", "edges")):
        answers = [classifier.trace(each).training_distance.is_unlike for each in read_pictures(unlike / name)]
        counts = figures[group][name]
        assert (counts["pictures"], counts["found"]) == (len(answers), sum(answers))
    assert figures["samples"]["pictures"] == 6 and figures["validation"]["pictures"] == 12
    shipped = figures["compared"]["distance to the nearest class, both"]
    assert shipped == {"validation": figures["validation"], "noise": figures["chosen_by"]["noise"]}
    text = (copy / "card.md").read_text()
    assert "## Pictures unlike the training pictures" in text and "| edges | 3 |" in text
    assert "| noise, by which the score was chosen | 4 |" in text
    assert UNLIKE.block(copy, {"weights_sha256": "0" * 64}) == ""
    (copy / TENSORS).unlink()
    assert call(["heads-vision", "--data", data, "--model", copy, "--pictures", 3, "--device", "cpu"]) == 2


def test_batches_have_the_vectors_of_single_pictures(finished):  # noqa: F811
    classifier = VisionClassifier.load(finished, "cpu")
    pictures = np.random.default_rng(0).random((35, 16, 16, 3), dtype=np.float32)
    vectors, logits = vectors_and_logits(classifier, pictures, "pictures")
    labels = np.arange(35) % 3
    fitted = TrainingDistances.fit(vectors, labels)
    for at in (0, 34):
        trace = classifier.trace(pictures[at])
        np.testing.assert_allclose(logits[at], trace.logits, atol=1e-5)
        np.testing.assert_allclose(vectors[at, -64:][-1], trace.stream[-1, 1:].mean(axis=0)[-1], atol=1e-5)
    assert fitted.distances(vectors).shape == (35,)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--choose", "noise"], "has no name or no folder; give NAME=FOLDER"),
        (["--report", "=folder"], "has no name or no folder"),
        (["--choose", "a={}", "--report", "a={}"], "--choose and --report both name a"),
        (["--report", "a={}/nothing"], "There are no pictures in"),
    ],
)
def test_folders_that_cannot_be_used_are_refused(finished, data, unlike, capsys, options, sentence):  # noqa: F811
    words = [option.format(unlike / "noise") for option in options]
    assert call(["unlike-vision", "--data", data, "--model", finished, *words, "--device", "cpu"]) == 2
    assert sentence in capsys.readouterr().err


def test_a_picture_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "broken.png").write_bytes(b"\x89PNG")
    with pytest.raises(ImageDataError, match=r"broken\.png is not a picture that can be read"):
        read_pictures(tmp_path)
