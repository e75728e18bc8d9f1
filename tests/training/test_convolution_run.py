"""The convolutional network is trained by the same program and loop: it learns, resumes exactly, and has a card."""

import json
import shutil

import numpy as np
import pytest
import torch

from model import ConvolutionClassifier
from model.data.images import read_images
from model.networks.convolution import ConvolutionConfig
from model.runtime.checkpoint import load_tensors, sha256_of
from tests.training.programs import reproducible_rows
from tests.training.toy_pictures import CLASSES, convolution_training, write_shards
from training.__main__ import main
from training.loop import BEST, CHECKPOINT
from training.recognition import RecognitionTask, classify_all


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_shards(tmp_path_factory.mktemp("shapes"))


def call(arguments) -> int:
    return main([str(word) for word in arguments])


@pytest.fixture(scope="module")
def finished(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("finished") / "convolution"
    assert call(convolution_training(data, out, stages="16x2,32x8", mixed=0.2)) == 0
    return out


@pytest.mark.nightly
def test_the_loss_falls_and_the_shapes_are_learned(finished, data):
    epochs = [row for row in reproducible_rows(finished) if row["event"] == "epoch"]
    assert epochs[-1]["heldout_nll"] < 0.8 * epochs[0]["heldout_nll"]
    images = read_images(data)
    classifier = ConvolutionClassifier.load(finished, "cpu")
    side = classifier.config.image_size
    assert classifier.config == ConvolutionConfig(CLASSES, image_size=side, widths=(8, 16), blocks=1, squeeze=4)
    logits, _ = classify_all(classifier.network, images.validation, side, torch.device("cpu"))
    right = (logits.argmax(dim=1).numpy() == images.validation.labels).mean()
    assert right == json.loads((finished / "card.json").read_text())["evaluation"]["top1"]
    assert right > 0.6


@pytest.mark.nightly
def test_weights_and_statistics_of_the_best_epoch_are_stored_in_half_precision(finished):
    card = json.loads((finished / "card.json").read_text())
    tensors, _ = load_tensors(finished / "model.safetensors")
    best, _ = load_tensors(finished / BEST)
    assert tensors.keys() == best.keys()
    for name, tensor in tensors.items():
        if name.endswith("num_batches_tracked"):
            assert torch.equal(tensor, best[name])
            continue
        expected = best[name] / card["calibration"]["temperature"] if name.startswith("head.") else best[name]
        assert torch.equal(tensor, expected.half()), name


@pytest.mark.nightly
def test_statistics_of_batches_are_averaged_as_the_weights_are(finished):
    """The mean over steps, not of the last step: otherwise averaged weights are used with statistics of others."""
    checkpoint, _ = load_tensors(finished / CHECKPOINT)
    for name in ("stem_norms.0.running_mean", "blocks.1.second_norm.running_var"):
        assert not torch.equal(checkpoint[f"average.{name}"], checkpoint[f"network.{name}"])


@pytest.mark.nightly
def test_the_card_states_the_measured_figures(finished, data):
    card = json.loads((finished / "card.json").read_text())
    text = (finished / "card.md").read_text()
    assert card["weights_sha256"] == sha256_of(finished / "model.safetensors")
    evaluation = card["evaluation"]
    assert np.mean(list(evaluation["classes"].values())) == pytest.approx(evaluation["top1"])
    assert "faithfulness" not in evaluation and "explanation" not in text
    for figure in (
        "# Model card: convolutional picture classifier",
        "stages of 8, 16 channels",
        "pictures of {0} x {0}".format(json.loads((finished / "config.json").read_text())["image_size"]),
        f"{card['parameters']:,} parameters",
        f"Top-1 accuracy {100 * evaluation['top1']:.1f} %",
        "2 epochs at 16 pixels, then 8 epochs at 32 pixels; about 24 places of the last maps a batch",
        "6 further training pictures held back",
        card["weights_sha256"],
    ):
        assert figure in text, figure


@pytest.mark.nightly
def test_pictures_are_read_at_the_best_size_for_those_held_back(finished, data):
    card, text = json.loads((finished / "card.json").read_text()), (finished / "card.md").read_text()
    reading = card["training"]["reading"]
    assert [side for side, _ in reading] == [32, 40, 48]  # multiples of 8 pixels: 36 and 44 are rounded
    images = read_images(data).hold_back(6)
    network = ConvolutionClassifier.load(finished, "cpu").network
    for side, share in reading:
        logits, _ = classify_all(network, images.held_back, side, torch.device("cpu"))
        right = (logits.argmax(dim=1).numpy() == images.held_back.labels).mean()
        assert right == share, side
    highest = max(share for _, share in reading)
    assert network.config.image_size == min(side for side, share in reading if share == highest)
    assert f"those held back are recognized: {100 * reading[0][1]:.1f} % at 32, " in text


@pytest.mark.nightly
def test_a_finished_run_can_be_resumed_with_more_epochs(finished, data, tmp_path):
    copy = shutil.copytree(finished, tmp_path / "copy")
    longer = convolution_training(data, copy, stages="16x2,32x9", mixed=0.2)
    changed = {**json.loads((copy / "config.json").read_text()), "image_size": 40}
    (copy / "config.json").write_text(json.dumps(changed))  # as if another size had been chosen
    assert call([*longer, "--resume"]) == 0
    training = json.loads((copy / "card.json").read_text())["training"]
    assert training["epochs"] == 11
    assert [side for side, _ in training["reading"]] == [32, 40, 48]  # by the size trained at, not the one read at


@pytest.mark.nightly
def test_evaluating_again_changes_nothing(finished, data):
    before = json.loads((finished / "card.json").read_text())
    assert call(["evaluate-vision", "--data", data, "--model", finished, "--device", "cpu"]) == 0
    assert json.loads((finished / "card.json").read_text()) == before


@pytest.mark.nightly
def test_a_study_of_heads_is_refused_for_a_network_without_heads(finished, data, capsys):
    assert call(["heads-vision", "--data", data, "--model", finished, "--device", "cpu"]) == 2
    message = "A convolutional network has no heads to measure; give the folder of a Vision Transformer.\n"
    assert capsys.readouterr().err.endswith(message)


@pytest.mark.nightly
def test_a_run_that_stops_in_mid_epoch_and_is_resumed_ends_with_the_same_weights(data, tmp_path, monkeypatch):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    options = dict(stages="16x1,32x2", schedule="cosine", operations=2)
    assert call(convolution_training(data, whole, **options)) == 0
    load = RecognitionTask.load

    def stop_in_third_epoch(task, indices):
        if task.epoch == 2 and stop_in_third_epoch.calls > 1:
            raise KeyboardInterrupt
        stop_in_third_epoch.calls += task.epoch == 2
        return load(task, indices)

    stop_in_third_epoch.calls = 0
    monkeypatch.setattr(RecognitionTask, "load", stop_in_third_epoch)
    with pytest.raises(KeyboardInterrupt):
        call(convolution_training(data, parts, **options))
    monkeypatch.undo()
    assert call([*convolution_training(data, parts, **options), "--resume"]) == 0
    assert reproducible_rows(parts) == reproducible_rows(whole)
    for name in ("model.safetensors", BEST):
        assert (parts / name).read_bytes() == (whole / name).read_bytes(), name
    resumed, uninterrupted = (load_tensors(folder / CHECKPOINT)[0] for folder in (parts, whole))
    assert resumed.keys() == uninterrupted.keys()
    assert all(torch.equal(resumed[name], uninterrupted[name]) for name in resumed)


def test_sizes_that_do_not_fit_are_refused_before_anything_is_written(data, tmp_path, capsys):
    assert call(convolution_training(data, tmp_path / "out", squeeze=3)) == 2
    assert "A stage of 8 channels: choose a multiple of squeeze, which is 3" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
