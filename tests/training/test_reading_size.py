"""A finished Vision Transformer is set to the size with the highest accuracy on the pictures held back."""

import json
import shutil

import pytest
import torch

from model.classifier import VisionClassifier
from model.data.images import read_images
from model.runtime.checkpoint import load_tensors
from tests.training.test_vision_run import call, data, finished  # noqa: F401
from training import vision_card
from training.recognition import accuracy, classify_all

CPU = torch.device("cpu")


def run_read_vision(folder, data) -> int:  # noqa: F811
    return call(["read-vision", "--data", data, "--model", folder, "--device", "cpu"])


@pytest.fixture
def copy(finished, tmp_path):  # noqa: F811
    return shutil.copytree(finished, tmp_path / "vision")


def held_back_pictures(data):  # noqa: F811
    return read_images(data).hold_back(6).held_back


@pytest.mark.nightly
def test_the_reading_size_is_the_best_for_the_pictures_held_back(copy, data):  # noqa: F811
    before = VisionClassifier.load(copy, "cpu")
    known = json.loads((copy / "card.json").read_text())
    assert run_read_vision(copy, data) == 0
    card = json.loads((copy / "card.json").read_text())
    sides = {
        side: accuracy(*classify_all(before.network, held_back_pictures(data), side, CPU)) for side in (16, 20, 24)
    }
    assert dict(card["training"]["reading"]) == sides  # whole patches of 4 pixels: 18 and 22 are rounded
    highest = max(sides.values())
    best = min(side for side, share in sides.items() if share == highest)
    after = VisionClassifier.load(copy, "cpu")  # verifies every file
    assert after.config.image_size == best
    assert {name: card["training"][name] for name in known["training"]} == known["training"]
    assert f"those held back are recognized: {100 * sides[16]:.1f} % at 16, " in (copy / "card.md").read_text()


def test_larger_pictures_have_interpolated_positions_and_their_own_temperature(copy, data, monkeypatch):  # noqa: F811
    monkeypatch.setattr(vision_card, "READING_SIZES", (1.5,))
    before, card = VisionClassifier.load(copy, "cpu"), json.loads((copy / "card.json").read_text())
    assert run_read_vision(copy, data) == 0
    after, changed = VisionClassifier.load(copy, "cpu"), json.loads((copy / "card.json").read_text())
    assert (after.config.image_size, changed["training"]["reading"][0][0]) == (24, 24)
    tensors, _ = load_tensors(copy / "model.safetensors")
    positions = before.network.positions(after.config.grid, after.config.grid)
    torch.testing.assert_close(tensors["position_embedding"], positions.half(), atol=1e-3, rtol=1e-3)
    by = changed["calibration"]["temperature"] / card["calibration"]["temperature"]
    logits, _ = classify_all(after.network, held_back_pictures(data), 24, CPU)
    same, _ = classify_all(before.network, held_back_pictures(data), 24, CPU)
    torch.testing.assert_close(logits * by, same, atol=0.02, rtol=0.02)  # stored in half precision


def test_a_second_choice_and_pictures_of_its_training_are_refused(copy, data, capsys):  # noqa: F811
    assert run_read_vision(copy, data) == 0
    content = {path.name: path.read_bytes() for path in copy.iterdir()}
    assert run_read_vision(copy, data) == 2
    assert "was chosen before, and the positions it learned are gone." in capsys.readouterr().err
    card = json.loads((copy / "card.json").read_text())
    del card["training"]["reading"]
    card["data"]["held_back"] = 0
    (copy / "card.json").write_text(json.dumps(card))
    assert run_read_vision(copy, data) == 2
    assert "No pictures were held back from its training" in capsys.readouterr().err
    assert all(
        (copy / name).read_bytes() == bytes_before for name, bytes_before in content.items() if name != "card.json"
    )
