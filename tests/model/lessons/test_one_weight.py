"""One weight recomputed: a worked example by hand, and every weight of a tiny network."""

import math

import numpy as np
import pytest

from model.lessons.one_weight import recompute_weight
from model.tracing.trace import AttentionRecord
from tests.model.traces import traced_network


def worked() -> AttentionRecord:
    """One head, two queries, two keys, d_k 4: q = (1, 2, 0, -1), k1 = (2, 1, 5, 0), k2 = (0, 0, 1, 4)."""
    queries = np.array([[[[1, 2, 0, -1], [0, 0, 0, 0]]]], dtype=np.float32)
    keys = np.array([[[[2, 1, 5, 0], [0, 0, 1, 4]]]], dtype=np.float32)
    scores = np.array([[[[2, -2], [0, 0]]]], dtype=np.float32)
    first = 1 / (1 + math.exp(-4))
    weights = np.array([[[[first, 1 - first], [0.5, 0.5]]]], dtype=np.float32)
    return AttentionRecord(queries, keys, keys, scores, weights, queries, None)


def test_the_worked_example():
    one = recompute_weight(worked(), 0, 0, 0, 0)
    assert one.products.tolist() == [2, 2, 0, 0]
    assert (one.product, one.score, one.d_k) == (4, 2, 4)
    assert one.scores.tolist() == [2, -2]
    assert one.exponentials.tolist() == pytest.approx([1, math.exp(-4)], rel=1e-12)
    assert one.weight == pytest.approx(1 / (1 + math.exp(-4)), rel=1e-12)
    assert one.difference < 1e-7 and not one.masked


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_every_weight_of_a_network_is_recomputed(kind, tokenizer):
    record = traced_network(tokenizer)[1].records[kind]
    for place in np.ndindex(record.weights.shape):
        one = recompute_weight(record, *place)
        assert one.difference < 1e-5
        assert one.weight == pytest.approx(float(record.weights[place]), abs=1e-6)
        assert one.products.sum() == pytest.approx(one.product, rel=1e-12)
        assert one.masked == (kind == "decoder" and place[3] > place[2])
        if not one.masked:
            assert one.scores[place[3]] == pytest.approx(one.score, abs=1e-9)


@pytest.mark.parametrize("place", [(1, 0, 0, 0), (0, 0, 2, 0), (0, 0, 0, -1)])
def test_missing_indices_are_named(place):
    with pytest.raises(IndexError, match="does not exist; there are"):
        recompute_weight(worked(), *place)
