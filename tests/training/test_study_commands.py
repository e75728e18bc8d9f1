"""Cards are what their writers make of the saved measurements; `python -m training cards` writes all of them anew."""

import shutil
from pathlib import Path

import pytest

from model.runtime.checkpoint import read_json, write_json
from model.trained_model import ASSETS
from training.__main__ import main

CARDS = sorted(
    str(path.relative_to(ASSETS)) for path in ASSETS.rglob("*.md") if path.relative_to(ASSETS).parts[0] != "text"
)


@pytest.fixture(scope="module")
def copied(tmp_path_factory) -> Path:
    """The saved measurements of all networks, without weights and cards."""
    folder = tmp_path_factory.mktemp("assets")
    for path in ASSETS.rglob("*.json"):
        target = folder / path.relative_to(ASSETS)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return folder


@pytest.fixture(scope="module")
def written(copied) -> Path:
    assert main(["cards", "--folder", str(copied)]) == 0
    return copied


@pytest.mark.parametrize("card", CARDS)
def test_a_shipped_card_is_what_its_writer_writes_from_the_measurements(written, card):
    assert (written / card).read_text(encoding="utf-8") == (ASSETS / card).read_text(encoding="utf-8")


def test_every_card_that_ships_is_written_and_no_other(written):
    assert {str(path.relative_to(written)) for path in written.rglob("*.md")} == set(CARDS) and len(CARDS) == 15


def test_a_card_follows_its_measurements_and_names_their_population(written, tmp_path):
    folder = shutil.copytree(written, tmp_path / "assets")
    card = read_json(folder / "language/card.json")
    card["evaluation"]["validation"]["sentences"] = 321
    write_json(folder / "language/card.json", card)
    study = read_json(folder / "vision/maps.json")
    study["before"]["patches"] = study["patches"]
    write_json(folder / "vision/maps.json", study)
    assert main(["cards", "--folder", str(folder)]) == 0
    assert "| validation | 321 | 3.027 |" in (folder / "language/card.md").read_text(encoding="utf-8")
    assert "compares no networks" in (written / "vision/card.md").read_text(encoding="utf-8")
    assert "compares no networks" not in (folder / "vision/card.md").read_text(encoding="utf-8")


def test_measurements_that_are_missing_are_one_sentence(written, tmp_path, capsys):
    folder = shutil.copytree(written, tmp_path / "assets")
    (folder / "language/config.json").unlink()
    assert main(["cards", "--folder", str(folder)]) == 2
    assert "config.json" in capsys.readouterr().err
