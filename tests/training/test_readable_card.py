"""The readable card: the kind of its network, and blocks of studies that belong to its weights."""

import json
import shutil

import pytest

from model.runtime.checkpoint import AlteredFileError, read_json
from model.trained_model import ASSETS
from model.translator import SHIPPED
from training.doubt_study import DOUBT
from training.english_study import ENGLISH_TEXT
from training.readable_card import network_kind, readable_card
from training.vision_scores import AGREEMENT_VISION

FOLDERS = sorted(path.parent for path in ASSETS.rglob("card.json"))


def test_the_card_of_every_network_has_its_kind():
    kinds = {
        folder.relative_to(ASSETS).parts[0]: network_kind(
            read_json(folder / "card.json"), read_json(folder / "config.json")
        )
        for folder in FOLDERS
    }
    assert kinds == {name: name for name in kinds} and len(kinds) == 6


def test_a_card_without_figures_of_studies_has_no_empty_lines_in_their_place():
    card, sizes = (read_json(ASSETS / "recurrent" / "lstm-dot" / name) for name in ("card.json", "config.json"))
    del card["evaluation"]["near_duplicates"]
    text = readable_card(card, sizes, ["", ""])
    assert "sentence by sentence for beam 4.\n\n## Files\n" in text and "\n\n\n" not in text


@pytest.fixture
def folder(tmp_path):
    for name in ("card.json", "doubt.json", "english.json"):
        shutil.copy(SHIPPED / name, tmp_path)
    return tmp_path


def test_a_block_belongs_to_the_weights_or_the_tokenizer(folder):
    card = read_json(folder / "card.json")
    assert DOUBT.block(folder, card).startswith("## Doubt\n") and ENGLISH_TEXT.block(folder, card)
    assert DOUBT.block(folder, card | {"weights_sha256": "0"}) == ""
    assert ENGLISH_TEXT.block(folder, card | {"weights_sha256": "0"}) != ""
    assert ENGLISH_TEXT.block(folder, card | {"tokenizer_sha256": "0"}) == ""
    del card["tokenizer_sha256"]
    assert ENGLISH_TEXT.block(folder, card) == "" == AGREEMENT_VISION.block(folder, card)


@pytest.mark.parametrize("content", [None, "{", "[]"])
def test_a_missing_or_damaged_file_has_no_block(folder, content):
    (folder / "english.json").unlink()
    if content is not None:
        (folder / "english.json").write_text(content)
    assert ENGLISH_TEXT.block(folder, read_json(folder / "card.json")) == ""


def test_figures_of_an_earlier_version_have_no_block(folder):
    figures = json.loads((folder / "english.json").read_text())
    del figures["thresholds"]["nats"]
    (folder / "english.json").write_text(json.dumps(figures))
    assert ENGLISH_TEXT.block(folder, read_json(folder / "card.json")) == ""


def test_altered_figures_that_ship_are_reported(monkeypatch, folder):
    def altered(path, content):
        raise AlteredFileError("{file} was altered.", file=path.name)

    monkeypatch.setattr("model.runtime.checkpoint.check_shipped", altered)
    with pytest.raises(AlteredFileError, match=r"english\.json was altered"):
        ENGLISH_TEXT.block(folder, {"tokenizer_sha256": "0"})
