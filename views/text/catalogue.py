"""Translate messages to the user's language: ids and English texts are in the code, translations in catalogues.

A catalogue is `assets/text/<language>/atlas.po`: gettext's format, `msgctxt` the id, `msgid` the English text. A text
is shown in English if its translation is missing, stale or has wrong placeholders, and every text if the file cannot be
read. `python -m tools.messages` updates the catalogues from the code. A language whose folder has no file `complete` is
shown to those who ask for it in the address alone. docs/translating.md describes the folder.
"""

import io
import logging
import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from string import Formatter

from ..shipped_files import read_shipped
from . import literal
from .glossary import JOINER

TEXT = Path(__file__).resolve().parents[2] / "assets" / "text"
ENGLISH = "en"
COMPLETE = "complete"  # a file in the folder of a language in which every text is translated
PSEUDO = "en-xa"  # English in brackets, for tests: a text without brackets on screen is not translated
PSEUDO_SWITCH = "ATLAS_PSEUDO_LANGUAGE"  # the environment variable that adds it to the languages
OPENED, CLOSED = "\u27e6", "\u27e7"  # the brackets
_PERCENT = re.compile("(?<=\\d)[ \u00a0]%(?=[가-힣])")  # before a particle
_LOG = re.compile(r"(?<![\w\\])(?:([-\u2212])(ln|log|\{log\})|(ln)) p(?![A-Za-z\d])")

_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


@dataclass(frozen=True)
class Message:
    """A text that is translated when it is called, for constants of a module."""

    id: str  # states what the text is for; never changes
    english: str  # may contain placeholders, such as `{count}`

    def __call__(self, **values: object) -> str:
        """The text in the user's language, with `values` for its placeholders."""
        return say(self.id, self.english, **values)


@dataclass(frozen=True)
class Untranslated:
    """A text in place of a `Message` that is the same in every language: a name, a symbol or a quoted sentence."""

    text: str

    def __call__(self) -> str:
        return _filled(self.text, {})


def say(id: str, english: str, **values: object) -> str:
    """`english` in the user's language, with `values` for its placeholders; see `Message`."""
    return _filled(_translated(id, english), values)


def say_count(id: str, one: str, many: str, count: int, **values: object) -> str:
    """`one` or `many`, or the plural form of the user's language for `count`. The texts may contain `{count}`."""
    return _filled(_catalogue(language()).npgettext(id, one, many, count), {"count": count} | values)


def say_error(error: Exception) -> str:
    """The message of an error in the user's language, also of errors among its values; without a template its text.

    Numbers of layers, heads and positions count from 1, as on every page.
    """
    template, values = getattr(error, "template", None), getattr(error, "values", {})
    if template is None:
        return _filled(str(error), {})
    translated = {
        name: say_error(value) if isinstance(value, Exception) else getattr(value, "on_screen", value)
        for name, value in values.items()
    }
    sentence = _translated(None, template)
    for name, value in values.items():
        if isinstance(value, Exception) and f"{{{name}}};" in sentence:  # the sentence of this error goes on
            translated[name] = str(translated[name]).removesuffix(".")
    return _filled(sentence, translated)


def say_sentence(english: str) -> str:
    """A sentence without an id in the user's language: one of the server, which does not import this module."""
    return _marked(_translated(None, english))


def language() -> str:
    """The user's language while a page runs; English otherwise."""
    return _language.get()


