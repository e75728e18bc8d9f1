"""Attention weights that a user gives, in any of the forms that libraries return, as one array for each layer."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from numbers import Number
from os import PathLike
from typing import Any

import numpy as np

NAMES = ("attentions", "decoder_attentions", "encoder_attentions", "cross_attentions")  # of an output's weights
OUTPUTS = ("logits", "last_hidden_state", "hidden_states", "pooler_output", "loss", "encoder_last_hidden_state")
HOW_TO_GET = (
    "run the model with output_attentions=True, loaded with attn_implementation='eager', and give outputs.attentions"
)
TOLERANCE = 0.01  # by which rounding to half precision may put a weight above 1


class GivenWeightsError(ValueError):
    """The arguments cannot be shown; the message states in one sentence why and what to pass."""


def to_layers(attention: object) -> list[np.ndarray]:
    """Every layer's weights.

    Args:
        attention: an array or tensor `(query, key)`, `(head, query, key)`, `(layer, head, query, key)` or
            `(layer, 1, head, query, key)`, of NumPy, torch or anything that NumPy can read; or a list or tuple of
            layers, each `(head, query, key)` or `(1, head, query, key)`, as returned by `output_attentions=True`.

    Returns:
        One array `(head, query, key)` float32 a layer; layers may differ in their number of heads.

    Raises:
        GivenWeightsError: another shape, a batch of more than one input, layers with different numbers of tokens, or
            numbers that are not attention weights.
    """
    _refuse_other_objects(attention)
    if isinstance(attention, tuple | list) and not _are_nested_numbers(attention):
        if not attention:
            raise GivenWeightsError("There are no layers in the attention; give the weights of at least one.")
        layers = [_one_layer(layer, number) for number, layer in enumerate(attention, 1)]
    else:
        layers = _split_layers(_to_array(attention, "the attention"))
    sides = {layer.shape[1:] for layer in layers}
    if len(sides) > 1:
        sizes = ", ".join(f"{q} x {k}" for q, k in sorted(sides))
        raise GivenWeightsError(
            f"The layers differ in their queries and keys ({sizes}); show those of one size together."
        )
    for number, layer in enumerate(layers, 1):
        _check_weights(layer, number)
    return layers


def _refuse_other_objects(given: Any) -> None:
    """Refuse what is no array nor list of arrays, naming what it is and what to pass.

    Raises:
        GivenWeightsError: None, the output of a model, a dictionary, a text, a model.
    """
    if given is None:
        raise GivenWeightsError(f"The attention is None: the model returned no weights; {HOW_TO_GET}.")
    if isinstance(given, str | bytes) or (isinstance(given, tuple | list) and any(isinstance(x, str) for x in given)):
        what = "This is a text" if isinstance(given, str | bytes) else "These are texts"
        raise GivenWeightsError(
            f"{what}, not attention; give the weights first: show(outputs.attentions, tokens); {HOW_TO_GET}."
        )
    if isinstance(given, type):
        raise GivenWeightsError(f"This is the class {given.__name__}, not attention; {HOW_TO_GET}.")
    if isinstance(given, PathLike):
        raise GivenWeightsError(
            "This is the path of a file, not attention; read it first, such as show(numpy.load(path), tokens)."
        )
    if isinstance(given, Iterator):
        raise GivenWeightsError(
            f"This is a {type(given).__name__}, which can be read only once; give a list of the layers: "
            "show(list(layers), tokens)."
        )
    if isinstance(given, Mapping):
        names = [name for name in NAMES if given.get(name) is not None]
        kind = type(given).__name__
        if names:
            raise GivenWeightsError(
                f"This {kind} is the output of a model; give its weights: show(outputs.{names[0]}, tokens)."
            )
        if "input_ids" in given:
            raise GivenWeightsError(f"This {kind} is the input of a model, without weights; {HOW_TO_GET}.")
        if any(name in given for name in OUTPUTS):
            raise GivenWeightsError(f"This {kind} is the output of a model without its attentions; {HOW_TO_GET}.")
        raise GivenWeightsError(
            f"A {kind} is no attention; give one array or tensor for each layer, such as outputs.attentions."
        )
    if hasattr(given, "named_parameters"):
        raise GivenWeightsError(f"This {type(given).__name__} is a model, not its attention; {HOW_TO_GET}.")


def _are_nested_numbers(given: Any) -> bool:
    """Whether lists in lists have numbers innermost, as an array has whose `tolist` was called."""
    depth = 0
    while isinstance(given, tuple | list) and given:
        given, depth = given[0], depth + 1
    return depth > 0 and isinstance(given, Number)


def _refuse_hidden_states(layer: np.ndarray, name: str) -> None:
    """Refuse hidden states and logits: `(batch, token, width)`, with numbers that are no weights."""
    is_signed = bool(np.isfinite(layer).all()) and layer.size > 0 and (layer.min() < 0 or layer.max() > 1 + TOLERANCE)
    if layer.ndim == 3 and len(layer) == 1 and is_signed and layer.shape[1] != layer.shape[2]:
        raise GivenWeightsError(
            f"{name} has shape {_format_shape(layer)} and numbers that are no weights, like hidden states or logits; "
            f"give the attention in their place: show(outputs.attentions, tokens); {HOW_TO_GET}."
        )


def _one_layer(layer: object, number: int) -> np.ndarray:
    if layer is None:
        raise GivenWeightsError(
            f"Layer {number} holds no weights; load the model with attn_implementation='eager', and leave "
            f"such layers out."
        )
    if isinstance(layer, tuple | list):
        raise GivenWeightsError(
            f"Layer {number} is itself a list, as in the output of `generate`, which has a list of layers for every "
            f"new token; run the finished text through the model once and give one array or tensor for each layer, "
            f"such as `outputs.attentions`."
        )
    array = _to_array(layer, f"layer {number}")
    if array.ndim == 4:
        if len(array) != 1:
            raise GivenWeightsError(
                f"Layer {number} holds a batch of {len(array):,} inputs; give one of them, such as "
                f"[layer[:1] for layer in attention]."
            )
        array = array[0]
    if array.ndim != 3:
        raise GivenWeightsError(
            f"Layer {number} has shape {_format_shape(array)}; it must be (heads, queries, keys), or a batch of 1 of "
            f"these, as in outputs.attentions."
        )
    _refuse_hidden_states(array, f"Layer {number}")
    return _check_not_empty(array)


def _split_layers(array: np.ndarray) -> list[np.ndarray]:
    if array.ndim == 5 and array.shape[1] == 1:
        array = array[:, 0]
    _refuse_hidden_states(array, "The array")
    if array.ndim == 0:
        raise GivenWeightsError(f"This is a single number, not attention; {HOW_TO_GET}.")
    if not 2 <= array.ndim <= 4:
        batch = array.ndim == 5
        raise GivenWeightsError(
            f"The attention holds a batch of {array.shape[1]:,} inputs; give one of them, such as attention[:, :1]."
            if batch
            else f"The attention has shape {_format_shape(array)}; it must be (layers, heads, queries, keys)."
        )
    array = array.reshape((1,) * (4 - array.ndim) + array.shape)  # (layer, head, query, key)
    return [_check_not_empty(layer) for layer in array]


def _check_not_empty(layer: np.ndarray) -> np.ndarray:
    if 0 in layer.shape:
        raise GivenWeightsError(f"A layer has shape {_format_shape(layer)}: there is nothing to show in it.")
    return layer


def _to_array(value: Any, name: str) -> np.ndarray:
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise GivenWeightsError(
            f"{name.capitalize()} is a masked array; say what the masked weights are, such as attention.filled(0)."
        )
    try:
        if hasattr(value, "detach"):  # a tensor of torch, on any device and in any precision
            value = value.detach()
            value = value.dequantize() if value.is_quantized else value
            value = value.to_dense() if "sparse" in str(value.layout) else value
            if value.is_complex():
                raise TypeError
            value = (value.float() if value.is_floating_point() else value).cpu().numpy()
        array = np.asarray(value)
        if array.dtype.kind not in "fiub":
            raise TypeError
    except (TypeError, ValueError, RuntimeError, AttributeError, NotImplementedError):
        raise GivenWeightsError(
            f"{name.capitalize()} is {_describe(value)}, which is no array of numbers; give one of NumPy or torch, or "
            "a list of layers, such as outputs.attentions."
        ) from None
    if array.dtype.kind in "iu" and array.size and array.max() > 1:
        raise GivenWeightsError(
            f"{name.capitalize()} has whole numbers up to {array.max():,}, as ids of tokens are, and no weights; "
            f"{HOW_TO_GET}."
        )
    return array.astype(np.float32)


def _describe(value: Any) -> str:
    """What a value is, with the type of its numbers where it has one."""
    dtype = getattr(value, "dtype", None)
    device = " without content, on the device meta" if getattr(value, "is_meta", False) else ""
    return f"a {type(value).__name__}" + device + (f" of {dtype}" if dtype is not None and not device else "")


def _check_weights(layer: np.ndarray, number: int) -> None:
    empty = np.isnan(layer).all(axis=(0, 2))  # queries that are padding
    if empty.any() and not empty.all() and np.isfinite(layer[:, ~empty]).all():
        raise GivenWeightsError(
            f"Layer {number} is NaN in {_format_rows(empty)}, as rows of padding are; leave padding out of tokens and "
            f"attention, such as attention[..., first:last, first:last]."
        )
    if not np.isfinite(layer).all():
        raise GivenWeightsError(
            f"Layer {number} holds numbers that are not finite; give the weights after the softmax."
        )
    if layer.min() < 0 or layer.max() > 1 + TOLERANCE:
        low, high = float(layer.min()), float(layer.max())
        raise GivenWeightsError(
            f"Layer {number} holds numbers from {low:.3g} to {high:.3g}; attention weights lie between 0 and 1, so "
            f"give them after the softmax, and no scores, logits or hidden states."
        )


def check_tokens(tokens: object, count: int, axis: str) -> tuple[str, ...]:
    """The labels of an axis, `count` of them.

    Raises:
        GivenWeightsError: they are not a list of texts, or too many or too few.
    """
    if isinstance(tokens, str | bytes) or not isinstance(tokens, Sequence | np.ndarray):
        raise GivenWeightsError(
            f"The {axis} tokens must be a list of texts, such as tokenizer.convert_ids_to_tokens(ids), not one "
            f"{type(tokens).__name__}."
        )
    no_text = next((token for token in tokens if not isinstance(token, str)), None)
    if no_text is not None:
        raise GivenWeightsError(
            f"The {axis} tokens must be texts, and {no_text!r} is none; make them with "
            f"tokenizer.convert_ids_to_tokens(ids)."
        )
    if len(tokens) != count:
        raise GivenWeightsError(
            f"There are {len(tokens):,} {axis} tokens and {count:,} {'columns' if axis == 'key' else 'rows'} in each "
            f"map; give one token for each."
        )
    return tuple(str(token) for token in tokens)


def group_by_heads(layers: Sequence[np.ndarray]) -> list[tuple[int, np.ndarray]]:
    """Runs of layers with equally many heads: number of the first layer, from 0, and `(layer, head, query, key)`."""
    groups, first = [], 0
    for _, run in groupby(layers, key=len):
        stacked = np.stack(list(run))
        groups.append((first, stacked))
        first += len(stacked)
    return groups


def is_causal(layers: Sequence[np.ndarray]) -> bool:
    """Whether every weight after the query's position is exactly 0, as with a causal mask."""
    queries, keys = layers[0].shape[1:]
    if queries != keys or queries == 1:
        return False
    above = np.triu_indices(queries, k=1)
    return not any(layer[:, above[0], above[1]].any() for layer in layers)


def _format_rows(chosen: np.ndarray) -> str:
    places = np.flatnonzero(chosen)
    return f"row {places[0]}" if len(places) == 1 else f"{len(places):,} rows (the first is row {places[0]})"


def _format_shape(array: np.ndarray) -> str:
    return "(" + ", ".join(map(str, array.shape)) + ("," if array.ndim == 1 else "") + ")"
