"""Our own networks as checkpoints are written, or refused in one sentence where that is not possible."""

from __future__ import annotations

import pytest

from model.hub import own_checkpoints
from model.hub.errors import OpenError
from model.runtime.checkpoint import CheckpointError


def test_a_checkpoint_is_written_into_a_folder_of_its_name(monkeypatch, tmp_path):
    write = lambda folder: (folder / "config.json").write_text("{}")  # noqa: E731
    monkeypatch.setattr(own_checkpoints, "EXPORTS", {"atlas-translator": write})
    folder = own_checkpoints.export_own("atlas-translator", tmp_path)
    assert folder == tmp_path / "atlas-translator" and (folder / "config.json").is_file()


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (CheckpointError("{name} is damaged.", name="a.safetensors"), "a.safetensors is damaged."),
        (OSError(28, "No space left on device"), "make room there"),
    ],
)
def test_what_cannot_be_written_is_one_sentence(monkeypatch, tmp_path, error, sentence):
    def fail(folder):
        raise error

    monkeypatch.setattr(own_checkpoints, "EXPORTS", {"atlas-vit": fail})
    with pytest.raises(OpenError, match=sentence):
        own_checkpoints.export_own("atlas-vit", tmp_path)


def test_no_place_for_temporary_files_is_one_sentence(tmp_path):
    with pytest.raises(OpenError, match="make room there"):
        own_checkpoints.export_own("atlas-vit", tmp_path / "missing")
