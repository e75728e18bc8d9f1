"""Whether a translator accepts a text; why not, and whether it reads the text in other characters than were typed."""

import warnings
from collections.abc import Callable, Iterable
from numbers import Integral

from .runtime.messages import UserError
from .text.source_text import is_read_differently, normalize_source

MAX_TOKENS = 128
MAX_CHARACTERS = 10_000  # far more than 128 tokens can spell; a larger text is not tokenized at all


class InputError(UserError, ValueError):
    """A sentence that cannot be translated; the message states why and what to do."""


class SourceTextWarning(UserWarning):
    """Stored token ids meet a sentence whose typographic marks or invisible characters are now read in plain form."""


def check_text(text: str, encode: Callable[[str], list[int]], positions: int) -> list[int]:
    """Return the ids of `text`, without start or end token.

    Args:
        positions: of the network; one is for `</s>`.

    Raises:
        InputError: it is empty, no text, or longer than 128 tokens or the network's positions; with the count.
    """
    if not isinstance(text, str):
        raise InputError("Pass a sentence as text; this is a {kind}.", kind=type(text).__name__)
    if not normalize_source(text[: MAX_CHARACTERS + 1]):
        raise InputError("There is nothing to translate yet: type an English sentence.")
    most = min(MAX_TOKENS, positions - 1)
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            "That text has {count:,} characters; the model reads one sentence of at most {most} tokens. "
            "Shorten it to one sentence.",
            count=len(text),
            most=most,
        )
    ids = encode(text)
    if len(ids) > most:
        raise InputError(
            "That sentence has {count} tokens and the model reads at most {most}. Shorten it by {excess} "
            "{excess:token|tokens}.",
            count=len(ids),
            most=most,
            excess=len(ids) - most,
        )
    return ids


def warn_if_read_differently(text: str) -> None:
    """Warn that token ids stored for `text` may be those of a version that read its characters as typed."""
    if isinstance(text, str) and is_read_differently(text):
        warnings.warn(
            "This sentence has typographic marks, line breaks or invisible characters. Since version 2.0 they are read "
            "in plain form; the trace's `source_text` is what was read. Earlier versions, which may have stored these "
            "`target_ids`, read them as typed, and their numbers differ.",
            SourceTextWarning,
            stacklevel=5,
        )


def check_target_ids(given: object, tokens: int) -> list[int]:
    """Ids of a target, as a saved file has them.

    Args:
        tokens: number of those that there are.

    Raises:
        InputError: there are none, or something else among them.
    """
    ids = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else []
    if not ids or not all(
        isinstance(id_, Integral) and type(id_) is not bool and 0 <= int(id_) < tokens for id_ in ids
    ):
        raise InputError("Ids of a target are whole numbers from 0 to {last}, and at least one.", last=tokens - 1)
    return [int(id_) for id_ in ids]
