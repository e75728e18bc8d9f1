"""The forms in which a text is given to an opened model: characters, ids, a batch of either, or a chat."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PIL import Image

from .errors import OpenError
from .library_version import Config, Tokenizer
from .readers import table_size
from .token_offsets import Tokens, tokenize, tokens_of_ids

NO_TEXT = ("pixel_values", "image_", "input_features", "input_values")  # what processors return besides a text
TextForm = str | Sequence[int] | Tokens  # a text, the ids of its tokens, or the tokens of a trace


def read_text(tokenizer: Tokenizer, config: Config, text: TextForm, second: str | None, special: bool) -> Tokens:
    """Tokens of a text or a pair of texts, or of ids as they are.

    Args:
        special: whether the tokenizer adds its special tokens to a text.

    Raises:
        OpenError: it has no tokens, or is neither a text nor ids of this model.
    """
    if isinstance(text, Tokens):
        return text
    if second is not None and not isinstance(second, str):
        raise OpenError("A second text is given as text, not as {type}.", type=type(second).__name__)
    if isinstance(text, str):
        return tokenize(tokenizer, text, second, add_special=special)
    if second is not None:
        raise OpenError("A second text goes with a text, not with ids; give ids that contain both.")
    return tokens_of_ids(tokenizer, check_ids(config.get_text_config(), text))


def check_ids(config: Config, given: Sequence[int]) -> list[int]:
    """Ids of tokens that there are.

    Args:
        config: of the part of the network that reads them.

    Raises:
        OpenError: there are none, or no such ones.
    """
    ids = [int(id_) for id_ in given]
    size = getattr(config, "vocab_size", None)
    if not ids:
        raise OpenError("There are no ids; give at least one.")
    if size is not None and not all(0 <= id_ < size for id_ in ids):
        wrong = next(id_ for id_ in ids if not 0 <= id_ < size)
        raise OpenError("There is no token {id}; ids go from 0 to {last} in this model.", id=wrong, last=str(size - 1))
    return ids


def check_known(config: Config, tokens: Tokens) -> None:
    """Refuse tokens of a tokenizer that the network does not know, as they were added without a row of its table.

    Raises:
        OpenError: with the first of them.
    """
    size = table_size(config)
    unknown = next((place for place, id_ in enumerate(tokens.ids) if id_ >= size), None)
    if unknown is not None:
        raise OpenError(
            "The tokenizer reads the token {token!r} in this text, number {id}, and the numbers that this model knows "
            "end at {last}; leave that token out, or enlarge the model: model.resize_token_embeddings(len(tokenizer)).",
            token=tokens.labels[unknown],
            id=tokens.ids[unknown],
            last=str(size - 1),
        )


def read_target(config: Config, given: object) -> str | tuple[int, ...]:
    """What a decoder is fed: a text, or ids of it.

    Raises:
        OpenError: it is something else, or has ids that there are not.
    """
    plain = _plain(given)
    if isinstance(plain, str):
        return plain
    if not isinstance(plain, list) or not all(map(_is_id, plain)):
        raise OpenError("A target is a text, or the ids of one; leave it out to use the model's own answer.")
    return tuple(check_ids(config.get_text_config(decoder=True), plain))


def split_batch(given: object) -> list[TextForm] | None:
    """The inputs of a batch, as texts or ids without padding; None where one input alone was given.

    A batch is a list of texts, a list of lists of ids, a matrix of ids, or what a tokenizer returns, with
    `attention_mask`: padding on either side is left out.

    Raises:
        OpenError: it is empty, or mixes forms.
    """
    mask, rows = None, given
    if isinstance(given, Mapping):
        if "input_ids" not in given:
            raise OpenError("This has no input_ids; give a text, ids, or what the tokenizer returns.")
        if other := next((name for name in given if str(name).startswith(NO_TEXT)), None):
            raise OpenError(
                "This has {name} besides input_ids; give the text itself, and its pictures as `picture`.", name=other
            )
        rows, mask = given["input_ids"], given.get("attention_mask")
    rows = _plain(rows)
    if not isinstance(rows, list):
        return None
    if not rows:
        raise OpenError("This batch is empty; give at least one text.")
    if all(_is_id(row) for row in rows):
        return None
    if all(isinstance(row, str) for row in rows):
        return rows
    if not all(isinstance(row, list) and all(map(_is_id, row)) for row in rows):
        raise OpenError("A batch contains texts only, or lists of ids only; give it as one of these.")
    if mask is None:
        return rows
    masks = _plain(mask)
    if not isinstance(masks, list) or [len(row) for row in masks if isinstance(row, list)] != list(map(len, rows)):
        raise OpenError("attention_mask and input_ids differ in their shape; give both as the tokenizer returns them.")
    return [
        [id_ for id_, visible in zip(row, shown, strict=True) if visible]
        for row, shown in zip(rows, masks, strict=True)
    ]


def one_text(given: object) -> TextForm:
    """One text, or the ids of one.

    Raises:
        OpenError: it is something else; the message states what to give.
    """
    if isinstance(given, Mapping):
        given = given.get("input_ids")
    plain = _plain(given)
    if isinstance(plain, str | Tokens) or (isinstance(plain, list) and all(map(_is_id, plain))):
        return plain
    if isinstance(given, Image.Image | np.ndarray):
        raise OpenError("This model reads text, not pictures; give it a text, or ids.")
    raise OpenError("This model reads text; give it a text, ids, a list of either, or a chat as messages=[...].")


def _is_id(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _plain(given: Any) -> Any:
    """Lists in place of tensors, arrays and tuples."""
    if isinstance(given, Image.Image | str):
        return given
    if hasattr(given, "detach"):
        given = given.detach().cpu().numpy()
    if isinstance(given, np.ndarray):
        return given.tolist() if given.dtype.kind in "iuU" else given
    if isinstance(given, list | tuple):
        return [_plain(part) for part in given]
    return given
