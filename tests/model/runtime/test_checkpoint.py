import hashlib
import shutil

import pytest
import torch

from model.attribution.agreement import read_measured_agreement
from model.attribution.head_statistics import load_statistics
from model.runtime.checkpoint import (
    NAME,
    PROJECT,
    AlteredFileError,
    CheckpointError,
    check_shipped,
    display_path,
    load_tensors,
    load_weights,
    manifest_content,
    read_json,
    read_text,
    recorded_sha256,
    save_tensors,
    sha256_of,
    write_atomically,
    write_json,
)
from model.runtime.training_record import training_curves
from model.text.english import EnglishStatistics
from model.text.tokenizer import Tokenizer
from model.text.word_alignment import AlignmentTable
from views.shipped_files import ShippedFileError, is_intact, read_shipped

TENSORS = {"a": torch.arange(6.0).view(2, 3), "b": torch.tensor([1, 2])}


def test_tensors_and_metadata_come_back_as_written(tmp_path):
    save_tensors(tmp_path / "x.safetensors", TENSORS, {"epoch": "3"})
    tensors, metadata = load_tensors(tmp_path / "x.safetensors", sha256_of(tmp_path / "x.safetensors"))
    assert metadata == {"epoch": "3"}
    assert tensors.keys() == TENSORS.keys()
    assert all(torch.equal(tensors[name], TENSORS[name]) for name in TENSORS)


def test_a_single_flipped_bit_is_detected(tmp_path):
    path = tmp_path / "x.safetensors"
    save_tensors(path, TENSORS)
    expected = sha256_of(path)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"x\.safetensors.*does not match its recorded SHA-256; restore it"):
        load_tensors(path, expected)


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 200])
def test_a_damaged_file_gives_one_sentence(tmp_path, content):
    (tmp_path / "x.safetensors").write_bytes(content)
    with pytest.raises(CheckpointError, match="is damaged; restore it"):
        load_tensors(tmp_path / "x.safetensors")


def test_a_truncated_file_gives_one_sentence(tmp_path):
    path = tmp_path / "x.safetensors"
    save_tensors(path, TENSORS)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(CheckpointError, match="is damaged; restore it"):
        load_tensors(path)


def test_a_missing_file_gives_one_sentence(tmp_path):
    with pytest.raises(CheckpointError, match="x.safetensors is missing"):
        load_tensors(tmp_path / "x.safetensors")


@pytest.mark.parametrize("content", ["", "{", "[1]", "\x00"])
def test_json_that_is_no_object_gives_one_sentence(tmp_path, content):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(CheckpointError, match=r"x\.json.*is damaged"):
        read_json(tmp_path / "x.json")


def test_weights_of_other_sizes_are_refused():
    with pytest.raises(CheckpointError, match="do not fit the sizes"):
        load_weights(torch.nn.Linear(2, 3), {"weight": torch.zeros(3, 3), "bias": torch.zeros(3)}, "here")
    with pytest.raises(CheckpointError, match="do not fit the sizes"):
        load_weights(torch.nn.Linear(2, 3), {"weight": torch.zeros(3, 2)}, "here")


def test_a_message_names_a_file_relative_to_the_project():
    assert display_path(PROJECT / "assets" / "translator") == "assets/translator"
    assert display_path("elsewhere/model") == "elsewhere/model"


def test_a_message_names_a_file_outside_the_project_without_the_folders_above_it(tmp_path):
    assert display_path("/srv/operator/models/own") == "own"
    for read in (read_json, load_tensors):
        with pytest.raises(CheckpointError) as caught:
            read(tmp_path / "x.json")
        assert f"missing from {tmp_path.name};" in str(caught.value) and str(tmp_path.parent) not in str(caught.value)


def test_a_message_names_a_shipped_folder():
    with pytest.raises(CheckpointError, match=r"^none\.json is missing from assets/translator; restore it"):
        read_json(PROJECT / "assets/translator/none.json")


FOLDER = PROJECT / "assets" / "translator"
FILES = sorted(
    path.name for path in FOLDER.iterdir() if path.is_file() and path.name not in ("model.safetensors", "config.json")
)
SENTENCE = "does not match its recorded SHA-256; restore it with `git checkout -- assets`"


