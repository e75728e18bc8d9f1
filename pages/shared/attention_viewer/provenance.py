"""What the attention viewer shows: one kind of attention of one input, as the person wants it prepared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from model import VisionTrace
from model.text.words import Word, by_words, whole_words
from model.tracing.kinds import KINDS
from model.tracing.trace import AttentionRecord, SentenceTrace, Verification
from model.tracing.traced_model import AnyTrace, TracedModel
from views import attention_maps

SPECIAL = frozenset({"<s>", "</s>", "<pad>", "<unk>", attention_maps.CLS})


@dataclass(frozen=True, eq=False)
class ViewedAttention:
    """One kind of attention, ready to be shown.

    Attributes:
        kind: which one.
        attention: `(layer, head, query, key)` float32, float16 of a long input, as it is to be drawn: of tokens or of
            whole words, with or without special tokens.
        queries, keys: what its last two axes are, in words.
        record: what the network computed, of all tokens.
        tokens: the tokens of the record's queries and keys.
        check: of the record.
        removed: `(layer, head)` mean share of a shown query's attention that lies on hidden keys; None if none is.
        key: names the input and the preparation among all others.
        weights_sha256: of the weights that computed it.
        source: what a person needs to compute it again: the input, by the names of what a file says of it.
        recipe: lines of Python that compute `attention` again.
        first: the layer that stands first in `attention`, from 0.
        page: whose address shows it again.
        grid: rows and columns of patches, where queries and keys are places of a picture.
        special: names of the special tokens.
    """

    kind: attention_maps.Kind
    attention: np.ndarray
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    record: AttentionRecord
    tokens: tuple[tuple[str, ...], tuple[str, ...]]
    check: Verification
    key: tuple
    weights_sha256: str
    source: dict[str, object]
    recipe: tuple[str, ...]
    removed: np.ndarray | None = None
    first: int = 0
    page: str = "attention"
    grid: tuple[int, int] | None = None
    special: frozenset[str] = SPECIAL

    @property
    def layers(self) -> list[str]:
        """Names of the layers and of their mean."""
        return attention_maps.ids_with_mean(self.attention.shape[0], self.first)

    @property
    def heads(self) -> list[str]:
        """Names of the heads and of their mean."""
        return attention_maps.ids_with_mean(self.attention.shape[1])


def view_sentence(
    trace: SentenceTrace, kind: attention_maps.Kind, model: TracedModel, source: dict[str, object]
) -> ViewedAttention:
    """Every token of a sentence and its translation.

    Args:
        source: with the "sentence" as it was typed.
    """
    source = {**source, "target": trace.target_text, "target_ids": list(trace.next_ids)}
    recipe = _recipe_of_text(str(source["sentence"]), trace.next_ids, kind.name, model)
    key = ("text", model.weights_sha256, trace.source_ids, trace.target_ids, kind.name)
    return view_trace(trace, kind, key, model.weights_sha256, source, recipe)


def view_trace(
    trace: AnyTrace,
    kind: attention_maps.Kind,
    key: tuple,
    weights_sha256: str,
    source: dict[str, object],
    recipe: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
) -> ViewedAttention:
    """One kind of attention of any network's trace; see `Subject`.

    Args:
        names: of queries and keys, where they are not those of the trace.
    """
    record, axes = trace.records[kind.name], (names, names) if names else trace.axes(kind.name)
    check = record.verification
    return ViewedAttention(kind, record.weights, *axes, record, axes, check, key, weights_sha256, source, recipe)


def view_picture(key: str, trace: VisionTrace, weights_sha256: str, sample: str = "") -> ViewedAttention:
    """CLS and every patch of a picture, named as `maps.patch_names` does.

    Args:
        key: names the picture; the SHA-256 of its pixels as the model receives them.
        sample: the picture's name if it is one of the project's own; a person's picture has none.
    """
    names = (attention_maps.CLS, *attention_maps.patch_names(trace.grid))
    source = {"pixels_sha256": key} | ({"sample": sample} if sample else {})
    recipe = _recipe_of_picture(key, weights_sha256, sample)
    subject = view_trace(trace, attention_maps.VISION, ("picture", key), weights_sha256, source, recipe, names)
    return replace(subject, page="vision", grid=trace.grid)


@dataclass(frozen=True)
class WordGrouping:
    """What the tokens of a kind are joined to.

    Attributes:
        kind: as it is called in whole words.
        queries, keys: the words, in order; each token belongs to one.
        recipe: lines of Python that join `attention`.
    """

    kind: attention_maps.Kind
    queries: tuple[Word, ...]
    keys: tuple[Word, ...]
    recipe: tuple[str, ...] = ()

    @property
    def axes(self) -> tuple[list[str], list[str], tuple[list[int], list[int]]]:
        """The texts of the queries and of the keys, and of both the place of each word's first token."""
        sides = self.queries, self.keys
        return *([word.text for word in side] for side in sides), tuple([word.start for word in side] for side in sides)


