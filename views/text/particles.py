"""Fill texts with values: counts in groups of three digits, Korean particles, `{token:은/는}`, and plural forms.

`{count} {count:token|tokens}` writes 1 token and 2 tokens; a translation leaves the second one out where its language
has one form.

The form of a particle depends on the last sound of the word before. After a consonant the first form follows, after a
vowel the second; before 으로/로 the consonant ㄹ counts as a vowel. Digits are read in Korean, Latin letters by their
reading there. Of other characters the sound is not known: both forms are written, as in 은(는).
"""

import re
import unicodedata
from collections.abc import Sequence
from string import Formatter

from . import literal

PAIRS = (
    "은/는",
    "이/가",
    "을/를",
    "과/와",
    "으로/로",
    "이라/라",
    "이라고/라고",
    "이며/며",
    "이고/고",
    "이나/나",
    "이란/란",
)
_SPEC = re.compile(rf"(.*?)({'|'.join(sorted(PAIRS, key=len, reverse=True))})", re.DOTALL)
_SPELLED = frozenset(("id", "seed"))  # values that are written as they are typed
_PLURAL = "|"  # between the form for 1 and that for every other count
_FIELD = re.compile(rf"\{{[^{{}}]*:[^{{}}]*(?:{'|'.join(PAIRS)}|\|[^{{}}]*)\}}")
_SYLLABLES = ("가", "힣")
_FINALS = 28  # positions of a final consonant in a syllable's number; 0 is none
_RIEUL = 8  # the position of ㄹ
_DIGITS = dict(zip("0123456789", "영일이삼사오육칠팔구", strict=True))
_SIGNS = {"%": "트", "°": "도"}  # the last syllable of 퍼센트
_NAMES = dict(zip("lmnr", "엘엠엔알", strict=True))  # letters whose names end in a consonant
_VOWELS = "aeiouy"
_LATIN = re.compile(r"[A-Za-z]+$")
_SHORT = re.compile(rf"(?:^|[^{_VOWELS}])[{_VOWELS}](?:p|b|t|k|c|ck)$|(?:oo|ee|ea)[kp]$")  # cat, tab, back, book


def fill(text: str, values: dict[str, object], places: Sequence[object] = ()) -> str:
    """`text.format(*places, **values)`, in which a format may end in particles or have two plural forms.

    A count of 8000 without a format is `8,000`; a text in Arabic or Hebrew changes the order of nothing around it.

    Raises:
        KeyError, IndexError, ValueError: as `str.format` does.
    """
    values = {name: _as_shown(name, value) for name, value in values.items()}
    return _PARTICLES.vformat(text, places, values) if _FIELD.search(text) else text.format(*places, **values)


def with_particle(word: str, pair: str) -> str:
    """`word` and the form of `pair` that follows it."""
    after_consonant, after_vowel = pair.split("/")
    final = final_of(word)
    if final is None:
        shared = after_consonant.removesuffix(after_vowel)
        optional = f"({shared}){after_vowel}" if shared != after_consonant else f"{after_consonant}({after_vowel})"
        return word + optional
    is_vowel = final == 0 or (final == _RIEUL and pair == "으로/로")
    return word + (after_vowel if is_vowel else after_consonant)


def final_of(word: str) -> int | None:
    """The number of the final consonant of `word` when it is read in Korean: 0 for a vowel; None if unknown.

    Quotation marks, brackets and marks of Markdown at the end are not read.
    """
    read = unicodedata.normalize("NFC", word)
    while read and not (read[-1].isalnum() or read[-1] in _SIGNS):
        read = read[:-1]
    if not read:
        return None
    last = _SIGNS.get(read[-1], _DIGITS.get(read[-1], read[-1]))
    if _SYLLABLES[0] <= last <= _SYLLABLES[1]:
        return (ord(last) - ord(_SYLLABLES[0])) % _FINALS
    plain = "".join(char for char in unicodedata.normalize("NFKD", read) if not unicodedata.combining(char))
    match = _LATIN.search(plain)
    return _final_of_latin(match[0]) if match else None


class _Count(int):
    def __format__(self, format_spec: str) -> str:
        return super().__format__(format_spec or ",")


def _as_shown(name: str, value: object) -> object:
    if isinstance(value, str):
        return literal.isolated(value)
    return _Count(value) if type(value) is int and abs(value) >= 1000 and name not in _SPELLED else value


def without_particle(spec: str) -> str:
    """A format without the pair of particles at its end, and without plural forms."""
    if _PLURAL in spec:
        return ""
    match = _SPEC.fullmatch(spec)
    return match[1] if match else spec


def _final_of_latin(word: str) -> int:
    """The final consonant of a word or abbreviation in Latin letters, by how its letters are read in Hangul."""
    letters = word.lower()
    if word[-1].isupper() or not any(char in _VOWELS for char in letters):
        return final_of(_NAMES.get(letters[-1], "이")) or 0  # read letter by letter
    if letters.endswith("le") and len(letters) > 3:  # table, scale
        return _RIEUL
    if re.search(rf"[{_VOWELS}][^{_VOWELS}]*[{_VOWELS}]?[mn]e$", letters):  # time, machine
        return final_of("임" if letters[-2] == "m" else "인") or 0
    if letters[-1] in "lmn" or letters.endswith("ng"):
        return {"l": _RIEUL, "m": 16, "n": 4, "g": 21}[letters[-1]]
    if _SHORT.search(letters):
        return {"p": 17, "b": 17, "t": 19}.get(letters[-1], 1)
    return 0


class _ParticleFormatter(Formatter):
    def format_field(self, value: object, format_spec: str) -> str:
        if _PLURAL in format_spec:
            one, many = format_spec.split(_PLURAL)
            return one if str(value) == "1" else many
        match = _SPEC.fullmatch(format_spec)
        return with_particle(format(value, match[1]), match[2]) if match else format(value, format_spec)


_PARTICLES = _ParticleFormatter()
