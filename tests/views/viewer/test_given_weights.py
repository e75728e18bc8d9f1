"""Attention in the forms that libraries return: which are accepted, and the error messages for others."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

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


@pytest.mark.parametrize("tokens", ["the cat", ["the", 7], ["the"], 3])
def test_tokens_that_do_not_fit_raise_an_error(tokens):
    with pytest.raises(GivenWeightsError, match="query tokens"):
        check_tokens(tokens, 2, "query")
    assert check_tokens(np.array(["the", "cat"]), 2, "query") == ("the", "cat")


def test_a_causal_mask_is_recognized():
    causal = np.tril(weights(2, 3, 4, 4))
    assert is_causal(list(causal)) and not is_causal(list(weights(2, 3, 4, 4))) and not is_causal([weights(1, 1, 1)])