def group_tokens(kind: attention_maps.Kind, trace: SentenceTrace) -> WordGrouping:
    """The whole words of a sentence and its translation."""
    sides = KINDS[kind.name].queries, KINDS[kind.name].keys
    ids = {"source": trace.source_ids, "target": trace.target_ids}
    called = replace(attention_maps.WORD_KINDS[kind.name], called=kind.called, headed=kind.headed)
    return WordGrouping(called, *(whole_words(trace.tokenizer, ids[side]) for side in sides), _recipe_in_words(*sides))


def merge_into_words(subject: ViewedAttention, words: WordGrouping) -> ViewedAttention:
    """Whole words instead of tokens: weights summed over the tokens of a key, averaged over those of a query."""
    return replace(
        subject,
        kind=words.kind,
        attention=np.stack(
            [by_words(each, words.queries, words.keys).astype(np.float32) for each in subject.attention]
        ),
        queries=tuple(word.text for word in words.queries),
        keys=tuple(word.text for word in words.keys),
        key=(*subject.key, "words"),
        recipe=subject.recipe + words.recipe if words.recipe else (),
    )


def select_layer(subject: ViewedAttention, layer: int) -> ViewedAttention:
    """One layer of it alone, counted from 0 among those that it has."""
    recipe = (*subject.recipe, f"attention = attention[{layer} : {layer + 1}]") if subject.recipe else ()
    key, first = (*subject.key, "layer", layer), subject.first + layer
    return replace(subject, attention=subject.attention[layer : layer + 1], first=first, key=key, recipe=recipe)


def drop_special_tokens(subject: ViewedAttention) -> ViewedAttention:
    """Without special tokens and CLS. What is left is not scaled up: the rows sum to less than 1."""
    queries, keys = (
        [place for place, name in enumerate(names) if name.strip() not in subject.special]
        for names in (subject.queries, subject.keys)
    )
    if not queries or not keys:
        return subject
    kept = subject.attention[:, :, queries][:, :, :, keys]
    return replace(
        subject,
        attention=kept,
        queries=tuple(subject.queries[place] for place in queries),
        keys=tuple(subject.keys[place] for place in keys),
        removed=1 - kept.sum(axis=-1, dtype=np.float64).mean(axis=-1),
        key=(*subject.key, "ordinary"),
        recipe=(
            *subject.recipe,
            "",
            f"attention = attention[:, :, {_index_text(queries)}][:, :, :, {_index_text(keys)}]",
        ),
    )


def prepare(subject: ViewedAttention, words: WordGrouping | None, chosen: Mapping[str, str]) -> ViewedAttention:
    """A subject of tokens in the "units", and with or without the special tokens ("marks"), that are chosen."""
    if words is not None and chosen.get("units") == "words":
        subject = merge_into_words(subject, words)
    return drop_special_tokens(subject) if chosen["marks"] == "hidden" else subject


def _recipe_of_text(sentence: str, target_ids: Sequence[int], kind: str, model: TracedModel) -> tuple[str, ...]:
    """One kind of attention of a sentence on the tokens that were produced for it."""
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
    """The attention of a picture; one of the project's own is read from its file, any other from where it lies."""
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
    """Whole words instead of tokens; "source" or "target" says whose words they are."""
    return (
        "",
        "from model.text.words import Word, by_words, whole_words",
        "",
        f"query_words = whole_words(trace.tokenizer, trace.{queries}_ids)",
        f"key_words = whole_words(trace.tokenizer, trace.{keys}_ids)",
        "attention = by_words(attention, query_words, key_words).astype('float32')",
    )


def _index_text(numbers: list[int]) -> str:
    """A slice where it says the same as the list."""
    if numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}:{numbers[-1] + 1}"
    return repr(numbers)
