"""Traces in a file and in a line."""

import numpy as np
import pytest

from model import ConvolutionClassifier, VisionClassifier
from tests.model.hub.conftest import PICTURE, given, opened  # noqa: F401


def test_every_kind_comes_back_from_the_file_with_its_tokens(trace, tmp_path):
    trace.to_npz(tmp_path / "trace.npz")
    found = np.load(tmp_path / "trace.npz")
    assert len(found) == 1 + 4 * 3
    np.testing.assert_array_equal(found["logits"], trace.logits)
    for kind in ("encoder", "decoder", "cross"):
        np.testing.assert_array_equal(found[kind], trace.attention(kind))
        assert (tuple(found[f"{kind}_queries"]), tuple(found[f"{kind}_keys"])) == trace.axes(kind)
        assert found[f"{kind}_layers"].tolist() == list(range(1, 1 + len(trace.attention(kind))))


def test_a_trace_says_in_a_line_what_it_holds(trace):
    said = repr(trace)
    assert said.startswith("<Trace of ") and "\n" not in said and len(said) < 300
    assert "cross " + " x ".join(map(str, trace.cross_attention.shape)) in said


@pytest.mark.parametrize("name", ["gpt2", "bart", "vit"])
def test_an_opened_models_trace_too(opened, name, tmp_path):  # noqa: F811
    model = opened(name)
    trace = model.trace(given(model), keep=1)
    assert repr(trace).startswith("<HubTrace of ") and len(repr(trace)) < 300
    trace.to_npz(tmp_path / "trace.npz")
    kind = model.kinds[-1].name
    found = np.load(tmp_path / "trace.npz")
    assert found[f"{kind}_layers"].tolist() == [2]
    np.testing.assert_array_equal(found[kind], trace.attention(kind))


def test_traces_of_pictures_name_the_answer(tmp_path):
    seen = VisionClassifier.load(device="cpu").trace(PICTURE)
    assert repr(seen.classes[seen.answer]) in repr(seen) and "vision " in repr(seen)
    other = ConvolutionClassifier.load(device="cpu").trace(PICTURE)
    assert "no attention" in repr(other)
    other.to_npz(tmp_path / "maps.npz")
    assert list(np.load(tmp_path / "maps.npz")) == ["logits"]
