"""Training a finished Vision Transformer further, from its half-precision weights alone."""

import json
from dataclasses import replace

import pytest
import torch

from model import VisionClassifier
from model.data.images import read_images
from model.runtime.checkpoint import load_tensors, write_json
from model.runtime.training_record import METRICS, read_metrics
from tests.training.toy_pictures import vision_training, write_shards
from training.__main__ import main
from training.continued_vision_training import read_earlier_vision_training
from training.loop import BEST, CHECKPOINT
from training.recognition import RecognitionTask, Stages

pytestmark = pytest.mark.nightly  # whole trainings
MORE = dict(stages="16x2", mixed=0.1, learning_rate=0.002)


def call(*arguments) -> int:
    return main([str(word) for word in arguments])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_shards(tmp_path_factory.mktemp("shapes"))


@pytest.fixture(scope="module")
def first_run(data, tmp_path_factory):
    """The folder of a finished run, as it is committed: without a checkpoint."""
    out = tmp_path_factory.mktemp("first") / "vision"
    assert call(*vision_training(data, out, stages="8x1,16x2")) == 0
    (out / CHECKPOINT).unlink()
    return out


@pytest.fixture(scope="module")
def further_run(data, first_run, tmp_path_factory):
    out = tmp_path_factory.mktemp("further") / "vision"
    assert call(*vision_training(data, out, **MORE), "--start-from", first_run) == 0
    return out


def card_of(folder) -> dict:
    return json.loads((folder / "card.json").read_text())


def test_the_card_adds_both_runs_minutes_epochs_and_steps(first_run, further_run):
    before, after = card_of(first_run)["training"], card_of(further_run)["training"]
    rows = read_metrics(further_run / METRICS)
    assert rows[: len(read_metrics(first_run / METRICS))] == read_metrics(first_run / METRICS)
    ends = [row for row in rows if row["event"] == "epoch"]
    assert [row["epoch"] for row in ends] == list(range(5))
    assert (after["epochs"], after["stages"]) == (5, [[8, 1], [16, 4]])
    assert after["minutes"] == sum(row["seconds"] for row in ends) / 60
    a_pass = ends[2]["steps"] - ends[1]["steps"]
    assert after["steps"] == before["steps"] + 2 * a_pass
    assert [restart["epoch"] for restart in after["restarts"]] == [4]
    assert after["earlier"][0][0] == 3 and "'mixed': 0.5" in after["earlier"][0][1]
    text = (further_run / "card.md").read_text()
    assert "- Until epoch 3: views {" in text and "Warm restart at epoch 4" in text
    assert "earlier" not in before


def test_training_starts_from_the_stored_weights_without_their_temperature(first_run, data):
    images = read_images(data).hold_back(6)
    earlier = read_earlier_vision_training(first_run, images, Stages(((16, 1),)))
    stored, _ = load_tensors(first_run / "model.safetensors")
    temperature = card_of(first_run)["calibration"]["temperature"]
    assert temperature != 1
    for name, tensor in earlier.tensors.items():
        by = temperature if name.startswith("head.") else 1.0
        torch.testing.assert_close(tensor, stored[name].float() * by)


def test_the_earlier_weights_are_shipped_where_no_further_epoch_is_as_good(data, first_run, tmp_path):
    out = tmp_path / "vision"
    validate = RecognitionTask.validate
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RecognitionTask, "validate", lambda *each: validate(*each) | {"merit": -1.0, "top1": 0.0})
        assert call(*vision_training(data, out, **MORE), "--start-from", first_run) == 0
    chosen, earlier = card_of(out)["training"]["chosen"], card_of(first_run)["training"]["chosen"]
    assert chosen == earlier
    mine, theirs = (VisionClassifier.load(folder, "cpu").network.state_dict() for folder in (out, first_run))
    assert all(torch.allclose(mine[name], theirs[name], atol=2e-3, rtol=2e-3) for name in theirs)
    assert (out / BEST).is_file()


def test_larger_pictures_have_interpolated_positions_and_ship_their_own_epochs(data, first_run, tmp_path):
    earlier = read_earlier_vision_training(first_run, read_images(data).hold_back(6), Stages(((24, 1),)))
    learned = VisionClassifier.load(first_run, "cpu").network
    grid = 24 // learned.config.patch_size
    assert earlier.config == replace(learned.config, image_size=24)
    assert torch.equal(earlier.tensors["position_embedding"], learned.positions(grid, grid))
    assert not any("merit" in row for row in earlier.record)
    out = tmp_path / "vision"
    validate = RecognitionTask.validate
    with pytest.MonkeyPatch.context() as patch:  # the only epoch at the new size ships, however poor
        patch.setattr(RecognitionTask, "validate", lambda *each: validate(*each) | {"merit": -1.0})
        assert call(*vision_training(data, out, **MORE | {"stages": "24x1"}), "--start-from", first_run) == 0
    card, ends = card_of(out), [row for row in read_metrics(out / METRICS) if row["event"] == "epoch"]
    assert (card["training"]["stages"], card["training"]["chosen"]["epoch"]) == ([[8, 1], [16, 2], [24, 1]], 4)
    assert [row["pixels"] for row in ends] == [8, 16, 16, 24]
    assert VisionClassifier.load(out, "cpu").config.image_size == 24


def test_a_killed_continued_run_is_resumed_exactly(data, first_run, further_run, tmp_path, monkeypatch):
    out = tmp_path / "vision"
    load = RecognitionTask.load

    def stop(task, indices):
        if task.epoch == 4:
            raise KeyboardInterrupt
        return load(task, indices)

    monkeypatch.setattr(RecognitionTask, "load", stop)
    assert call(*vision_training(data, out, **MORE), "--start-from", first_run) == 130  # as after Ctrl+C
    monkeypatch.undo()
    assert call(*vision_training(data, out, **MORE), "--resume") == 0
    resumed, uninterrupted = (load_tensors(folder / CHECKPOINT)[0] for folder in (out, further_run))
    assert all(torch.equal(resumed[name], uninterrupted[name]) for name in uninterrupted)


def test_runs_that_cannot_be_continued_are_refused_before_anything_is_written(data, first_run, tmp_path, capsys):
    out = tmp_path / "out"
    other = write_shards(tmp_path / "other", train=5, validation=1)
    cases = [
        (vision_training(data, out, **MORE, held_back=7), "it knows some of those that epochs are chosen by"),
        (vision_training(data, out, stages="8x1"), "reads 16 pixels; let the last of --stages have no fewer."),
        (vision_training(other, out, **MORE), "was trained with other pictures"),
        (vision_training(data, out, **MORE, drop_path=0.3), "has --drop-path 0.0 and keeps it"),
        (vision_training(data, first_run, **MORE), "are the same folder; give another --out."),
    ]
    for arguments, sentence in cases:
        assert call(*arguments, "--start-from", first_run) == 2
        assert sentence in capsys.readouterr().err
    assert not out.exists()


def test_a_network_that_held_no_pictures_back_is_refused(data, first_run, tmp_path):
    images = read_images(data).hold_back(6)
    card = card_of(first_run)
    del card["data"]["held_back"]
    folder = tmp_path / "old"
    folder.mkdir()
    for name in ("config.json", "model.safetensors", "card.md", METRICS):
        (folder / name).write_bytes((first_run / name).read_bytes())
    write_json(folder / "card.json", card)
    with pytest.raises(ValueError, match="From the network to start from 0 pictures were held back"):
        read_earlier_vision_training(folder, images, Stages(((16, 1),)))
