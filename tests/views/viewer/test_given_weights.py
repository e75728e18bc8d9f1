"""Attention in the forms that libraries return: which are accepted, and the error messages for others."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import BertConfig, BertModel, DynamicCache

from views.viewer.given_weights import GivenWeightsError, check_tokens, group_by_heads, is_causal, to_layers


def weights(*shape: int) -> np.ndarray:
    """Rows that sum to 1."""
    rows = np.random.default_rng(len(shape)).random(shape)
    return (rows / rows.sum(axis=-1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("shape", [(5, 7), (4, 5, 7), (2, 4, 5, 7), (2, 1, 4, 5, 7)])
@pytest.mark.parametrize("form", [np.asarray, torch.from_numpy, lambda array: torch.from_numpy(array).bfloat16()])
def test_one_array_of_any_library(shape: tuple[int, ...], form):
    array = weights(*shape)
    layers = to_layers(form(array))
    expected = array.reshape(-1, *((1, 5, 7) if len(shape) == 2 else (4, 5, 7)))
    assert all(layer.dtype == np.float32 for layer in layers)
    np.testing.assert_allclose(np.stack(layers), expected, atol=0.01 if "bfloat16" in str(form(array).dtype) else 0)


@pytest.mark.parametrize("batch", [(), (1,)])
def test_a_tuple_of_layers_that_differ_in_their_heads(batch: tuple[int, ...]):
    attentions = tuple(torch.from_numpy(weights(*batch, heads, 6, 6)) for heads in (4, 2, 2, 4))
    layers = to_layers(attentions)
    assert [layer.shape for layer in layers] == [(4, 6, 6), (2, 6, 6), (2, 6, 6), (4, 6, 6)]
    runs = group_by_heads(layers)
    assert [(first, run.shape) for first, run in runs] == [(0, (1, 4, 6, 6)), (1, (2, 2, 6, 6)), (3, (1, 4, 6, 6))]
    np.testing.assert_array_equal(runs[1][1][1], attentions[2].reshape(2, 6, 6))


def padded(layer: np.ndarray, rows: list[int]) -> np.ndarray:
    """The weights of a layer `(head, query, key)` with some queries NaN, as a softmax over masked keys only gives."""
    layer[:, rows] = np.nan
    return layer


REFUSED = {
    "There are no layers": (),
    "Layer 2 holds no weights": (weights(2, 3, 3), None),
    "Layer 1 is itself a list": ((weights(2, 3, 3),),),
    "Layer 1 holds a batch of 3 inputs": (weights(3, 2, 4, 4),),
    "Layer 1 has shape (4, 4)": (weights(4, 4),),
    "holds a batch of 2 inputs": weights(3, 2, 2, 4, 4),
    "The attention has shape (4,)": weights(4),
    "there is nothing to show": np.zeros((2, 2, 0, 0)),
    "The layers differ in their queries and keys (3 x 3, 4 x 4)": (weights(2, 3, 3), weights(2, 4, 4)),
    "This is a text, not attention; give the weights first: show(outputs.attentions, tokens)": "attention",
    "not finite": np.full((1, 1, 2, 2), np.nan),
    "NaN in row 2, as rows of padding": padded(weights(2, 3, 3), rows=[2]),
    "NaN in 2 rows (the first is row 1), as rows of padding": (weights(1, 4, 4), padded(weights(2, 4, 4), rows=[1, 3])),
    "Layer 1 is itself a list, as in the output of `generate`": (
        (weights(2, 1, 4, 4), weights(2, 1, 4, 4)),
        (weights(2, 1, 1, 5), weights(2, 1, 1, 5)),
    ),
    "from -1 to 3": np.array([[-1.0, 3.0], [0.5, 0.5]]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_no_attention_raises_an_error_of_one_sentence(message: str):
    with pytest.raises(GivenWeightsError, match=re.escape(message)) as error:
        to_layers(REFUSED[message])
    assert str(error.value).endswith(".") and "\n" not in str(error.value)


EVEN = weights(2, 4, 4)


def of_bert(**outputs: bool):
    """The output of a model on three tokens."""
    config = BertConfig(hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=8, vocab_size=9)
    return BertModel(config)(torch.tensor([[1, 2, 3]]), **outputs)


OTHERS = {
    "hidden states": (
        lambda: of_bert(output_hidden_states=True).hidden_states,
        "Layer 1 has shape (1, 3, 8) and numbers",
    ),
    "last hidden state": (lambda: of_bert().last_hidden_state, "The array has shape (1, 3, 8) and numbers that are no"),
    "logits of one text": (lambda: torch.randn(1, 4, 50, generator=torch.Generator().manual_seed(1)), "(1, 4, 50)"),
    "square hidden states": (lambda: (torch.full((1, 4, 4), -2.0),), "no scores, logits or hidden states"),
    "None": (lambda: None, "The attention is None"),
    "layers that are None, as SDPA returns": (lambda: (None, None), "attn_implementation='eager'"),
    "an output without attentions": (of_bert, "without its attentions"),
    "a cache": (lambda: DynamicCache(), "The attention is a DynamicCache"),
    "a model": (lambda: torch.nn.Linear(2, 2), "This Linear is a model"),
    "a class": (lambda: BertModel, "This is the class BertModel"),
    "a configuration": (lambda: BertConfig(), "The attention is a BertConfig"),
    "a function": (lambda: of_bert, "The attention is a function"),
    "bytes": (lambda: b"x", "This is a text"),
    "tokens": (lambda: ["the", "fox"], "These are texts, not attention"),
    "a path": (lambda: Path("weights.npz"), "This is the path of a file"),
    "ids of tokens": (lambda: torch.tensor([[2, 87, 305]]), "whole numbers up to 305, as ids of tokens"),
    "ids as an array": (lambda: np.array([[7, 8], [9, 2]], np.uint8), "whole numbers up to 9"),
    "a number": (lambda: 0.5, "This is a single number"),
    "a column of a table": (lambda: pd.Series([0.5, 0.5]), "The attention has shape (2,)"),
    "six dimensions": (lambda: EVEN[None, None, None], "The attention has shape (1, 1, 1, 2, 4, 4)"),
    "scores below 0": (lambda: -EVEN, "from -0."),
    "infinite": (lambda: np.full((2, 2), np.inf), "not finite"),
    "complex": (lambda: EVEN.astype(complex), "a ndarray of complex128"),
    "complex tensor": (lambda: torch.from_numpy(EVEN).to(torch.complex64), "a Tensor of torch.complex64"),
    "objects": (lambda: np.array([EVEN, None], dtype=object), "a ndarray of object"),
    "texts as an array": (lambda: np.array([["a", "b"], ["c", "d"]]), "a ndarray of <U1"),
    "dates": (lambda: np.array([["2020-01-01"]], dtype="datetime64[D]"), "datetime64"),
    "masked": (lambda: np.ma.masked_array(EVEN, mask=EVEN > 0.2), "a masked array; say what the masked weights are"),
    "a dictionary of layers": (lambda: {0: EVEN, 1: EVEN}, "A dict is no attention"),
    "a set": (lambda: {1, 2}, "The attention is a set"),
    "a generator": (lambda: (layer for layer in [EVEN]), "which can be read only once; give a list"),
    "a map": (lambda: map(abs, [EVEN]), "This is a map"),
    "without content": (lambda: torch.empty(2, 4, 4, device="meta"), "without content, on the device meta"),
    "rows of other lengths": (lambda: [[0.5, 0.5], [1.0]], "The attention is a list"),
    "a hidden state among layers": (lambda: (EVEN, torch.randn(1, 4, 8)), "Layer 2 has shape (1, 4, 8)"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_was_given_is_named_and_what_to_pass(name):
    make, part = OTHERS[name]
    with pytest.raises(GivenWeightsError) as error:
        to_layers(make())
    assert part in str(error.value) and str(error.value).endswith(".") and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "convert",
    [
        np.ndarray.tolist,
        lambda array: tuple(map(tuple, array.tolist()[0])),
        lambda array: torch.from_numpy(array).to_sparse(),
        lambda array: torch.from_numpy(array).requires_grad_(),
        lambda array: np.ma.masked_array(array),
        lambda array: pd.DataFrame(array[0]),
        lambda array: [torch.from_numpy(array)],
    ],
)
def test_weights_in_unusual_containers_are_read(convert):
    (layer,) = to_layers(convert(EVEN))
    np.testing.assert_array_equal(layer, EVEN[: len(layer)])


def test_rounded_and_boolean_weights_are_read():
    rounded = torch.quantize_per_tensor(torch.from_numpy(EVEN), 1 / 255, 0, torch.quint8)
    np.testing.assert_allclose(to_layers(rounded)[0], EVEN, atol=1 / 255)
    for ones in (np.eye(3, dtype=bool), np.eye(3, dtype=int), torch.eye(3, dtype=torch.long)):
        np.testing.assert_array_equal(to_layers(ones)[0][0], np.eye(3))


@pytest.mark.parametrize("tokens", ["the cat", ["the", 7], ["the"], 3])
def test_tokens_that_do_not_fit_raise_an_error(tokens):
    with pytest.raises(GivenWeightsError, match="query tokens"):
        check_tokens(tokens, 2, "query")
    assert check_tokens(np.array(["the", "cat"]), 2, "query") == ("the", "cat")


def test_a_causal_mask_is_recognized():
    causal = np.tril(weights(2, 3, 4, 4))
    assert is_causal(list(causal)) and not is_causal(list(weights(2, 3, 4, 4))) and not is_causal([weights(1, 1, 1)])
