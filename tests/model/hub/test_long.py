"""Long texts on twelve layers of twelve heads: 512 tokens stored whole, 1,024 by layer, sizes known in advance."""

from __future__ import annotations

import numpy as np
import pytest
import transformers

from model.hub import trace_limits
from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.conftest import TEXT


@pytest.fixture(scope="module")
def gpt2_sized():
    """A model with the layers and heads of the smallest GPT-2, each head two numbers wide."""
    sizes = {"vocab_size": tiny.VOCABULARY, "n_embd": 24, "n_positions": 1024, "bos_token_id": 2, "eos_token_id": 3}
    network = transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes, n_layer=12, n_head=12, n_inner=8))
    return open_model(network, reader=tiny.tokenizer())


def text_with_tokens(tokens: int) -> str:
    return "?" * (tokens - 2)


def test_512_tokens_are_stored_whole(gpt2_sized):
    text = text_with_tokens(512)
    assert gpt2_sized.count_weights(text) == (144 * 512**2, 12)
    assert (
        trace_limits.retained_sizes(*gpt2_sized.count_weights(text))["all"] == 8 * 144 * 512**2 <= trace_limits.LARGEST
    )
    trace = gpt2_sized.trace(text)
    record = trace.records["decoder"]
    assert (trace.kept, record.weights.shape, record.weights.dtype) == ("all", (12, 12, 512, 512), np.float32)
    assert record.scores is not None
    assert trace.verify().max_difference < 1e-5


@pytest.mark.nightly
def test_1024_tokens_are_stored_by_layer(gpt2_sized):
    text = text_with_tokens(1024)
    sizes = trace_limits.retained_sizes(*gpt2_sized.count_weights(text))
    assert sizes == {"all": 8 * 144 * 1024**2, "weights": 2 * 144 * 1024**2, "layer": 8 * 12 * 1024**2}
    assert sizes["all"] > trace_limits.LARGEST > sizes["weights"]
    record = gpt2_sized.trace(text, keep=5).records["decoder"]
    assert (record.layers, record.weights.shape) == ((5,), (1, 12, 1024, 1024))
    assert record.weights.dtype == np.float32


def test_sizes_of_two_texts_count_the_target(opened):
    model = opened("t5")
    source, target = len(model.trace(TEXT, target=TEXT).source.ids), len(model.trace(TEXT, target=TEXT).target.ids)
    numbers, layers = model.count_weights(TEXT, target=TEXT)
    assert layers == 2
    counted = 8 * (source**2 + (target + 1) ** 2 + (target + 1) * source)  # the target's end is not an input
    assert numbers in (counted, 8 * (source**2 + target**2 + target * source))
    assert model.count_weights(TEXT)[0] > numbers
