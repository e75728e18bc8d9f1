"""Tokens of any tokenizer with their slices of the text, and the words they form."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any

from ..text.token_names import BYTES, SPACE_MARK, SpelledTokens, name_bytes, spell_tokens
from ..text.words import SPACE, TokenAxis, Word, are_words, label_slice, number_shared, word_runs, words_by_span
from .errors import OpenError
from .library_version import Tokenizer


@dataclass(frozen=True)
class Tokens:
    """The tokens of one text or of two."""

    ids: tuple[int, ...]
    """One for each token."""
    labels: tuple[str, ...]
    """Shown to the user: the token's slice of the text, or the name of a special token."""
    special: tuple[bool, ...]
    """Whether the tokenizer added it."""
    segments: tuple[int, ...]
    """0 or 1, the text that a token belongs to."""
    words: tuple[tuple[int, ...], ...]
    """Indices of the tokens of every word; special tokens belong to none."""
    word_texts: tuple[str, ...] = ()
    """The words themselves; empty where the labels of their tokens, joined, are the words."""
    types: tuple[int, ...] = ()
    """Of the tokens of two texts, where the tokenizer itself distinguishes them; some use more than 0 and 1."""
    chosen: tuple[str, ...] = ()
    """The label of the token that a decoder chose at each, "" where it chose none; empty for a text that is only read.
    """
    ends: bool = False
    """The last chosen token is a special token, such as `</s>`."""

    @cached_property
    def rows(self) -> TokenAxis:
        """The tokens as queries: with the tokens that were chosen there, if any."""
        return self.axis.choosing(self.chosen, (*self.special[1:], self.ends)) if any(self.chosen) else self.axis

    @cached_property
    def axis(self) -> TokenAxis:
        """The tokens as displayed; each label of two texts ends with "(A)" or "(B)"."""
        labels, segments = self.labels, self.segments if any(self.segments) else ()
        if segments:
            labels = tuple(f"{label} ({'AB'[part]})" for label, part in zip(labels, self.segments, strict=True))
        return TokenAxis(labels, self.special, self.whole_words() if self.words else None, segments)

    def whole_words(self) -> tuple[Word, ...]:
        """Runs of tokens that form words, in order; a special token is a run of its own."""
        texts = self.word_texts or ["".join(self.labels[place] for place in word) for word in self.words]
        return word_runs(list(zip(self.words, texts, strict=True)), self.labels, self.special)


def tokenize(tokenizer: Tokenizer, text: str, second: str | None = None, *, add_special: bool = True) -> Tokens:
    """Tokenize a text or a pair of texts, as input of the network.

    Labels show what the network reads: a token whose name spells something else than its slice of the text (lower
    case, no accents) is labelled by what it spells, and an unknown token by its name and the text that it replaces.

    Args:
        add_special: whether the tokenizer adds special tokens; those that are written in the text are marked too.

    Raises:
        OpenError: the text has no tokens, or the network accepts no second text.
    """
    fast = bool(tokenizer.is_fast)
    texts = (text,) if second is None else (text, second)
    options = {"return_special_tokens_mask": True, "return_offsets_mapping": fast, "verbose": False}
    if not add_special:
        options["add_special_tokens"] = False
    encoding = tokenizer(*texts, **options)
    ids = encoding["input_ids"]
    special = [bool(mark) for mark in encoding["special_tokens_mask"]]
    if not add_special:
        marked = set(tokenizer.all_special_ids)
        special = [id_ in marked for id_ in ids]
    if all(special):
        raise OpenError("This text has no tokens; type at least one word.")
    segments = [0] * len(ids) if second is None else _segments(encoding, special, fast)
    types = tuple(encoding.get("token_type_ids", ())) if second is not None else ()
    types = types if any(types) else ()
    names = tokenizer.convert_ids_to_tokens(ids)
    read = _spell(tokenizer, names, special)
    if not fast:
        labels = _labels_of_names(tokenizer, read, names)
        for place, piece in _find_unknown(
            read, [id_ == tokenizer.unk_token_id for id_ in ids], " ".join(texts)
        ).items():
            labels[place] = f"{labels[place]} {piece}"
        return replace(_tokens(ids, labels, special, segments, words_by_span(read.text, read.spans)), types=types)
    spans = [(a, a) if mark else (a, b) for (a, b), mark in zip(encoding["offset_mapping"], special, strict=True)]
    unknown = [id_ == tokenizer.unk_token_id and not mark for id_, mark in zip(ids, special, strict=True)]
    labels = []
    for part, (start, end), name, spelled, missing in zip(segments, spans, names, read.pieces, unknown, strict=True):
        piece = texts[part][start:end]
        if not piece:
            labels.append(label_slice(spelled) if spelled else name)
        elif missing:
            labels.append(f"{name} {label_slice(piece)}")
        else:
            labels.append(label_slice(spelled if read.confirmed and _differ(spelled, piece) else piece))
    labels = number_shared(labels, read.spans if read.confirmed else spans, segments)
    words: list[tuple[list[int], str]] = []
    for part, whole in enumerate(texts):
        own = [span if segment == part else (0, 0) for span, segment in zip(spans, segments, strict=True)]
        for word, written in words_by_span(whole, own):
            as_read = "" if any(unknown[place] for place in word) else "".join(read.slice_of(word).split())
            words.append((word, as_read if read.confirmed and as_read and " " not in written else written))
    return replace(_tokens(ids, labels, special, segments, words), types=types)


def _spell(tokenizer: Tokenizer, names: Sequence[str], special: Sequence[bool]) -> SpelledTokens:
    plain = [name for name, mark in zip(names, special, strict=True) if not mark]
    return spell_tokens(names, special, tokenizer.convert_tokens_to_string(plain))


