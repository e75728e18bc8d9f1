"""What the attention viewer shows: one kind of attention of one input, as the person wants it prepared."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from model import VisionTrace
from model.text.words import by_words, whole_words
from model.tracing.kinds import KINDS
from model.tracing.trace import AttentionRecord, SentenceTrace
from model.tracing.traced_model import AnyTrace
from model.tracing.verify import Verification
from model.translator import SentenceTranslator
from pages.shared.attention_viewer import recipes
from views import maps

SPECIAL = frozenset({"<s>", "</s>", "<pad>", "<unk>", maps.CLS})


@dataclass(frozen=True, eq=False)
class Subject:
    """One kind of attention, ready to be shown.

    Attributes:
        kind: which one.
        attention: `(layer, head, query, key)` float32, as it is to be drawn: of tokens or of whole words, with or
            without special tokens.
        queries, keys: what its last two axes are, in words.
        record: what the network computed, of all tokens.
        tokens: the tokens of the record's queries and keys.
        check: of the record.
        removed: `(layer, head)` mean share of a shown query's attention that lies on hidden keys; None if none is.
        key: names the input and the preparation among all others.
        weights_sha256: of the weights that computed it.
        source: what a person needs to compute it again: the input, by the names of what a file says of it.
        recipe: lines of Python that compute `attention` again.
    """

    kind: maps.Kind
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

    @property
    def layers(self) -> list[str]:
        """Names of the layers and of their mean."""
        return maps.names(self.attention.shape[0])

    @property
    def heads(self) -> list[str]:
        """Names of the heads and of their mean."""
        return maps.names(self.attention.shape[1])


def of_text(trace: SentenceTrace, kind: maps.Kind, model: SentenceTranslator, source: dict[str, object]) -> Subject:
    """Every token of a sentence and its translation.

    Args:
        source: with the "sentence" as it was typed.
    """
    source = {**source, "target": trace.target_text, "target_ids": list(trace.next_ids)}
    recipe = recipes.of_text(str(source["sentence"]), trace.next_ids, kind.name, model)
    key = ("text", model.weights_sha256, trace.source_ids, trace.target_ids, kind.name)
    return of_trace(trace, kind, key, model.weights_sha256, source, recipe)


def of_trace(
    trace: AnyTrace,
    kind: maps.Kind,
    key: tuple,
    weights_sha256: str,
    source: dict[str, object],
    recipe: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
) -> Subject:
    """One kind of attention of any network's trace; see `Subject`.

    Args:
        names: of queries and keys, where they are not those of the trace.
    """
    record, axes = trace.records[kind.name], (names, names) if names else trace.axes(kind.name)
    check = record.verification
    return Subject(kind, record.weights, *axes, record, axes, check, key, weights_sha256, source, recipe)


def of_picture(key: str, trace: VisionTrace, weights_sha256: str, sample: str = "") -> Subject:
    """CLS and every patch of a picture, named as `maps.patch_names` does.

    Args:
        key: names the picture; the SHA-256 of its pixels as the model receives them.
        sample: the picture's name if it is one of the project's own; a person's picture has none.
    """
    names = (maps.CLS, *maps.patch_names(trace.grid))
    source = {"pixels_sha256": key} | ({"sample": sample} if sample else {})
    recipe = recipes.of_picture(key, weights_sha256, sample)
    return of_trace(trace, maps.VISION, ("picture", key), weights_sha256, source, recipe, names)


def in_words(subject: Subject, trace: SentenceTrace) -> Subject:
    """Whole words instead of tokens: weights summed over the tokens of a key, averaged over those of a query."""
    sides = KINDS[subject.kind.name].queries, KINDS[subject.kind.name].keys
    ids = {"source": trace.source_ids, "target": trace.target_ids}
    query_words, key_words = (whole_words(trace.tokenizer, ids[side]) for side in sides)
    return replace(
        subject,
        kind=replace(maps.WORD_KINDS[subject.kind.name], called=subject.kind.called, headed=subject.kind.headed),
        attention=by_words(subject.attention, query_words, key_words).astype(np.float32),
        queries=tuple(word.text for word in query_words),
        keys=tuple(word.text for word in key_words),
        key=(*subject.key, "words"),
        recipe=subject.recipe + recipes.in_words(*sides),
    )


def without_special(subject: Subject) -> Subject:
    """Without special tokens and CLS. What is left is not scaled up: the rows sum to less than 1."""
    queries, keys = (_ordinary(names) for names in (subject.queries, subject.keys))
    if not len(queries) or not len(keys):
        return subject
    kept = subject.attention[:, :, queries][:, :, :, keys]
    return replace(
        subject,
        attention=kept,
        queries=tuple(subject.queries[place] for place in queries),
        keys=tuple(subject.keys[place] for place in keys),
        removed=1 - kept.sum(axis=-1, dtype=np.float64).mean(axis=-1),
        key=(*subject.key, "ordinary"),
        recipe=subject.recipe + recipes.only(queries, keys),
    )


def _ordinary(names: tuple[str, ...]) -> list[int]:
    return [place for place, name in enumerate(names) if name.strip() not in SPECIAL]
