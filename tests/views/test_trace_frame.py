"""All weights of a trace as a pandas frame."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from views import result_frame
from views.trace_frame import frame

RNG = np.random.default_rng(0)


@dataclass
class Traced:
    """The attributes of a trace that `frame` uses."""

    records: dict

    def axes(self, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        queries, keys = self.records[kind].weights.shape[2:]
        return tuple("abcdef"[:queries]), tuple("uvwxyz"[:keys])


TRACE = Traced(
    {
        "encoder": SimpleNamespace(weights=RNG.random((2, 3, 4, 4), dtype=np.float32)),
        "cross": SimpleNamespace(weights=RNG.random((1, 3, 2, 4)).astype(np.float16), layers=(5,)),
    }
)


def test_what_is_no_result_is_named():
    with pytest.raises(ValueError, match=r"Give a trace, or what a causal method .* not dict\."):
        result_frame.frame({"cross": np.zeros((1, 1))})


def test_one_row_per_weight():
    table = frame(TRACE)
    assert list(table) == ["kind", "layer", "head", "query", "key", "query_token", "key_token", "weight", "chosen"]
    assert len(table) == 2 * 3 * 4 * 4 + 1 * 3 * 2 * 4
    for row in table.sample(20, random_state=1).itertuples():
        layer = row.layer - (5 if row.kind == "cross" else 0)
        assert row.weight == TRACE.records[row.kind].weights[layer, row.head, row.query, row.key]
        queries, keys = TRACE.axes(row.kind)
        assert (row.query_token, row.key_token) == (queries[row.query], keys[row.key])
    assert set(table.chosen) == {""}  # nothing chose
    assert set(table.layer[table.kind == "cross"]) == {5}
    total = table[table.kind == "encoder"].groupby(["layer", "head", "query"]).weight.sum()
    np.testing.assert_allclose(total.to_numpy().reshape(2, 3, 4), TRACE.records["encoder"].weights.sum(-1), rtol=1e-6)


def test_one_kind_and_an_unknown_kind():
    assert set(frame(TRACE, "cross").kind) == {"cross"}
    with pytest.raises(ValueError, match="no attention 'vision'; it has encoder, cross"):
        frame(TRACE, ["vision"])
