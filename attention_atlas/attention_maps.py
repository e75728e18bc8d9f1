"""What `show` draws: one kind of attention with its tokens, from a trace of any network or from given weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .from_arrays import ShowError, check_tokens, is_causal, labels_of, layers_of, runs_of_heads, special_of, words_of
from .model.text.words import Word, by_words, whole_words
from .model.tracing.kinds import KINDS
from .views import attention_maps
from .views.text.catalogue import Message

SPECIAL = frozenset({"<s>", "</s>", "<pad>", "<unk>", attention_maps.CLS})
LAYERS = Message("show.layers", "Layers {first} to {last}")
LAYER = Message("show.layer", "Layer {first}")


@dataclass(frozen=True, eq=False)
class Look:
    """One kind of attention of one input.

    Attributes:
        name: its id in the view, different from all others there.
        kind: its words and its colours.
        attention: `(layer, head, query, key)` float32.
        queries, keys: labels of the last two axes.
        words: whole words of the queries and of the keys; None where tokens are no parts of words.
        special: labels of the special tokens.
        first: number of the first layer, from 0.
    """

    name: str
    kind: attention_maps.Kind
    attention: np.ndarray
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    words: tuple[tuple[Word, ...], tuple[Word, ...]] | None = None
    special: frozenset[str] = SPECIAL
    first: int = 0

    def in_words(self) -> "Look":
        """Whole words instead of tokens, as the app joins them; itself where there are none."""
        if self.words is None:
            return self
        attention = np.stack([by_words(layer, *self.words).astype(np.float32) for layer in self.attention])
        queries, keys = (tuple(word.text for word in side) for side in self.words)
        return replace(self, attention=attention, queries=queries, keys=keys, words=None)

    def of_layers(self, layers: Sequence[int]) -> "Look":
        """Neighbouring layers of it alone, from 0."""
        return replace(self, attention=self.attention[layers[0] : layers[-1] + 1], first=self.first + layers[0])


def of_trace(trace: object, kind: str | None) -> list[Look]:
    """The kinds of attention of a trace, or the one that is named.

    Raises:
        ShowError: the trace has no attention, or not this kind.
    """
    if not trace.records:
        raise ShowError(f"This {type(trace).__name__} holds no attention: its network has none.")
    if kind is not None and kind not in trace.records:
        raise ShowError(f"This trace has no attention {kind!r}; choose one of {', '.join(trace.records)}.")
    return [_of_kind(trace, name) for name in ([kind] if kind else trace.records)]


def _of_kind(trace: object, name: str) -> Look:
    record = trace.records[name]
    weights = record.weights.astype(np.float32, copy=False)  # (layer, head, query, key)
    first = getattr(record, "layers", (0,))[0]
    queries, keys = trace.axes(name)
    if getattr(trace, "grid", None) is not None:
        places = attention_maps.patch_names(trace.grid)
        names = (*queries[: len(queries) - len(places)], *places)
        return Look(name, attention_maps.VISION, weights, names, names, first=first)
    if hasattr(trace, "tokenizer"):
        ids = {"source": trace.source_ids, "target": trace.target_ids}
        words = tuple(whole_words(trace.tokenizer, ids[side]) for side in _sides(name))
        return Look(name, attention_maps.KINDS[name], weights, queries, keys, words, first=first)
    kind = replace(attention_maps.KINDS[name], queries=attention_maps.ANY_TOKENS[0], keys=attention_maps.ANY_TOKENS[1])
    read = [trace.target if side == "target" and trace.target is not None else trace.source for side in _sides(name)]
    marked = [zip(tokens.labels, tokens.special, strict=True) for tokens in read]
    special = frozenset(label for tokens in marked for label, mark in tokens if mark)
    return Look(name, kind, weights, queries, keys, tuple(each.whole_words() for each in read), special, first)


def _sides(kind: str) -> tuple[str, str]:
    return KINDS[kind].queries, KINDS[kind].keys


def of_weights(attention: object, tokens: Sequence[object], kind: str | None) -> list[Look]:
    """Given weights; a look for each run of layers with as many heads.

    Args:
        attention: see `attention_atlas.from_arrays.layers_of`.
        tokens: the tokens of both axes, or those of the queries and those of the keys.
        kind: whose words and colours they take: "encoder", "decoder", "cross"; plain ones where nothing is given.

    Raises:
        ShowError: see `layers_of` and `check_tokens`.
    """
    if kind is not None and kind not in attention_maps.KINDS:
        raise ShowError(
            f"There is no kind {kind!r} for given weights; choose one of {', '.join(attention_maps.KINDS)}, or none."
        )
    layers = layers_of(attention)
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
    names = check_tokens(tokens[0], queries, "query"), check_tokens(tokens[-1], keys, "key")
    words = tuple(words_of(each) for each in names)
    joined = tuple(side or _each(each) for side, each in zip(words, names, strict=True)) if any(words) else None
    base = attention_maps.ANY_ATTENTION if kind is None else attention_maps.KINDS[kind]
    base = replace(
        base, queries=attention_maps.ANY_TOKENS[0], keys=attention_maps.ANY_TOKENS[1], causal=is_causal(layers)
    )
    runs = runs_of_heads(layers)
    special = special_of((*names[0], *names[1]))
    labels = tuple(labels_of(each) for each in names)
    found = []
    for first, stacked in runs:
        last = first + len(stacked)
        called = partial(LAYERS if len(stacked) > 1 else LAYER, first=first + 1, last=last)
        named = base if len(runs) == 1 else replace(base, short=called, brief=called)
        found.append(Look(f"layers-{first + 1}", named, stacked, *labels, joined, special, first))
    return found


def _each(tokens: Sequence[str]) -> tuple[Word, ...]:
    return tuple(Word(token, place, place + 1) for place, token in enumerate(tokens))
