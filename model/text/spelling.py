"""The same word in other spellings, and how differently the tokenizer splits them."""

from dataclasses import dataclass

from .tokenizer import Tokenizer

_ACCENTS = str.maketrans(
    "aeiouAEIOUcnyCNY",
    "\u00e0\u00e9\u00ee\u00f6\u00fc\u00c0\u00c9\u00ce\u00d6\u00dc\u00e7\u00f1\u00ff\u00c7\u00d1\u0178",
)
MAX_WORD = 60  # characters of a word or short phrase


@dataclass(frozen=True)
class TokenizedSpelling:
    """One spelling and its tokens."""

    name: str  # id of the change to the word, such as "plural"
    text: str  # the spelling
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    shared: int  # number of these tokens that the word as typed has too


def list_spellings(word: str) -> list[tuple[str, str]]:
    """List id and text of spellings of `word`: case, plural, typing mistakes, accents, separated letters."""
    word = " ".join(word.split())
    middle = max(0, len(word) // 2 - 1)
    swapped = word[:middle] + word[middle : middle + 2][::-1] + word[middle + 2 :]
    return [
        ("as-typed", word),
        ("lower-case", word.lower()),
        ("title-case", word.title()),
        ("upper-case", word.upper()),
        ("plural", word + "s"),
        ("doubled", word[: middle + 1] + word[middle:]),
        ("swapped", swapped),
        ("first-missing", word[1:]),
        ("accents", word.translate(_ACCENTS)),
        ("apart", " ".join(word)),
    ]


def tokenize_spellings(tokenizer: Tokenizer, texts: list[tuple[str, str]]) -> list[TokenizedSpelling]:
    """Tokenize each of `texts`, pairs of a name and a spelling; `shared` compares with the first.

    Empty and repeated spellings are left out.
    """
    rows: list[TokenizedSpelling] = []
    for name, text in texts:
        if not text.strip() or any(text == row.text for row in rows):
            continue
        ids = tuple(tokenizer.encode(text))
        first = rows[0].ids if rows else ids
        shared = sum(min(ids.count(token), first.count(token)) for token in set(ids))
        rows.append(TokenizedSpelling(name, text, ids, tuple(tokenizer.display(ids)), shared))
    return rows
