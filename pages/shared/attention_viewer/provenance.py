"""What the attention viewer shows: one kind of attention of one input, prepared as chosen, with its provenance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from model.text.words import Word, by_words, whole_words
from model.tracing.kinds import KINDS
from model.tracing.picture_trace import PatchTrace
from model.tracing.trace import SentenceTrace, Verification
from model.tracing.traced_model import AnyTrace, Record
from views import kind_labels, map_labels

SPECIAL = frozenset({"<s>", "</s>", "<pad>", "<unk>", kind_labels.CLS})


class AnyTranslator(Protocol):
    """A model of sentences, with the line of Python that loads it."""

    card: dict
    loaded_by: str

    @property
    def weights_sha256(self) -> str: ...


@dataclass(frozen=True, eq=False)
class ViewedAttention:
    """One kind of attention of one input, prepared for the viewer.

    Attributes:
        attention: `(layer, head, query, key)` float32, float16 of a long input, as displayed: of tokens or of whole
            words, with or without special tokens.
        queries, keys: labels of its last two axes.
        record: what the network computed, for all tokens.
        tokens: labels of the record's queries and keys.
        check: of the record.
        removed: `(layer, head)` mean share of a query's attention on hidden keys; None if no token is hidden.
        key: identifies the input and the preparation.
        weights_sha256: of the weights that computed it.
        source: the input, by the names of the facts in a saved file, to compute it again.
        recipe: lines of Python that compute `attention` again.
        layer_numbers: of the layers in `attention`, from 0, among all of the network; None if these are all.
        page: whose address shows it again.
        grid: rows and columns of patches, where queries and keys are patches of a picture.
        special: names of the special tokens.
    """

    kind: kind_labels.Kind
    attention: np.ndarray
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    record: Record
    tokens: tuple[tuple[str, ...], tuple[str, ...]]
    check: Verification
    key: tuple
    weights_sha256: str
    source: Mapping[str, object]
    recipe: tuple[str, ...]
    removed: np.ndarray | None = None
    layer_numbers: tuple[int, ...] | None = None
    page: str = "attention"
    grid: tuple[int, int] | None = None
    special: frozenset[str] = SPECIAL

    @property
    def numbers(self) -> Sequence[int]:
        """Numbers of the layers, from 0."""
        return range(self.attention.shape[0]) if self.layer_numbers is None else self.layer_numbers

    @property
    def layers(self) -> list[str]:
        """Ids of the layers and of their mean."""
        return map_labels.ids_with_mean(self.numbers)

    @property
    def heads(self) -> list[str]:
        """Ids of the heads and of their mean."""
        return map_labels.ids_with_mean(self.attention.shape[1])


def view_sentence(
    trace: SentenceTrace, kind: kind_labels.Kind, model: AnyTranslator, source: Mapping[str, object]
) -> ViewedAttention:
    """Return one kind of attention of a sentence and its translation, with all tokens.

    Args:
        source: with the "sentence" as typed.
    """
    source = {**source, "target": trace.target_text, "target_ids": list(trace.next_ids)}
    recipe = _recipe_of_text(str(source["sentence"]), trace.next_ids, kind.name, model)
    key = ("text", model.weights_sha256, trace.source_ids, trace.target_ids, kind.name)
    return view_trace(trace, kind, key, model.weights_sha256, source, recipe)


def view_trace(
    trace: AnyTrace,
    kind: kind_labels.Kind,
    key: tuple,
    weights_sha256: str,
    source: Mapping[str, object],
    recipe: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
) -> ViewedAttention:
    """Return one kind of attention of any network's trace; see `ViewedAttention`.

    Args:
        names: labels of queries and keys, where they are not those of the trace.
    """
    record, axes = trace.records[kind.name], (names, names) if names else trace.axes(kind.name)
    check = record.verification
    return ViewedAttention(kind, record.weights, *axes, record, axes, check, key, weights_sha256, source, recipe)


def view_picture(key: str, trace: PatchTrace, weights_sha256: str, sample: str = "") -> ViewedAttention:
    """Return the attention of CLS and every patch of a picture, labelled by `map_labels.patch_names`.

    Args:
        key: the SHA-256 of the pixels as the model receives them.
        sample: name of the picture if it is one of the project's own; empty for a visitor's picture.
    """
    names = (kind_labels.CLS, *map_labels.patch_names(trace.grid))
    source = {"pixels_sha256": key} | ({"sample": sample} if sample else {})
    recipe = _recipe_of_picture(key, weights_sha256, sample)
    viewed = view_trace(trace, kind_labels.VISION, ("picture", key), weights_sha256, source, recipe, names)
    return replace(viewed, page="vision", grid=trace.grid)


@dataclass(frozen=True)
class WordGrouping:
    """The words that the tokens of a kind are merged into.

    Attributes:
        kind: with the labels for whole words.
        queries, keys: the words, in order; each token belongs to one.
        recipe: lines of Python that merge `attention`.
    """

    kind: kind_labels.Kind
    queries: tuple[Word, ...]
    keys: tuple[Word, ...]
    recipe: tuple[str, ...] = ()

    @property
    def axes(self) -> tuple[list[str], list[str], tuple[list[int], list[int]]]:
        """The texts of the queries and of the keys, and for both the place of each word's first token."""
        starts = [word.start for word in self.queries], [word.start for word in self.keys]
        return [word.text for word in self.queries], [word.text for word in self.keys], starts