@pytest.fixture
def folder(tmp_path):
    """A copy of the translator's files, without the weights, and their manifest."""
    copy = tmp_path / "translator"
    copy.mkdir()
    for name in FILES:
        shutil.copy(FOLDER / name, copy / name)
    hashes = {f"translator/{name}": hashlib.sha256((copy / name).read_bytes()).hexdigest() for name in FILES}
    (tmp_path / NAME).write_bytes(manifest_content(hashes))
    return copy


def flip(path, place):
    """Flip one bit."""
    content = bytearray(path.read_bytes())
    content[int(place * (len(content) - 1))] ^= 4
    path.write_bytes(bytes(content))


READERS = {
    "english.safetensors": lambda folder: EnglishStatistics.load(folder, ""),
    "alignment.safetensors": lambda folder: AlignmentTable.load(folder, ""),
    "tokenizer.model": lambda folder: Tokenizer(folder / "tokenizer.model"),
    "metrics.jsonl": training_curves,
    "agreement.json": lambda folder: read_measured_agreement("", folder),
    "heads.json": lambda folder: load_statistics(folder, ""),
}
READERS |= {
    name: lambda folder, name=name: read_json(folder / name)
    for name in FILES
    if name.endswith(".json") and name not in READERS
}


@pytest.mark.parametrize("place", [0, 0.31, 0.77, 1])
@pytest.mark.parametrize("name", READERS)
def test_a_flipped_bit_is_refused_in_one_sentence(folder, name, place):
    flip(folder / name, place)
    with pytest.raises(AlteredFileError) as error:
        READERS[name](folder)
    assert f"{name} in {folder.name}" in str(error.value) and SENTENCE in str(error.value)


def test_an_altered_card_for_people_is_replaced_by_the_sentence(folder):
    flip(folder / "card.md", 0.5)
    assert SENTENCE in read_text(folder / "card.md")


def test_intact_files_are_read(folder):
    for name in FILES:
        check_shipped(folder / name)
        assert read_shipped(folder / name) == (folder / name).read_bytes()
    assert not [name for name in FILES if not is_intact(folder / name)]


@pytest.mark.parametrize("name", FILES)
def test_both_layers_refuse_the_same(folder, name):
    flip(folder / name, 0.5)
    with pytest.raises(CheckpointError):
        check_shipped(folder / name)
    with pytest.raises(ShippedFileError):
        read_shipped(folder / name)
    assert not is_intact(folder / name)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"sha256": 1}', b'{"sha256": {"a": 1}}', b"\xff"])
def test_a_damaged_manifest_is_reported(folder, content):
    (folder.parent / NAME).write_bytes(content)
    with pytest.raises(CheckpointError, match=f"{NAME} in .* is damaged"):
        read_json(folder / "heads.json")


def test_files_of_ones_own_are_not_verified(folder, tmp_path):
    write_json(folder / "own.json", {"a": 1})
    assert read_json(folder / "own.json") == {"a": 1} and recorded_sha256(folder / "own.json") is None
    (tmp_path / NAME).unlink()
    flip(folder / "metrics.jsonl", 0.5)
    check_shipped(folder / "metrics.jsonl")


def test_what_a_study_writes_anew_is_recorded(folder):
    write_json(folder / "heads.json", {"a": 2})
    assert read_json(folder / "heads.json") == {"a": 2}
    assert read_json(folder / "english.json")  # the other hashes are still there
    flip(folder / "heads.json", 0.2)
    with pytest.raises(AlteredFileError):
        read_json(folder / "heads.json")


def test_a_manifest_that_is_replaced_is_read_anew(folder):
    read_json(folder / "heads.json")
    write_atomically(folder.parent / NAME, manifest_content({"translator/heads.json": "0" * 64}))
    with pytest.raises(AlteredFileError):
        read_json(folder / "heads.json")


def test_tensors_of_a_shipped_file_need_no_second_hash(folder):
    flip(folder / "english.safetensors", 0.9)
    with pytest.raises(AlteredFileError):
        load_tensors(folder / "english.safetensors")
