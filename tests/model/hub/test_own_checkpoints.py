"""Our own networks as checkpoints are written, or refused in one sentence where that is not possible."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from model.export.whole_folder import whole_folder
from model.hub import own_checkpoints
from model.hub.errors import OpenError
from model.runtime.checkpoint import CheckpointError, write_error, write_json

FULL = (
    "This checkpoint cannot be written to the temporary folder of this machine (No space left on device); make room "
    "there."
)


def test_a_checkpoint_is_written_into_a_folder_of_its_name(monkeypatch, tmp_path):
    def write(folder):
        write_json(folder / "config.json", {})

    monkeypatch.setattr(own_checkpoints, "EXPORTS", {"atlas-translator": write})
    for _ in range(2):  # the second time over what is left of the first
        folder = own_checkpoints.export_own("atlas-translator", tmp_path)
        assert folder == tmp_path / "atlas-translator" and [file.name for file in folder.iterdir()] == ["config.json"]
        (folder / "config.json").rename(folder / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["atlas-translator"]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (CheckpointError("{name} is damaged.", name="a.safetensors"), "a.safetensors is damaged."),
        (OSError(28, "No space left on device", "/srv/atlas/tmp/x"), FULL),
        (write_error(Path("/srv/atlas/tmp/x"), OSError(28, "No space left on device", "/srv/atlas/tmp/x")), FULL),
        (OSError("no number"), FULL.replace("No space left on device", "no reason is known")),
    ],
)
def test_what_cannot_be_written_is_one_sentence_without_a_path(monkeypatch, tmp_path, error, sentence):
    def fail(folder):
        with whole_folder(folder):
            write_json(folder / "config.json", {})
            raise error from OSError(28, "No space left on device", "/srv/atlas/tmp/x")

    monkeypatch.setattr(own_checkpoints, "EXPORTS", {"atlas-vit": fail})
    with pytest.raises(OpenError) as caught:
        own_checkpoints.export_own("atlas-vit", tmp_path)
    assert str(caught.value) == sentence
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", own_checkpoints.EXPORTS)
def test_a_full_disk_leaves_nothing(monkeypatch, tmp_path, name):
    """Whatever of the checkpoint was written before the disk was full."""
    written, replace = [], os.replace

    def fail_at_the_second(source, target):
        written.append(Path(target).name)
        if len(written) == 2:
            raise OSError(28, "No space left on device", str(target))
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail_at_the_second)
    with pytest.raises(OpenError) as caught:
        own_checkpoints.export_own(name, tmp_path)
    assert str(caught.value) == FULL and len(written) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_there_stays_when_an_export_fails(tmp_path):
    (tmp_path / "own").touch()
    with pytest.raises(ValueError), whole_folder(tmp_path):
        raise ValueError
    assert (tmp_path / "own").exists()


def test_a_folder_that_may_not_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OpenError, match=r"temporary folder of this machine \(Not a directory\); make room there"):
        own_checkpoints.export_own("atlas-vit", tmp_path / "file")
