"""The statistics next to the weights: written, read, and refused for other weights."""

import json

import numpy as np
import pytest

from model.attribution.head_statistics import FILE, HeadStatistics, KindStatistics, Spread, load_statistics
from model.runtime.checkpoint import CheckpointError, write_json


def example_statistics() -> HeadStatistics:
    shape = (1, 2)
    scores = {
        "previous": Spread(np.array([[0.75, 0.25]]), np.full(shape, 0.125)),
        "diffuse": Spread(np.array([[0.25, 0.875]]), np.zeros(shape)),
    }
    effect = Spread(np.array([[0.5, -0.25]]), np.full(shape, 0.0625))
    kinds = {"encoder": KindStatistics(scores, {"previous": 0.2, "diffuse": 1.0}, effect)}
    return HeadStatistics("abc", 3, "held-out sentences", kinds, {"hardware": "a machine", "linked": 0.5})


def test_written_statistics_read_back_with_their_labels(tmp_path):
    write_json(tmp_path / FILE, example_statistics().to_dict())
    result = load_statistics(tmp_path, "abc")
    assert result.to_dict() == example_statistics().to_dict()
    table = result.kinds["encoder"]
    assert (table.label(0, 0).name, table.label(0, 1).name) == ("previous", "diffuse")
    assert table.label(0, 0).score == 0.75
    np.testing.assert_array_equal(table.effect.mean, [[0.5, -0.25]])


def test_statistics_of_other_weights_are_refused_with_the_command_to_run(tmp_path):
    write_json(tmp_path / FILE, example_statistics().to_dict())
    with pytest.raises(CheckpointError, match="belongs to other weights; run `make head-statistics`"):
        load_statistics(tmp_path, "def")


def test_missing_and_damaged_statistics_are_refused(tmp_path):
    with pytest.raises(CheckpointError, match="There is no heads.json"):
        load_statistics(tmp_path, "abc")
    (tmp_path / FILE).write_text("{")
    with pytest.raises(CheckpointError, match="damaged"):
        load_statistics(tmp_path, "abc")
    content = example_statistics().to_dict()
    del content["kinds"]["encoder"]["effect"]
    (tmp_path / FILE).write_text(json.dumps(content))
    with pytest.raises(CheckpointError, match="is damaged; run"):
        load_statistics(tmp_path, "abc")
