"""Text to tokens and back: one joint SentencePiece model for both languages, with byte fallback.

Normalisation, the only thing a round trip loses: Unicode NFKC, the word-boundary mark U+2581 is read as a space, runs
of spaces (U+0020; other controls and line breaks stay) become one, and spaces at both ends are removed. English text
for an encoder is written in plain characters before (`model.text.source_text`). Characters
newer than Python's own Unicode tables follow SentencePiece's. Characters outside the vocabulary are spelt in UTF-8
bytes, so nothing is ever unknown.
"""

import functools
import io
import itertools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

import sentencepiece

from ..runtime.checkpoint import check_shipped, display_path, write_atomically
from .invisible import write_codes
from .source_text import normalize_source

WORD_MARK = "\u2581"  # SentencePiece's sign for "a word starts here"
THIN_SPACE = "\u2009"


class Tokenizer:
    """A trained SentencePiece model, from its `.model` file.

    Raises:
        FileNotFoundError: there is no such file.
        CheckpointError: the file ships and was altered.
        ValueError: the file is not a SentencePiece model, or lacks byte fallback or one of the special tokens.
    """

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(f"There is no tokenizer at {display_path(path)}; restore it or train one.")
        self.path = path
        check_shipped(path)
        try:
            self._model = sentencepiece.SentencePieceProcessor(model_file=str(path))
        except (RuntimeError, OSError) as error:
            raise ValueError(f"{display_path(path)} is not a SentencePiece model; restore it or train one.") from error
        self.pad_id, self.unk_id = self._model.pad_id(), self._model.unk_id()
        self.bos_id, self.eos_id = self._model.bos_id(), self._model.eos_id()
        first_byte = max(0, self._model.piece_to_id("<0x00>"))
        if min(self.pad_id, self.unk_id, self.bos_id, self.eos_id) < 0 or not self._model.is_byte(first_byte):
            raise ValueError(f"{display_path(path)} lacks byte fallback or a special token; train it with training.")

    def __len__(self) -> int:
        """Vocabulary size."""
        return self._model.get_piece_size()

    def normalize(self, text: str) -> str:
        """Encode and decode `text`; see the module's docstring. Lone surrogates become U+FFFD."""
        return self.decode(self.encode(text))

    def encode(self, text: str) -> list[int]:
        """Return token ids of `text`, without start or end token. Lone surrogates become U+FFFD."""
        text = re.sub("[\ud800-\udfff]", "\ufffd", text)
        # SentencePiece's own rule is a table applied once from left to right: it misses marks in an unusual order,
        # decomposes some characters without composing them again, and converts each typed word mark to another space
        return self._model.encode(unicodedata.normalize("NFKC", text).replace(WORD_MARK, " "))

    def encode_source(self, text: str) -> list[int]:
        """Return the encoder's input: the tokens of English text in plain characters, and `</s>`.

        See `model.text.source_text`.
        """
        return [*self.encode(normalize_source(text)), self.eos_id]

    def encode_target(self, text: str) -> list[int]:
        """Return the decoder's target: `<s>`, the tokens and `</s>`."""
        return [self.bos_id, *self.encode(text), self.eos_id]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`; special tokens are left out, byte tokens that are no UTF-8 become U+FFFD."""
        return self._model.decode([int(token) for token in ids])

    def spans(self, ids: Sequence[int]) -> list[tuple[int, int]]:
        """Return where each token is in the text of `ids`: first character and the one after the last.

        A token is there without the space in front of its word. Special tokens, and all bytes of a character but the
        last, are empty.
        """
        text = self.decode(ids)
        ends: list[int] = []
        for count in range(1, len(ids) + 1):
            before = self.decode(ids[:count])
            complete = text.startswith(before)  # not between the bytes of a character
            ends.append(len(before) if complete else (ends or [0])[-1])
        spans = []
        for start, end in itertools.pairwise([0, *ends]):
            spaces = len(text[start:end]) - len(text[start:end].lstrip())
            spans.append((start + spaces, end))
        return spans

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return the raw tokens, as in the vocabulary file."""
        return self._model.id_to_piece([int(token) for token in ids])

    def scores(self) -> list[float]:
        """Return ln p of every token in the unigram model (Kudo 2018), in the order of the ids."""
        return [self._model.get_score(token) for token in range(len(self))]

    def is_piece_of_text(self, token: int) -> bool:
        """Return whether the token is a piece of text: neither a byte nor special, such as `</s>` and padding."""
        model, token = self._model, int(token)
        return not (model.is_byte(token) or model.is_control(token) or model.is_unknown(token))

    def display(self, ids: Sequence[int]) -> list[str]:
        """Return one readable label a token.

        The word mark becomes a thin space, and controls U+XXXX. A printable character spelt in one byte is shown as it
        is. One spelt in several bytes becomes its code point with the byte's position, such as `U+AC00 1/3`,
        `U+AC00 2/3`, `U+AC00 3/3`; bytes that form no character become `0xFF`.
        """
        labels = [_readable(token) for token in self.tokens(ids)]
        start = 0
        for is_byte, run in itertools.groupby(self._model.is_byte([int(token) for token in ids])):
            end = start + len(list(run))
            if is_byte:
                spelt = self.tokens(ids[start:end])  # <0x41>
                labels[start:end] = _byte_labels([int(token.strip("<>"), 16) for token in spelt])
            start = end
        return labels

    def labels(self, ids: Iterable[int]) -> list[str]:
        """Return readable labels of single tokens, such as alternatives; see `display` for a sequence."""
        return [self.display([int(token)])[0] for token in ids]


@functools.lru_cache(maxsize=1 << 14)
def _readable(token: str) -> str:
    return write_codes(token.replace(WORD_MARK, THIN_SPACE), spaces=True)


def _byte_labels(values: list[int]) -> list[str]:
    """Label a run of byte tokens; see `Tokenizer.display`."""
    labels: list[str] = []
    for char in bytes(values).decode("utf-8", "surrogateescape"):  # which makes U+DC80 and so on of what is no UTF-8
        spelt, code = char.encode("utf-8", "surrogateescape"), ord(char)
        if "\udc80" <= char <= "\udcff":
            labels.append(f"0x{spelt[0]:02X}")
        elif len(spelt) == 1:
            labels.append(char if char.isprintable() and char != " " else f"U+{code:04X}")
        else:
            labels.extend(f"U+{code:04X} {index + 1}/{len(spelt)}" for index in range(len(spelt)))
    return labels


def train_tokenizer(lines: Iterable[str], prefix: str | Path, vocabulary_size: int) -> Path:
    """Train a joint unigram model on `lines` of both languages (Kudo 2018); write `{prefix}.model` and return its path.

    Ids 0 to 3 are `<pad>`, `<unk>`, `<s>`, `</s>`; the next 256 are the bytes. Fewer than `vocabulary_size` tokens come
    out where the text is too small for it.

    Raises:
        ValueError: no text, or a vocabulary too small for the bytes and letters that it must hold.
    """
    content = io.BytesIO()  # a file of SentencePiece's own would hold the path it was written to
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_writer=content,
            vocab_size=vocabulary_size,
            hard_vocab_limit=False,
            model_type="unigram",
            byte_fallback=True,
            character_coverage=0.9999,
            normalization_rule_name="nfkc",
            num_threads=2,
            pad_id=0,
            unk_id=1,
            bos_id=2,
            eos_id=3,
            pad_piece="<pad>",
            minloglevel=2,
        )
    except RuntimeError as error:
        raise ValueError(
            f"No tokenizer of {vocabulary_size} tokens can be trained on this text; give more text or another "
            f"size of vocabulary."
        ) from error
    path = Path(prefix).with_suffix(".model")
    write_atomically(path, content.getvalue())
    return path
