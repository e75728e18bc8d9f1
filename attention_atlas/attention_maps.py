"""The data that `show` displays: one kind of attention with its tokens, from a trace or from arrays of weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from .from_arrays import (
    ShowError,
    TokenLabels,
    check_tokens,
    group_by_heads,
    is_causal,
    read_tokens,
    to_layers,
)
from .model.text.words import Word, by_words, whole_words
from .model.tracing.kinds import kind_of
from .model.tracing.traced_model import AnyTrace
from .views import kind_labels, map_labels
from .views.text.catalogue import Message

SPECIAL = frozenset({"<s>", "</s>", "<pad>", "<unk>", kind_labels.CLS})
LAYERS = Message("show.layers", "Layers {first} to {last}")
LAYER = Message("show.layer", "Layer {first}")


@dataclass(frozen=True, eq=False)
class LabelledAttention:
    """One kind of attention of one input, with labels for its axes.

    Attributes:
        name: its id, unique in the view.
        kind: its wording and its colours.
        attention: `(layer, head, query, key)` float32.
        queries, keys: labels of the last two axes.
        words: whole words of the queries and of the keys; None if the tokens have no word boundaries.
        special: labels of the special tokens.
        numbers: of the layers, from 0, among all of the network.
    """

    name: str
    kind: kind_labels.Kind
    attention: np.ndarray
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    words: tuple[tuple[Word, ...], tuple[Word, ...]] | None = None
    special: frozenset[str] = SPECIAL
    numbers: tuple[int, ...] = ()

    def in_words(self) -> "LabelledAttention":
        """The attention between whole words, merged as in the app; itself if there are none."""
        if self.words is None:
            return self
        attention = np.stack([by_words(layer, *self.words).astype(np.float32) for layer in self.attention])
        queries, keys = (tuple(word.text for word in side) for side in self.words)
        return replace(self, attention=attention, queries=queries, keys=keys, words=None)

    def select_layers(self, layers: Sequence[int]) -> "LabelledAttention":
        """Only these neighbouring layers, counted from 0."""
        numbers = tuple(self.numbers[layer] for layer in layers)
        return replace(self, attention=self.attention[layers[0] : layers[-1] + 1], numbers=numbers)


def from_trace(trace: AnyTrace, kind: str | None) -> list[LabelledAttention]:
    """All kinds of attention of a trace, or the one named `kind`.

    Raises:
        ShowError: the trace has no attention, or not this kind.
    """
    if not trace.records:
        raise ShowError(f"This {type(trace).__name__} holds no attention: its network has none.")
    names = [name for name in trace.records if kind in (None, name, name.partition("-")[0])]  # or its parts
    if not names:
        raise ShowError(f"This trace has no attention {kind!r}; choose one of {', '.join(trace.records)}.")
    return [_from_record(trace, name) for name in names]


def _from_record(trace: Any, name: str) -> LabelledAttention:
    # Distinguished by attributes, not classes: in a checkout a trace may also come from the top-level `model`.
    record = trace.records[name]
    weights = record.weights.astype(np.float32, copy=False)  # (layer, head, query, key)
    numbers = tuple(getattr(record, "layers", range(len(weights))))
    queries, keys = trace.axes(name)
    if getattr(trace, "grid", None) is not None:
        patches = map_labels.patch_names(trace.grid)
        start = getattr(trace, "leading", len(queries) - len(patches))
        names = (*queries[:start], *patches, *queries[start + len(patches) :])
        return LabelledAttention(name, kind_labels.kind_named(name), weights, names, names, numbers=numbers)
    if hasattr(trace, "tokenizer"):
        ids = {"source": trace.source_ids, "target": trace.target_ids}
        query_words, key_words = (whole_words(trace.tokenizer, ids[side]) for side in _sides(name))
        words = query_words, key_words
        return LabelledAttention(name, kind_labels.KINDS[name], weights, queries, keys, words, numbers=numbers)
    sides = kind_labels.ANY_TOKENS
    kind = replace(kind_labels.kind_named(name), queries=sides[0], keys=sides[1])
    query_tokens, key_tokens = (
        trace.target if side == "target" and trace.target is not None else trace.source for side in _sides(name)
    )
    labels = (*query_tokens.labels, *key_tokens.labels)
    is_special = (*query_tokens.special, *key_tokens.special)
    special = frozenset(label for label, mark in zip(labels, is_special, strict=True) if mark)
    either = query_tokens.words or key_tokens.words
    grouped = (query_tokens.whole_words(), key_tokens.whole_words()) if either else None
    return LabelledAttention(name, kind, weights, queries, keys, grouped, special, numbers)


def _sides(kind: str) -> tuple[str, str]:
    return kind_of(kind).queries, kind_of(kind).keys


def from_weights(attention: object, tokens: Sequence[object], kind: str | None) -> list[LabelledAttention]:
    """The attention in arrays of weights; one item for each run of layers with equally many heads.

    Args:
        attention: see `attention_atlas.from_arrays.to_layers`.
        tokens: the tokens of both axes, or those of the queries and those of the keys.
        kind: "encoder", "decoder" or "cross" for their wording and colours; None for neutral ones.

    Raises:
        ShowError: see `to_layers` and `check_tokens`.
    """
    if kind is not None and kind not in kind_labels.KINDS:
        raise ShowError(
            f"There is no kind {kind!r} for given weights; choose one of {', '.join(kind_labels.KINDS)}, or none."
        )
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
    query_tokens, key_tokens = check_tokens(tokens[0], queries, "query"), check_tokens(tokens[-1], keys, "key")
    query_side, key_side = read_tokens(query_tokens), read_tokens(key_tokens)
    words = None
    if query_side.words or key_side.words:
        words = _words_or_tokens(query_side), _words_or_tokens(key_side)

    base = kind_labels.ANY_ATTENTION if kind is None else kind_labels.KINDS[kind]
    base = replace(base, queries=kind_labels.ANY_TOKENS[0], keys=kind_labels.ANY_TOKENS[1], causal=is_causal(layers))
    runs = group_by_heads(layers)
    special = query_side.special | key_side.special
    result = []
    for first, stacked in runs:
        last = first + len(stacked)
        label = partial(LAYERS if len(stacked) > 1 else LAYER, first=first + 1, last=last)
        run_kind = base if len(runs) == 1 else replace(base, short=label, brief=label)
        name = f"layers-{first + 1}"
        sides = query_side.labels, key_side.labels
        item = LabelledAttention(name, run_kind, stacked, *sides, words, special, tuple(range(first, last)))
        result.append(item)
    return result


def _words_or_tokens(side: TokenLabels) -> tuple[Word, ...]:
    return side.words or tuple(Word(label, place, place + 1) for place, label in enumerate(side.labels))
