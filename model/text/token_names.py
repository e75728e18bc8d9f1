"""The text that the names of tokens spell, by the convention of their tokenizer: what the network read.

A name is what `tokenizer.convert_ids_to_tokens` returns. Conventions differ in how they mark words and bytes:

- byte-level BPE (Radford et al. 2019, section 2.2): one character for each byte, `\u0120` for a space
- SentencePiece (Kudo and Richardson 2018): `\u2581` for a space, `<0xF0>` for a byte
- WordPiece: `##` before every token of a word but the first
- BPE of subword-nmt (Sennrich et al. 2016): `@@` after every token of a word but the last
- BPE of GPT and CLIP: `</w>` after the last token of a word
- bytes as the characters U+0000 to U+00FF (ByT5)
"""

import codecs
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SPACE_MARK = "\u2581"  # SentencePiece
BYTE_SPACE = "\u0120"  # byte-level BPE: the byte 0x20
CONTINUATION = "##"  # WordPiece
UNFINISHED = "@@"  # subword-nmt
WORD_END = "</w>"
_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_SPECIAL_NAME = re.compile(r"\[[A-Za-z][\w -]*\]|<[|\uff5c/]*[A-Za-z][^\s<>]*>")
_ESCAPED = re.compile("[\udc80-\udcff]")  # a byte that is no part of a character, as `surrogateescape` decodes it


@dataclass(frozen=True)
class SpelledTokens:
    """The text of a sequence of tokens."""

    text: str  # what all tokens spell; a byte that is no part of a character is one of U+DC80 to U+DCFF
    # start and end in `text` for each token; tokens with bytes of one character share it, a special token has an empty
    # span
    spans: tuple[tuple[int, int], ...]
    marks_words: bool  # whether white space in `text` tells where words begin and end
    confirmed: bool = False  # whether the tokenizer itself makes the same text of the names, but for spaces

    @property
    def pieces(self) -> tuple[str, ...]:
        """The slice of the text of each token."""
        return tuple(self.text[start:end] for start, end in self.spans)

    def slice_of(self, tokens: Sequence[int]) -> str:
        """The text from the first to the last of these tokens, given by their indices."""
        covered = [self.spans[place] for place in tokens if self.spans[place][1] > self.spans[place][0]]
        return self.text[covered[0][0] : covered[-1][1]] if covered else ""


def spell_tokens(names: Sequence[str], special: Sequence[bool], joined: str | None = None) -> SpelledTokens:
    """Join the names of tokens to the text that they spell.

    Args:
        names: of the tokens, in order.
        special: whether each is a special token, which spells nothing and separates words.
        joined: the text that the tokenizer itself makes of the names that are not special, where there is a
            tokenizer; the convention is the one that gives the same text.
    """
    plain = [name for name, mark in zip(names, special, strict=True) if not mark]
    convert, confirmed = _find_convention(plain), False
    if joined is not None:
        candidates = [(one, _join(one, plain).split()) for one in (convert, *_CONVENTIONS)]
        same = [(one, words) for one, words in candidates if "".join(words) == "".join(joined.split())]
        if same:  # spaces before punctuation may be missing in the tokenizer's text
            convert = min(same, key=lambda candidate: abs(len(candidate[1]) - len(joined.split())))[0]
            confirmed = True
    data, ranges = bytearray(), []
    for name, mark in zip(names, special, strict=True):
        if mark:
            data += b" "
            ranges.append((len(data), len(data)))
            continue
        piece = convert(name)
        ranges.append((len(data), len(data) + len(piece)))
        data += piece
    text = data.decode("utf-8", "surrogateescape")
    characters = [number for number, char in enumerate(text) for _ in char.encode("utf-8", "surrogateescape")]
    spans = tuple((characters[a], characters[b - 1] + 1) if b > a else (0, 0) for a, b in ranges)
    spelled = "".join(text[start:end] for start, end in spans)
    return SpelledTokens(text, spans, convert is not _plain or any(map(str.isspace, spelled)), confirmed)


