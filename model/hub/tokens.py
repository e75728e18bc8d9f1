"""Tokens of any tokenizer with their slices of the text, and the words that they make up."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from model.hub.errors import OpenError
from model.text.words import Word

BOUNDARY = "\u2581"  # before a word, in the tokens of SentencePiece
SPACE = "\u2423"  # what stands for a space that a reader would not see


@dataclass(frozen=True)
class Tokens:
    """A text, or two, as a network reads it.

    Attributes:
        ids: one for each token.
        labels: what the reader sees: the token's slice of the text, or its own name if it is a special token.
        special: whether the tokenizer added it.
        segments: 0 or 1, which of two texts a token belongs to.
        words: the tokens of every word, by place; special tokens belong to none.
    """

    ids: tuple[int, ...]
    labels: tuple[str, ...]
    special: tuple[bool, ...]
    segments: tuple[int, ...]
    words: tuple[tuple[int, ...], ...]

    def whole_words(self) -> tuple[Word, ...]:
        """Runs of tokens that make up words, in order; a special token stands alone."""
        first = {word[0]: word for word in self.words}
        inside = {place for word in self.words for place in word}
        found = []
        for place, label in enumerate(self.labels):
            if place in first:
                word = first[place]
                found.append(Word("".join(self.labels[each] for each in word), place, word[-1] + 1))
            elif place not in inside:
                found.append(Word(label, place, place + 1, self.special[place]))
        return tuple(found)


def tokenize(tokenizer, text: str, second: str | None = None) -> Tokens:
    """The tokens of a text, or of a pair of texts, as the network is given them.

    Raises:
        OpenError: the text has no tokens, or the network takes no second text.
    """
    fast = bool(tokenizer.is_fast)
    given = (text,) if second is None else (text, second)
    options = {"return_special_tokens_mask": True, "return_offsets_mapping": fast, "verbose": False}
    found = tokenizer(*given, **options)
    ids = found["input_ids"]
    special = [bool(mark) for mark in found["special_tokens_mask"]]
    if all(special):
        raise OpenError("This text has no tokens; type at least one word.")
    segments = [0] * len(ids) if second is None else _segments(found, special, fast)
    names = tokenizer.convert_ids_to_tokens(ids)
    if fast:
        spans = [tuple(span) for span in found["offset_mapping"]]
        labels = _slices([given[part] for part in segments], spans, segments, special, names)
        words = _words_by_place([given[part] for part in segments], spans, segments, special)
    else:
        labels = [_plain(name).lstrip(SPACE) or SPACE for name in names]
        words = _words_by_mark(names, special)
    return Tokens(tuple(ids), tuple(labels), tuple(special), tuple(segments), words)


def labels_of(tokenizer, ids: Sequence[int]) -> tuple[str, ...]:
    """Labels of tokens that stand in no text, such as the candidates for the next token.

    Many networks have more ids than their tokenizer has tokens; those go by their number.
    """
    names = tokenizer.convert_ids_to_tokens(list(ids))
    return tuple(f"#{id_}" if name is None else _plain(name) for id_, name in zip(ids, names, strict=True))


def _segments(found, special: Sequence[bool], fast: bool) -> list[int]:
    """Which of two texts every token belongs to; a special token belongs to the text before it."""
    told = found.get("token_type_ids")
    if told is not None and any(told):
        return list(told)
    if fast:
        parts = found.sequence_ids()
        return [
            part if part is not None else next((p for p in parts[place::-1] if p is not None), 0)
            for place, part in enumerate(parts)
        ]
    ends = [place for place, mark in enumerate(special) if mark]
    first = ends[len(ends) // 2 - 1] if len(ends) > 1 else len(special)
    return [int(place > first) for place in range(len(special))]


def _slices(
    texts: Sequence[str],
    spans: Sequence[tuple[int, int]],
    segments: Sequence[int],
    special: Sequence[bool],
    names: Sequence[str],
) -> list[str]:
    """The text of every token; tokens that share characters are numbered, an emoji in three tokens "1/3" to "3/3"."""
    counts: dict[tuple, list[int]] = {}
    for place, span in enumerate(spans):
        if not special[place] and span[1] > span[0]:
            counts.setdefault((segments[place], span), []).append(place)
    labels = []
    for place, (start, end) in enumerate(spans):
        if special[place] or end == start:
            labels.append(_plain(names[place]))
            continue
        label = texts[place][start:end].strip() or texts[place][start:end].replace(" ", SPACE) or names[place]
        shared = counts[segments[place], (start, end)]
        labels.append(label if len(shared) == 1 else f"{label} {shared.index(place) + 1}/{len(shared)}")
    return labels


def _words_by_place(
    texts: Sequence[str], spans: Sequence[tuple[int, int]], segments: Sequence[int], special: Sequence[bool]
) -> tuple[tuple[int, ...], ...]:
    """A word is a run of characters without white space."""
    words: dict[tuple[int, int], list[int]] = {}
    runs = {
        part: [match.span() for match in re.finditer(r"\S+", text)]
        for part, text in dict(zip(segments, texts, strict=True)).items()
    }
    for place, (start, end) in enumerate(spans):
        if special[place]:
            continue
        inside = [number for number, (a, b) in enumerate(runs[segments[place]]) if a < end and start < b]
        if inside:
            words.setdefault((segments[place], inside[0]), []).append(place)
    return tuple(tuple(word) for word in words.values())


def _words_by_mark(names: Sequence[str], special: Sequence[bool]) -> tuple[tuple[int, ...], ...]:
    """A word begins where the tokenizer set its mark."""
    words: list[list[int]] = []
    for place, name in enumerate(names):
        if special[place]:
            continue
        if not words or name.startswith(BOUNDARY):
            words.append([])
        words[-1].append(place)
    return tuple(tuple(word) for word in words)


def _plain(name: str) -> str:
    return name.replace(BOUNDARY, SPACE).replace("\u0120", SPACE).replace("\u010a", "\u21b5")
