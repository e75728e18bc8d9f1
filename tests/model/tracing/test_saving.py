"""Traces saved to a file and described in a line."""

import numpy as np
import pytest

from model import ConvolutionClassifier, VisionClassifier
from tests.model.hub.conftest import PICTURE, example_input, opened  # noqa: F401


def test_every_kind_is_read_from_the_file_with_its_tokens(trace, tmp_path):
    trace.to_npz(tmp_path / "trace.npz")
    result = np.load(tmp_path / "trace.npz")
    assert len(result) == 1 + 4 * 3 + 2
    np.testing.assert_array_equal(result["logits"], trace.logits)
    for kind in ("encoder", "decoder", "cross"):
        np.testing.assert_array_equal(result[kind], trace.attention(kind))
        assert (tuple(result[f"{kind}_queries"]), tuple(result[f"{kind}_keys"])) == trace.axes(kind)
        assert result[f"{kind}_layers"].tolist() == list(range(len(trace.attention(kind))))
        if kind != "encoder":
            assert tuple(result[f"{kind}_chosen"]) == trace.next_tokens


def test_a_trace_has_a_one_line_description(trace):
    message = repr(trace)
    assert message.startswith("<Trace of ") and "\n" not in message and len(message) < 300
    assert "cross " + " x ".join(map(str, trace.cross_attention.shape)) in message


@pytest.mark.parametrize("name", ["gpt2", "bart", "vit"])
def test_an_opened_models_trace_is_saved_and_described(opened, name, tmp_path):  # noqa: F811
    model = opened(name)
    trace = model.trace(example_input(model), keep=1)
    assert repr(trace).startswith("<HubTrace of ") and len(repr(trace)) < 300
    trace.to_npz(tmp_path / "trace.npz")
    kind = model.kinds[-1].name
    result = np.load(tmp_path / "trace.npz")
    assert result[f"{kind}_layers"].tolist() == [1]
    np.testing.assert_array_equal(result[kind], trace.attention(kind))


def test_traces_of_pictures_name_the_predicted_class(tmp_path):
    trace = VisionClassifier.load(device="cpu").trace(PICTURE)
    assert repr(trace.classes[trace.answer]) in repr(trace) and "vision " in repr(trace)
    other = ConvolutionClassifier.load(device="cpu").trace(PICTURE)
    assert "no attention" in repr(other)
    other.to_npz(tmp_path / "maps.npz")
    assert list(np.load(tmp_path / "maps.npz")) == ["logits"]
