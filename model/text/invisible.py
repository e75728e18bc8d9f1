"""Characters that show nothing, written as their code points, so that a reader sees that they are there.

`views.text.invisible` is the same for the layer above; a test compares the two.

A character shows nothing if it is a control, a format character, a line or paragraph separator, unassigned, for
private use, a surrogate, a blank letter or ignorable by default (Unicode's Default_Ignorable_Code_Point). Where it
changes what is drawn it stays: a joiner between two letters or inside an emoji, a variation selector after the
character that it changes, tags in the flag that they name.
"""

import re
import unicodedata

_BY_CATEGORY = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u200a\u202f\u205f\u3000"
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_JOINERS = "\u200c\u200d"
_FLAG, _LAST_TAG = "\U0001f3f4", "\U000e007f"
_KEYCAP = "\u20e3"


def write_codes(text: str, spaces: bool = False) -> str:
    """`text` with every character that shows nothing where it is written as `U+XXXX`.

    Args:
        spaces: also every kind of space but U+0020 and the thin space, which marks where a word starts; for labels.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"U+{ord(char):04X}"
        if (spaces and char in _SPACES) or (_shows_nothing(char) and not _has_effect(text, place))
        else char
        for place, char in enumerate(text)
    )


def _shows_nothing(char: str) -> bool:
    return unicodedata.category(char) in _BY_CATEGORY or bool(_BLANK.match(char))


def _has_effect(text: str, place: int) -> bool:
    """Whether the character at `place`, which shows nothing itself, changes how its neighbours are drawn."""
    char, before, after = text[place], text[place - 1 : place], text[place + 1 : place + 2]
    if char in _JOINERS:
        return _joins(before) and _joins(after)
    if "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef" or "\u180b" <= char <= "\u180d":
        return after == _KEYCAP or _varies(before)
    if "\U000e0020" <= char <= _LAST_TAG:
        flag = re.compile(f"{_FLAG}[\U000e0020-\U000e007e]+{_LAST_TAG}")
        return any(match.start() < place < match.end() for match in flag.finditer(text))
    return False


def _joins(char: str) -> bool:
    """Whether a joiner next to `char` can have an effect: a letter or mark of a script that joins, or an emoji."""
    category = unicodedata.category(char) if char else "Cn"
    return not char.isascii() and (category[0] in "LM" or category in ("So", "Sk", "Sm"))


def _varies(char: str) -> bool:
    """Whether a variation selector after `char` can have an effect: a symbol, a sign, or a letter outside of ASCII."""
    return bool(char) and not char.isascii() and unicodedata.category(char) in ("So", "Sm", "Po", "Pd", "Lo")
