"""The maps that `show` displays, from a trace or from arrays of weights."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from .model.text.token_labels import read_tokens
from .views.kind_labels import ANY_ATTENTION, ANY_TOKENS, KINDS, any_model_kind
from .views.text.catalogue import Message
from .views.viewer.attention_maps import AttentionMaps, KindMaps, MapAxis, from_trace
from .views.viewer.given_weights import ShowError, check_tokens, group_by_heads, is_causal, to_layers

LAYERS = Message("show.layers", "Layers {first} to {last}")
LAYER = Message("show.layer", "Layer {first}")


def read_trace(trace: Any, kind: str | None) -> AttentionMaps:
    """All kinds of attention of a trace, or the one named `kind`.

    Raises:
        ShowError: the trace has no attention, or not this kind.
    """
    if not trace.records:
        raise ShowError(f"This {type(trace).__name__} holds no attention: its network has none.")
    names = [name for name in trace.records if kind in (None, name, name.partition("-")[0])]  # or its parts
    if not names:
        raise ShowError(f"This trace has no attention {kind!r}; choose one of {', '.join(trace.records)}.")
    ours = KINDS if hasattr(trace, "tokenizer") else {}  # of English and French
    return from_trace(trace, {name: ours.get(name) or any_model_kind(name) for name in names})


def read_weights(attention: object, tokens: Sequence[object], kind: str | None) -> AttentionMaps:
    """The attention in arrays of weights; a kind for each run of layers with equally many heads.

    Args:
        attention: see `views.viewer.given_weights.to_layers`.
        tokens: the tokens of both axes, or those of the queries and those of the keys.
        kind: "encoder", "decoder" or "cross" for their wording and colours; None for neutral ones.

    Raises:
        ShowError: see `to_layers` and `check_tokens`.
    """
    if kind is not None and kind not in KINDS:
        raise ShowError(f"There is no kind {kind!r} for given weights; choose one of {', '.join(KINDS)}, or none.")
    layers = to_layers(attention)
    queries, keys = layers[0].shape[1:]
    if not 1 <= len(tokens) <= 2:
        raise ShowError(
            "Give the tokens beside the attention: show(attention, tokens), or show(attention, query_tokens, "
            "key_tokens)."
        )
    if len(tokens) == 1 and queries != keys:
        raise ShowError(
            f"The maps have {queries} rows and {keys} columns; give two lists: show(attention, query_tokens, "
            f"key_tokens)."
        )
    sides = check_tokens(tokens[0], queries, "query"), check_tokens(tokens[-1], keys, "key")
    axes = [MapAxis(side.labels, side.special, side.words) for side in map(read_tokens, sides)]
    base = ANY_ATTENTION if kind is None else KINDS[kind]
    base = replace(base, queries=ANY_TOKENS[0], keys=ANY_TOKENS[1], causal=is_causal(layers))
    runs = group_by_heads(layers)
    maps = {}
    for first, weights in runs:
        last = first + len(weights)
        label = partial(LAYERS if len(weights) > 1 else LAYER, first=first + 1, last=last)
        of_run = base if len(runs) == 1 else replace(base, short=label, brief=label)
        maps[f"layers-{first + 1}"] = KindMaps(of_run, weights, *axes, tuple(range(first, last)))
    return AttentionMaps(maps)
