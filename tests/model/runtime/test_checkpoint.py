import pytest
import torch

from model.runtime.checkpoint import (
    PROJECT,
    CheckpointError,
    display_path,
    load_tensors,
    load_weights,
    read_json,
    save_tensors,
    sha256_of,
)

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
