"""A study is read if it belongs to the weights in use; otherwise one sentence states how to measure it again."""

from __future__ import annotations

import pytest

from model.runtime.checkpoint import CheckpointError, read_measured, write_json


def read(folder, weights):
    return read_measured(folder, "study.json", weights, "study", lambda content: content["found"]["mean"])


@pytest.mark.parametrize("weights", ["abc", {"one": "abc", "other": "def"}, ["abc", "def"]])
def test_a_study_of_these_weights(tmp_path, weights):
    write_json(tmp_path / "study.json", {"weights_sha256": weights, "found": {"mean": 3}})
    assert read(tmp_path, weights) == 3
    with pytest.raises(CheckpointError, match="study.json in .* belongs to other weights; run `make study`"):
        read(tmp_path, "else")


def test_no_study(tmp_path):
    with pytest.raises(CheckpointError, match="There is no study.json in .*; run `make study` to measure it"):
        read(tmp_path, "abc")


@pytest.mark.parametrize("content", [{}, {"weights_sha256": "abc"}, {"weights_sha256": "abc", "found": 3}])
def test_a_damaged_study(tmp_path, content):
    write_json(tmp_path / "study.json", content)
    with pytest.raises(CheckpointError, match="is damaged; run `make study` to measure it again"):
        read(tmp_path, "abc")
