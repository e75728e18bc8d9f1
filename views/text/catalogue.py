"""What the app says, in the reader's language: ids and English texts stand in the code, translations in catalogues.

A catalogue is `assets/text/<language>/atlas.po`: gettext's format, `msgctxt` the id, `msgid` the English text. A text
that it does not have, or whose places in braces are wrong, is said in English; so is everything where the file cannot
be read. `python -m tools.messages` brings the catalogues up to date with the code.
"""

import io
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from string import Formatter

TEXT = Path(__file__).resolve().parents[2] / "assets" / "text"
ENGLISH = "en"
PSEUDO = "en-xa"  # English in brackets, for tests: what is visible outside brackets was said past the catalogue
PSEUDO_SWITCH = "ATLAS_PSEUDO_LANGUAGE"  # the environment variable that offers it
OPENED, CLOSED = "\u27e6", "\u27e7"  # the brackets

_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


@dataclass(frozen=True)
class Message:
    """A text that is known before its language is, such as one of a table at the top of a module.

    Attributes:
        id: says what the text is for; never changes.
        english: may have places in braces, such as `{count}`.
    """

    id: str
    english: str

    def __call__(self, **values: object) -> str:
        """The text in the reader's language, with `values` in their places."""
        return say(self.id, self.english, **values)


@dataclass(frozen=True)
class Untranslated:
    """Stands where a `Message` may: a name, a symbol or a sentence of another, which says itself in every language."""

    text: str

    def __call__(self) -> str:
        return _filled(self.text, {})


def say(id: str, english: str, **values: object) -> str:
    """`english` in the reader's language, with `values` in their places; see `Message`."""
    return _filled(_translated(id, english), values)


def say_count(id: str, one: str, many: str, count: int, **values: object) -> str:
    """`one` or `many`, or what the reader's language has for `count`, which can stand in the text as `{count}`."""
    return _filled(_catalogue(language()).npgettext(id, one, many, count), {"count": count} | values)


def say_error(error: Exception) -> str:
    """What an error that knows its template says; any other says its own text."""
    template = getattr(error, "template", None)
    if template is None:
        return _filled(str(error), {})
    return _filled(_translated(None, template), error.values)


def language() -> str:
    """The reader's, while a page runs; English otherwise."""
    return _language.get()


@contextmanager
def using_language(language: str) -> Iterator[None]:
    """Say everything in this language, one of `languages()`."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


@cache
def languages() -> dict[str, str]:
    """The languages that there are: the code, and what its speakers call it. English is the first."""
    found = {path.parent.name for path in TEXT.glob("*/atlas.po")} - {ENGLISH}
    names = {code: _own_name(code) for code in (ENGLISH, *sorted(found))}
    return {code: name for code, name in names.items() if name} | (
        {PSEUDO: "Pseudo"} if os.environ.get(PSEUDO_SWITCH) else {}
    )


def _own_name(code: str) -> str | None:
    """What its speakers call a language; None where `code` is no language's."""
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(code, sep="-").get_display_name(code)
    except (UnknownLocaleError, ValueError):
        return None


def nearest_language(wished: str | None) -> str:
    """The language for a reader whose browser asks for `wished`, such as "ko-KR"; English where it is not there."""
    code = (wished or ENGLISH).lower()
    return code if code in languages() else code.split("-")[0] if code.split("-")[0] in languages() else ENGLISH


def in_brackets(text: str) -> str:
    """`text` as the pseudo-language says it."""
    if not text.strip():
        return text
    # What Markdown knows by its beginning, such as a list, must keep it, and paragraphs are elements of their own.
    alone = (
        "\n\n" in text
        or text.lstrip()[:2] in ("- ", "* ", "> ", "| ", "$$", "1.")
        or text.startswith(("#", "|", "```"))
    )
    return f"{OPENED}\n\n{text}\n\n{CLOSED}" if alone else f"{OPENED}{text}{CLOSED}"


def _filled(text: str, values: dict[str, object]) -> str:
    filled = text.format(**values) if values else text
    return in_brackets(filled) if language() == PSEUDO else filled


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
    except Exception as error:  # a damaged file makes its reader raise almost anything
        logging.getLogger(__name__).warning("%s cannot be read (%s): English is said instead.", path, error)
        return NullTranslations()


def _read(path: Path, language: str) -> NullTranslations:
    """The translations of a file, without those that do not fit their English texts."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with path.open("rb") as file:
        catalogue = read_po(file, locale=language.replace("-", "_"))
    for message in list(catalogue):
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        if ids[0] and not (all(forms) and _fits(forms, ids)):
            catalogue.delete(message.id, message.context)
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)


def _fits(forms: tuple[str, ...], ids: tuple[str, ...]) -> bool:
    """True if a translation asks for no value that the English text does not have."""
    known, asked = _placeholders(ids), _placeholders(forms)
    return known is None or (asked is not None and asked <= known)


def _placeholders(texts: tuple[str, ...]) -> set[tuple] | None:
    """Name, format and conversion of each place in braces; None where they are a formula's: it takes no values."""
    try:
        return {tuple(place[1:]) for text in texts for place in Formatter().parse(text) if place[1] is not None}
    except ValueError:
        return None
