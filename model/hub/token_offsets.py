"""Tokens of any tokenizer with their slices of the text, and the words they form."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..text.words import Word
from .errors import OpenError
from .library_types import Tokenizer

BOUNDARY = "\u2581"  # before a word, in the tokens of SentencePiece
SPACE = "\u2423"  # shown for a space, which would not be visible


@dataclass(frozen=True)
class Tokens:
    """The tokens of one text or of two.

    Attributes:
        ids: one for each token.
        labels: shown to the user: the token's slice of the text, or the name of a special token.
        special: whether the tokenizer added it.
        segments: 0 or 1, the text that a token belongs to.
        words: indices of the tokens of every word; special tokens belong to none.
        word_texts: the words themselves; empty where the labels of their tokens, joined, are the words.
    """

    ids: tuple[int, ...]
    labels: tuple[str, ...]
    special: tuple[bool, ...]
    segments: tuple[int, ...]
    words: tuple[tuple[int, ...], ...]
    word_texts: tuple[str, ...] = ()

    def whole_words(self) -> tuple[Word, ...]:
        """Runs of tokens that form words, in order; a special token is a run of its own."""
        texts = self.word_texts or ["".join(self.labels[place] for place in word) for word in self.words]
        first = {word[0]: (word, text) for word, text in zip(self.words, texts, strict=True)}
        inside = {place for word in self.words for place in word}
        runs = []
        for place, label in enumerate(self.labels):
            if place in first:
                word, text = first[place]
                runs.append(Word(text, place, word[-1] + 1))
            elif place not in inside:
                runs.append(Word(label, place, place + 1, self.special[place]))
        return tuple(runs)


def tokenize(tokenizer: Tokenizer, text: str, second: str | None = None) -> Tokens:
    """Tokenize a text or a pair of texts, as input of the network.

    Raises:
        OpenError: the text has no tokens, or the network accepts no second text.
    """
    fast = bool(tokenizer.is_fast)
    texts = (text,) if second is None else (text, second)
    options = {"return_special_tokens_mask": True, "return_offsets_mapping": fast, "verbose": False}
    encoding = tokenizer(*texts, **options)
    ids = encoding["input_ids"]
    special = [bool(mark) for mark in encoding["special_tokens_mask"]]
    if all(special):
        raise OpenError("This text has no tokens; type at least one word.")
    segments = [0] * len(ids) if second is None else _segments(encoding, special, fast)
    names = tokenizer.convert_ids_to_tokens(ids)
    if fast:
        spans = [(start, end) for start, end in encoding["offset_mapping"]]
        labels = _slices([texts[part] for part in segments], spans, segments, special, names)
        words, word_texts = _words_by_offset([texts[part] for part in segments], spans, segments, special)
    else:
        labels = [_plain(name).lstrip(SPACE) or SPACE for name in names]
        words, word_texts = _words_by_mark(names, special), ()
    return Tokens(tuple(ids), tuple(labels), tuple(special), tuple(segments), words, word_texts)


def tokens_of_ids(tokenizer: Tokenizer, ids: Sequence[int]) -> Tokens:
    """Tokens without a text: those that a decoder is fed or has generated.

    Words are runs without white space in the decoded text, which is decoded up to each token in turn.
    """
    marks = set(tokenizer.all_special_ids)
    special = tuple(id_ in marks for id_ in ids)
    plain = [place for place, mark in enumerate(special) if not mark]
    words: list[list[int]] = []
    word_texts: list[str] = []
    length, inside = 0, False  # of the decoded text; whether the next characters continue the last word
    for count, place in enumerate(plain, 1):
        text = tokenizer.decode([ids[earlier] for earlier in plain[:count]], clean_up_tokenization_spaces=False)
        complete = text.rstrip("\ufffd")  # without the first bytes of an incomplete character
        added, length = complete[length:], max(length, len(complete))
        incomplete = len(complete) < len(text)
        if not incomplete and not added.strip() and not (inside and not added):  # space alone is in no word
            inside = False
            continue
        if not inside or added[:1].isspace():
            words.append([])
            word_texts.append("")
        words[-1].append(place)
        word_texts[-1] += added.strip()
        inside = incomplete or not added[-1:].isspace()
    return Tokens(
        tuple(ids), labels_of(tokenizer, ids), special, (0,) * len(ids), tuple(map(tuple, words)), tuple(word_texts)
    )


def labels_of(tokenizer: Tokenizer, ids: Sequence[int]) -> tuple[str, ...]:
    """Labels of tokens without a text, such as the candidates for the next token.

    Many networks have more ids than their tokenizer has tokens; those are labelled by number. Byte tokens are labelled
    by the characters they form, or by their numbers where they are a part of one.
    """
    names = tokenizer.convert_ids_to_tokens(list(ids))
    return tuple(
        f"#{id_}" if name is None else _readable(tokenizer, name) for id_, name in zip(ids, names, strict=True)
    )


def _readable(tokenizer: Tokenizer, name: str) -> str:
    """Label of a token from its name; `caf\u00c3\u00a9` of a byte-level tokenizer is `caf\u00e9`."""
    if name.isascii() or name.startswith(BOUNDARY):
        return _plain(name)
    text = tokenizer.convert_tokens_to_string([name])
    if text.strip() and text.strip() in name:  # no bytes, or only bytes that are shown as themselves
        return _plain(name)
    if "\ufffd" in text:
        if any(character not in _BYTES for character in name):
            return _plain(name)
        return "".join(f"<0x{_BYTES[character]:02X}>" for character in name)
    return text.replace(" ", SPACE).replace("\n", "\u21b5").replace("\t", "\u21e5")


def _byte_alphabet() -> dict[str, int]:
    """Character of a byte-level tokenizer -> its byte (Radford et al. 2019).

    A printable byte is its own character; the others take the next free ones from U+0100 on.
    """
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [value for value in range(256) if value not in printed]
    return {chr(value): value for value in printed} | {chr(256 + n): value for n, value in enumerate(others)}


_BYTES = _byte_alphabet()


def _segments(encoding: Any, special: Sequence[bool], fast: bool) -> list[int]:
    """The text, 0 or 1, that every token belongs to; a special token belongs to the text before it."""
    types = encoding.get("token_type_ids")
    if types is not None and any(types):
        return list(types)
    if fast:
        parts = encoding.sequence_ids()
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


def _words_by_offset(
    texts: Sequence[str], spans: Sequence[tuple[int, int]], segments: Sequence[int], special: Sequence[bool]
) -> tuple[tuple[tuple[int, ...], ...], tuple[str, ...]]:
    """Tokens and text of each word: a run of characters without white space."""
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
    word_texts = (texts[word[0]][slice(*runs[part][number])] for (part, number), word in words.items())
    return tuple(tuple(word) for word in words.values()), tuple(word_texts)


def _words_by_mark(names: Sequence[str], special: Sequence[bool]) -> tuple[tuple[int, ...], ...]:
    """Tokens of each word; a word begins at the tokenizer's mark."""
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
