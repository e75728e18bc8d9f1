"""Tokens of any tokenizer with their slices of the text, and the words that they make up."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..text.words import Word
from .errors import OpenError

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
        called: the words themselves; empty where their tokens' labels say them.
    """

    ids: tuple[int, ...]
    labels: tuple[str, ...]
    special: tuple[bool, ...]
    segments: tuple[int, ...]
    words: tuple[tuple[int, ...], ...]
    called: tuple[str, ...] = ()

    def whole_words(self) -> tuple[Word, ...]:
        """Runs of tokens that make up words, in order; a special token stands alone."""
        called = self.called or ["".join(self.labels[each] for each in word) for word in self.words]
        first = {word[0]: (word, text) for word, text in zip(self.words, called, strict=True)}
        inside = {place for word in self.words for place in word}
        found = []
        for place, label in enumerate(self.labels):
            if place in first:
                word, text = first[place]
                found.append(Word(text, place, word[-1] + 1))
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
        words, called = _words_by_offset([given[part] for part in segments], spans, segments, special)
    else:
        labels = [_plain(name).lstrip(SPACE) or SPACE for name in names]
        words, called = _words_by_mark(names, special), ()
    return Tokens(tuple(ids), tuple(labels), tuple(special), tuple(segments), words, called)


def tokens_of_ids(tokenizer, ids: Sequence[int]) -> Tokens:
    """Tokens that stand in no text yet: those that a decoder is fed or has generated.

    Words are runs without white space in what the ids before each token, and the token with them, decode to.
    """
    marks = set(tokenizer.all_special_ids)
    special = tuple(id_ in marks for id_ in ids)
    plain = [place for place, mark in enumerate(special) if not mark]
    words: list[list[int]] = []
    called: list[str] = []
    length, inside = 0, False  # of what is decoded; whether the next characters go on with the last word
    for count, place in enumerate(plain, 1):
        text = tokenizer.decode([ids[each] for each in plain[:count]], clean_up_tokenization_spaces=False)
        whole = text.rstrip("\ufffd")  # the first bytes of a character are none yet
        piece, length = whole[length:], max(length, len(whole))
        begun = len(whole) < len(text)
        if not begun and not piece.strip() and not (inside and not piece):  # space alone is in no word
            inside = False
            continue
        if not inside or piece[:1].isspace():
            words.append([])
            called.append("")
        words[-1].append(place)
        called[-1] += piece.strip()
        inside = begun or not piece[-1:].isspace()
    return Tokens(
        tuple(ids), labels_of(tokenizer, ids), special, (0,) * len(ids), tuple(map(tuple, words)), tuple(called)
    )


def labels_of(tokenizer, ids: Sequence[int]) -> tuple[str, ...]:
    """Labels of tokens that stand in no text, such as the candidates for the next token.

    Many networks have more ids than their tokenizer has tokens; those go by their number. Tokens that are bytes are
    read as the characters that they make up, or as their numbers where they are a part of one.
    """
    names = tokenizer.convert_ids_to_tokens(list(ids))
    return tuple(
        f"#{id_}" if name is None else _readable(tokenizer, name) for id_, name in zip(ids, names, strict=True)
    )


def _readable(tokenizer, name: str) -> str:
    """The label of a token by its name; `caf\u00c3\u00a9` of a byte-level tokenizer is `caf\u00e9`."""
    if name.isascii() or name.startswith(BOUNDARY):
        return _plain(name)
    text = tokenizer.convert_tokens_to_string([name])
    if text.strip() and text.strip() in name:  # no bytes, or only such as stand for themselves
        return _plain(name)
    if "\ufffd" in text:
        values = [_BYTES.get(character) for character in name]
        if None in values:
            return _plain(name)
        return "".join(f"<0x{value:02X}>" for value in values)
    return text.replace(" ", SPACE).replace("\n", "\u21b5").replace("\t", "\u21e5")


def _byte_alphabet() -> dict[str, int]:
    """Which byte each character of a byte-level tokenizer stands for (Radford et al. 2019): itself where it can be
    printed, the next free one from U+0100 on otherwise."""
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [value for value in range(256) if value not in printed]
    return {chr(value): value for value in printed} | {chr(256 + n): value for n, value in enumerate(others)}


_BYTES = _byte_alphabet()


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


def _words_by_offset(
    texts: Sequence[str], spans: Sequence[tuple[int, int]], segments: Sequence[int], special: Sequence[bool]
) -> tuple[tuple[tuple[int, ...], ...], tuple[str, ...]]:
    """A word is a run of characters without white space; its tokens, and it itself."""
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
    called = (texts[word[0]][slice(*runs[part][number])] for (part, number), word in words.items())
    return tuple(tuple(word) for word in words.values()), tuple(called)


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