@contextmanager
def using_language(language: str) -> Iterator[None]:
    """Context in which every text is in this language, one of `languages()`."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


@cache
def languages() -> dict[str, str]:
    """The languages that an address may name: code -> name in that language. English is the first."""
    names = {code: _own_name(code) for code in language_codes()}
    return {code: name for code, name in names.items() if name} | (
        {PSEUDO: "Pseudo"} if os.environ.get(PSEUDO_SWITCH) else {}
    )


def language_codes() -> list[str]:
    """The codes of all folders that have a catalogue. English is the first, and needs none."""
    return [ENGLISH, *sorted({path.parent.name for path in TEXT.glob("*/atlas.po")} - {ENGLISH})]


def offered_languages() -> dict[str, str]:
    """The languages of the switch, as in `languages`: those that are complete, and the one that is in use."""
    return {code: name for code, name in languages().items() if code == language() or is_complete(code)}


def is_complete(code: str) -> bool:
    """Whether every text is translated into an available language, as its folder states."""
    return code in (ENGLISH, PSEUDO) or (TEXT / code / COMPLETE).is_file()


def _own_name(code: str) -> str | None:
    """The name of a language in that language; None if `code` is unknown."""
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(code, sep="-").get_display_name(code)
    except (UnknownLocaleError, ValueError):
        return None


def nearest_language(preferred: str | None) -> str:
    """The language for a browser that asks for `preferred`, such as "ko-KR"; English if it is not complete."""
    code = (preferred or ENGLISH).lower()
    nearest = (each for each in (code, code.split("-")[0]) if each in languages() and is_complete(each))
    return next(nearest, ENGLISH)


def in_brackets(text: str) -> str:
    """`text` in the pseudo-language."""
    if not text.strip():
        return text
    # Markdown that is recognised by its beginning, such as a list, must not change; paragraphs are separate elements.
    own_block = (
        "\n\n" in text
        or text.lstrip()[:2] in ("- ", "* ", "> ", "| ", "$$", "1.")
        or text.startswith(("#", "|", "```"))
    )
    return f"{OPENED}\n\n{text}\n\n{CLOSED}" if own_block else f"{OPENED}{text}{CLOSED}"


def with_whole_logs(text: str) -> str:
    """`text` with a minus and a no-break space in `-ln p`, of which no line takes only a part."""
    if " p" not in text:
        return text
    return _LOG.sub(lambda match: ("\u2212" if match[1] else "") + (match[2] or match[3]) + "\u00a0p", text)


def _filled(text: str, values: dict[str, object]) -> str:
    text = with_whole_logs(text)
    filled = fill(text, values) if values else text
    return _marked(_PERCENT.sub(f"\u00a0%{JOINER}", filled) if "%" in filled else filled)


def _marked(text: str) -> str:
    return in_brackets(text) if language() == PSEUDO else text


def _translated(id: str | None, english: str) -> str:
    catalogue = _catalogue(language())
    return catalogue.gettext(english) if id is None else catalogue.pgettext(id, english)


@cache
def _catalogue(language: str) -> NullTranslations:
    path = TEXT / language / "atlas.po"
    if language == ENGLISH or not path.is_file():
        return NullTranslations()
    try:
        return _read(path, language)
    except Exception as error:  # parsing a damaged file can raise almost any exception
        logging.getLogger(__name__).warning("%s cannot be read (%s): English is shown instead.", path, error)
        return NullTranslations()


def _read(path: Path, language: str) -> NullTranslations:
    """The translations of a file, without stale ones and those whose placeholders differ from their English texts."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with io.BytesIO(read_shipped(path)) as file:
        catalogue = read_po(file, locale=language.replace("-", "_"))
    for message in list(catalogue):
        ids, forms = _forms(message.id), _forms(message.string)
        if ids[0] and not (all(forms) and not message.fuzzy and _fits(forms, ids)):
            catalogue.delete(message.id, message.context)
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)


def _forms(text: str | Sequence[str] | None) -> tuple[str, ...]:
    """Singular and plural forms of a text, or the only one."""
    return (text or "",) if text is None or isinstance(text, str) else tuple(text)


def _fits(forms: tuple[str, ...], ids: tuple[str, ...]) -> bool:
    """True if a translation has no placeholder that the English text does not have."""
    known, used = placeholders(ids), placeholders(forms)
    return known is None or (used is not None and used <= known)


def placeholders(texts: Sequence[str]) -> set[tuple] | None:
    """Name, format without particles, and conversion of each placeholder; None for the braces of a formula."""
    try:
        fields = [field for text in texts for field in Formatter().parse(text)]
    except ValueError:
        return None
    return {
        (name, without_particle(spec or ""), conversion) for _, name, spec, conversion in fields if name is not None
    }


# Fill texts with values: counts in groups of three digits, Korean particles, `{token:은/는}`, and plural forms.
#
# `{count} {count:token|tokens}` writes 1 token and 2 tokens; a translation leaves the second one out where its language
# has one form.
#
# The form of a particle depends on the last sound of the word before. After a consonant the first form follows, after a
# vowel the second; before 으로/로 the consonant ㄹ counts as a vowel. Digits are read in Korean, Latin letters by their
# reading there. Of other characters the sound is not known: both forms are written, as in 은(는).

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
