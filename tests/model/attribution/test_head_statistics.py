"""The statistics next to the weights: written, read, and refused for other weights."""

import json

import numpy as np
import pytest

from model.attribution.head_statistics import (
    FILE,
    HeadStatistics,
    KindStatistics,
    Spread,
    load_statistics,
    picture_measures,
    text_measures,
)
from model.runtime.checkpoint import CheckpointError, write_json
from model.tracing.kinds import CROSS, DECODER, ENCODER


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


def heads(*maps: np.ndarray) -> np.ndarray:
    """One layer with these heads."""
    return np.stack(maps)[None].astype(np.float32)


def test_a_head_that_attends_two_tokens_back_and_one_that_attends_everywhere():
    back = np.eye(4)[[2, 3, 0, 1]]
    result = text_measures(heads(back, np.full((4, 4), 0.25)), ENCODER)
    np.testing.assert_allclose(result["distance"], [[2, 1.25]])  # (6 + 4 + 4 + 6) / 16
    np.testing.assert_allclose(result["entropy"], [[0, np.log(4)]])


def test_a_query_with_one_key_does_not_count():
    uniform = np.tril(np.ones((3, 3))) / np.arange(1, 4)[:, None]
    result = text_measures(heads(uniform), DECODER)
    assert result["entropy"][0, 0] == pytest.approx((np.log(2) + np.log(3)) / 2)
    assert result["distance"][0, 0] == pytest.approx((0.5 + 1) / 2)
    assert text_measures(heads(np.ones((1, 1))), DECODER) == {}
    assert text_measures(heads(np.ones((3, 1))), CROSS) == {}


def test_the_distance_ignores_the_share_of_a_sink():
    assert text_measures(heads(np.eye(3)[[1, 2, 1]] * 0.25), ENCODER)["distance"][0, 0] == pytest.approx(1)


@pytest.mark.parametrize("leading", [0, 1])
def test_a_picture_is_measured_in_pixels_with_cls_and_without(leading):
    opposite = np.eye(4)[::-1]  # of 2 x 2 patches
    weights = np.zeros((4 + leading, 4 + leading))
    weights[leading:, leading:] = opposite
    result = picture_measures(heads(weights), (2, 2), 8)
    assert result["distance"][0, 0] == pytest.approx(8 * np.sqrt(2))
    assert result["entropy"][0, 0] == 0