def group_tokens(kind: kind_labels.Kind, trace: SentenceTrace) -> WordGrouping:
    """Group the tokens of a sentence and its translation into whole words."""
    sides = KINDS[kind.name].queries, KINDS[kind.name].keys
    ids = {"source": trace.source_ids, "target": trace.target_ids}
    queries, keys = (whole_words(trace.tokenizer, ids[side]) for side in sides)
    return WordGrouping(kind.of_words, queries, keys, _recipe_in_words(*sides))


def merge_into_words(viewed: ViewedAttention, words: WordGrouping) -> ViewedAttention:
    """Merge tokens into whole words: sum weights over the tokens of a key, average over those of a query."""
    return replace(
        viewed,
        kind=words.kind,
        attention=np.stack([by_words(each, words.queries, words.keys).astype(np.float32) for each in viewed.attention]),
        queries=tuple(word.text for word in words.queries),
        keys=tuple(word.text for word in words.keys),
        key=(*viewed.key, "words"),
        recipe=viewed.recipe + words.recipe if words.recipe else (),
    )


def select_layer(viewed: ViewedAttention, layer: int) -> ViewedAttention:
    """Select one layer, counted from 0 among those in `attention`."""
    recipe = (*viewed.recipe, f"attention = attention[{layer} : {layer + 1}]") if viewed.recipe else ()
    key, number = (*viewed.key, "layer", layer), (viewed.numbers[layer],)
    return replace(viewed, attention=viewed.attention[layer : layer + 1], layer_numbers=number, key=key, recipe=recipe)


def drop_special_tokens(viewed: ViewedAttention) -> ViewedAttention:
    """Drop special tokens and CLS. The remaining weights are not rescaled: the rows sum to less than 1."""
    queries, keys = (
        [place for place, name in enumerate(names) if name.strip() not in viewed.special]
        for names in (viewed.queries, viewed.keys)
    )
    if not queries or not keys:
        return viewed
    remaining = viewed.attention[:, :, queries][:, :, :, keys]
    return replace(
        viewed,
        attention=remaining,
        queries=tuple(viewed.queries[place] for place in queries),
        keys=tuple(viewed.keys[place] for place in keys),
        removed=1 - remaining.sum(axis=-1, dtype=np.float64).mean(axis=-1),
        key=(*viewed.key, "ordinary"),
        recipe=(
            *viewed.recipe,
            "",
            f"attention = attention[:, :, {_index_text(queries)}][:, :, :, {_index_text(keys)}]",
        ),
    )


def prepare(viewed: ViewedAttention, words: WordGrouping | None, chosen: Mapping[str, str]) -> ViewedAttention:
    """Apply the chosen "units", tokens or words, and hide or keep the special tokens ("marks")."""
    if words is not None and chosen.get("units") == "words":
        viewed = merge_into_words(viewed, words)
    return drop_special_tokens(viewed) if chosen["marks"] == "hidden" else viewed


def _recipe_of_text(sentence: str, target_ids: Sequence[int], kind: str, model: AnyTranslator) -> tuple[str, ...]:
    """Lines that compute one kind of attention of a sentence with the tokens of its translation."""
    return (
        f"from model import {model.loaded_by.partition('.')[0]}",
        "",
        f"translator = {model.loaded_by}",
        f"assert translator.weights_sha256 == {model.weights_sha256!r}",
        f"sentence = {ascii(sentence)}",
        f"trace = translator.trace(sentence, target_ids={tuple(map(int, target_ids))!r})",
        f"attention = trace.attention({kind!r})  # (layer, head, query, key)",
    )


def _recipe_of_picture(pixels_sha256: str, weights_sha256: str, sample: str) -> tuple[str, ...]:
    """Lines that compute the attention of a picture, read from the sample's file or from a path to fill in."""
    path = f"assets/samples/{sample}.jpg" if sample else "the picture"
    return (
        "import hashlib",
        "from pathlib import Path",
        "",
        "from model import VisionClassifier",
        "from views.controls.pictures import read_picture",
        "",
        "classifier = VisionClassifier.load()",
        f"assert classifier.card['weights_sha256'] == {weights_sha256!r}",
        f"pixels = classifier.prepare(read_picture(Path({path!r}).read_bytes()).image)",
        f"assert hashlib.sha256(pixels.tobytes()).hexdigest() == {pixels_sha256!r}",
        "attention = classifier.trace(pixels).attention  # (layer, head, query, key)",
    )


def _recipe_in_words(queries: str, keys: str) -> tuple[str, ...]:
    """Lines that merge tokens into words; `queries` and `keys` are "source" or "target"."""
    return (
        "",
        "from model.text.words import Word, by_words, whole_words",
        "",
        f"query_words = whole_words(trace.tokenizer, trace.{queries}_ids)",
        f"key_words = whole_words(trace.tokenizer, trace.{keys}_ids)",
        "attention = by_words(attention, query_words, key_words).astype('float32')",
    )


def _index_text(numbers: list[int]) -> str:
    """Format an index: a slice where it is equal to the list."""
    if numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}:{numbers[-1] + 1}"
    return repr(numbers)