def _find_unknown(read: SpelledTokens, unknown: Sequence[bool], text: str) -> dict[int, str]:
    """The words that unknown tokens replace, by the known words around them; index of a token -> its word.

    For a tokenizer without offsets. A token is left out where words and text cannot be aligned one to one.
    """
    if not any(unknown):
        return {}
    atoms: list[tuple[str, int]] = []  # known words and marks, and each unknown token with its index
    for place, (piece, missing) in enumerate(zip(read.pieces, unknown, strict=True)):
        if missing:
            atoms.append(("", place))
        else:
            atoms += [(char.casefold(), -1) for char in piece if not char.isspace()]
    written = [(match[0], match.start()) for match in re.finditer(r"\S", text)]
    matcher = SequenceMatcher(
        None, [atom for atom, _ in atoms], [char.casefold() for char, _ in written], autojunk=False
    )
    replaced: dict[int, str] = {}
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "replace" and b - a == 1 and atoms[a][1] >= 0:
            start, end = written[c][1], written[d - 1][1] + 1
            if not any(map(str.isspace, text[start:end])):
                replaced[atoms[a][1]] = text[start:end]
    return replaced


def _differ(spelled: str, piece: str) -> bool:
    """Whether a network reads something else than the user sees: other letters, not another form of the same ones."""
    read, written = (unicodedata.normalize("NFC", text.strip()) for text in (spelled, piece))
    return bool(spelled) and read != written


def _labels_of_names(tokenizer: Tokenizer, read: SpelledTokens, names: Sequence[str]) -> list[str]:
    labels = [
        label_slice(spelled) if spelled else _printable(tokenizer, name)
        for name, spelled in zip(names, read.pieces, strict=True)
    ]
    return number_shared(labels, read.spans, [0] * len(labels))


def _printable(tokenizer: Tokenizer, name: str) -> str:
    """Name of a special token; where it is a character that is not printed (CANINE), `[CLS]` from `cls_token`."""
    if name.isprintable():
        return name
    roles = (role for role in reversed(tokenizer.SPECIAL_TOKENS_ATTRIBUTES) if getattr(tokenizer, role, None) == name)
    return next((f"[{role.removesuffix('_token').upper()}]" for role in roles), f"U+{ord(name[0]):04X}")


def _tokens(
    ids: Sequence[int],
    labels: Sequence[str],
    special: Sequence[bool],
    segments: Sequence[int],
    words: Sequence[tuple[Sequence[int], str]],
) -> Tokens:
    """The tokens, without words where the runs between spaces are none, as in Chinese."""
    texts = [text for _, text in words]
    if not are_words(texts):
        words, texts = [], []
    places = tuple(tuple(word) for word, _ in words)
    return Tokens(tuple(ids), tuple(labels), tuple(special), tuple(segments), places, tuple(map(name_bytes, texts)))


def tokens_of_ids(tokenizer: Tokenizer, ids: Sequence[int], special_ids: Iterable[int] = ()) -> Tokens:
    """Tokens without a text: those that a decoder is fed or has generated; labels and words from their names.

    Args:
        special_ids: of special tokens besides those that the tokenizer states.
    """
    names = tokenizer.convert_ids_to_tokens(list(ids))
    marks = {*tokenizer.all_special_ids, *special_ids}
    special = [id_ in marks for id_ in ids]
    named = [f"#{id_}" if name is None else name for id_, name in zip(ids, names, strict=True)]
    read = _spell(tokenizer, named, [mark or name is None for mark, name in zip(special, names, strict=True)])
    labels = _labels_of_names(tokenizer, read, named)
    return _tokens(ids, labels, special, [0] * len(ids), words_by_span(read.text, read.spans))


def labels_of(tokenizer: Tokenizer, ids: Sequence[int]) -> tuple[str, ...]:
    """Labels of tokens without a text, such as the candidates for the next token; a space before a word is visible.

    Many networks have more ids than their tokenizer has tokens; those are labelled by number. Byte tokens are labelled
    by the characters they form, or by their numbers where they are a part of one.
    """
    names = tokenizer.convert_ids_to_tokens(list(ids))
    return tuple(
        f"#{id_}" if name is None else _readable(tokenizer, name) for id_, name in zip(ids, names, strict=True)
    )


def _readable(tokenizer: Tokenizer, name: str) -> str:
    """Label of a token from its name; `caf\u00c3\u00a9` of a byte-level tokenizer is `caf\u00e9`."""
    if name.isascii() or name.startswith(SPACE_MARK):
        return _plain(name)
    text = tokenizer.convert_tokens_to_string([name])
    if text.strip() and text.strip() in name:  # no bytes, or only bytes that are shown as themselves
        return _plain(name)
    if "\ufffd" in text:
        if any(character not in BYTES for character in name):
            return _plain(name)
        return "".join(f"<0x{BYTES[character]:02X}>" for character in name)
    return text.replace(" ", SPACE).replace("\n", "\u21b5").replace("\t", "\u21e5")


def _segments(encoding: Any, special: Sequence[bool], fast: bool) -> list[int]:
    """The text, 0 or 1, that every token belongs to; a special token belongs to the text before it."""
    types = encoding.get("token_type_ids")
    if types is not None and any(types):
        return [min(type_, 1) for type_ in types]
    if fast:
        parts = encoding.sequence_ids()
        return [
            part if part is not None else next((p for p in parts[place::-1] if p is not None), 0)
            for place, part in enumerate(parts)
        ]
    ends = [place for place, mark in enumerate(special) if mark]
    first = ends[len(ends) // 2 - 1] if len(ends) > 1 else len(special)
    return [int(place > first) for place in range(len(special))]


def _plain(name: str) -> str:
    return name.replace(SPACE_MARK, SPACE).replace("\u0120", SPACE).replace("\u010a", "\u21b5")