def _join(convert: Callable[[str], bytes], names: Sequence[str]) -> str:
    return b"".join(map(convert, names)).decode("utf-8", "replace")


def is_special_name(name: str) -> bool:
    """Whether a token's name looks like that of a special token: `[CLS]`, `<s>`, `<|endoftext|>`, not `<0xF0>`."""
    return _SPECIAL_NAME.fullmatch(name) is not None and name != WORD_END


def name_bytes(text: str) -> str:
    """Replace bytes that are no part of a character by their values, such as `<0xC3>`."""
    return _ESCAPED.sub(lambda match: f"<0x{ord(match[0]) - 0xDC00:02X}>", text)


def _find_convention(names: Sequence[str]) -> Callable[[str], bytes]:
    """The function that converts each of these names to the bytes that it spells."""
    joined = "".join(names)
    if SPACE_MARK in joined or any(map(_BYTE_TOKEN.fullmatch, names)):
        return _sentencepiece
    ends_words = any(name.endswith(WORD_END) for name in names)
    bare = [name.removesuffix(WORD_END) for name in names]
    all_bytes = not joined.isascii() and all(char in BYTES for name in bare for char in name)
    if all_bytes and (BYTE_SPACE in joined or _is_utf8(b"".join(map(_byte_level, bare)))):
        return _byte_level_word_end if ends_words else _byte_level
    if ends_words:
        return _word_end
    if any(name.startswith(CONTINUATION) and name != CONTINUATION for name in names):
        return _wordpiece
    if any(name.endswith(UNFINISHED) and name != UNFINISHED for name in names):
        return _unfinished
    if not joined.isascii() and all(len(name) == 1 and ord(name) < 256 for name in names):
        return _latin_1 if _is_utf8(joined.encode("latin-1")) else _plain
    return _plain


def _is_utf8(data: bytes) -> bool:
    """Whether these bytes are text with a character of several bytes; the last one may be incomplete."""
    try:
        return not codecs.getincrementaldecoder("utf-8")().decode(data).isascii()
    except UnicodeDecodeError:
        return False


def _sentencepiece(name: str) -> bytes:
    if match := _BYTE_TOKEN.fullmatch(name):
        return bytes([int(match[1], 16)])
    return name.replace(SPACE_MARK, " ").encode("utf-8", "replace")


def _byte_level(name: str) -> bytes:
    return b"".join(bytes([BYTES[char]]) if char in BYTES else char.encode("utf-8", "replace") for char in name)


def _wordpiece(name: str) -> bytes:
    rest = name.removeprefix(CONTINUATION)
    return (rest if rest and rest != name else f" {name}").encode("utf-8", "replace")


def _unfinished(name: str) -> bytes:
    cut = name.removesuffix(UNFINISHED)
    return (cut if cut and cut != name else f"{name} ").encode("utf-8", "replace")


def _word_end(name: str) -> bytes:
    return _plain(name.removesuffix(WORD_END)) + (b" " if name.endswith(WORD_END) else b"")


def _byte_level_word_end(name: str) -> bytes:
    return _byte_level(name.removesuffix(WORD_END)) + (b" " if name.endswith(WORD_END) else b"")


def _latin_1(name: str) -> bytes:
    return name.encode("latin-1", "replace")


def _plain(name: str) -> bytes:
    return name.encode("utf-8", "replace")


def _byte_alphabet() -> dict[str, int]:
    """Character of a byte-level tokenizer -> its byte (Radford et al. 2019).

    A printable byte is its own character; the others take the next free ones from U+0100 on.
    """
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [value for value in range(256) if value not in printed]
    return {chr(value): value for value in printed} | {chr(256 + n): value for n, value in enumerate(others)}


BYTES = _byte_alphabet()
_CONVENTIONS = (_sentencepiece, _byte_level, _wordpiece, _unfinished, _word_end, _byte_level_word_end, _latin_1, _plain)
