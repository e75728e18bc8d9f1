"""Report what is missing, stale, unused or wrong in the translations: `make texts`.

python -m tools.texts           # how much of each language is translated, and what is wrong
python -m tools.texts ko        # the same for one language, with the ids of all texts that are missing
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from tools import markup, messages, translated_prose
from views.text import catalogue, glossary

COMMAND = "make messages"
_IN_FORMULA = re.compile(r"\\text\{[^{}]*\}")  # words, which are translated


@dataclass
class Report:
    """What is left to do in one language. Every text is named by its id, an error's by its English text.

    Attributes:
        texts, translated: numbers of messages and blocks, and how many of them have a translation.
        missing: texts without a translation; they are shown in English.
        stale: translations of an English text that has changed since.
        unrecorded: translated blocks without the hash of the English block.
        unused: translations of texts that do not exist any more.
        wrong: sentences about placeholders, terms and markup.
    """

    language: str
    texts: dict[str, int] = field(default_factory=lambda: {"messages": 0, "blocks": 0})
    translated: dict[str, int] = field(default_factory=lambda: {"messages": 0, "blocks": 0})
    missing: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    unrecorded: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def translations(folder: Path) -> list[str]:
    """The languages in `folder` other than English."""
    return sorted(path.parent.name for path in folder.glob("*/atlas.po") if path.parent.name != catalogue.ENGLISH)


def report(folder: Path, language: str, code: Catalog) -> Report:
    """Compare a language with the texts of the code and the English prose."""
    result = Report(language)
    _compare_messages(result, folder / language / "atlas.po", code)
    for block in translated_prose.blocks(folder, language):
        if block.state == "unused":
            result.unused.append(str(block))
            continue
        result.texts["blocks"] += 1
        if block.state == "missing":
            result.missing.append(str(block))
            continue
        result.translated["blocks"] += block.state == "translated"
        if block.state != "translated":
            (result.stale if block.state == "stale" else result.unrecorded).append(str(block))
        result.wrong += [f"{block}: {problem}" for problem in _problems((block.english,), (block.translation,))]
    return result


def _compare_messages(result: Report, path: Path, code: Catalog) -> None:
    with path.open("rb") as file:
        old = read_po(file, locale=result.language.replace("-", "_"))
    known = {(message.context, message.id) for message in code}
    result.unused += [
        _name(message)
        for message in old
        if message.id and messages.is_translated(message) and (message.context, message.id) not in known
    ]
    for message in messages.updated(old, code):
        if not message.id:
            continue
        result.texts["messages"] += 1
        if not messages.is_translated(message):
            result.missing.append(_name(message))
        elif message.fuzzy:
            result.stale.append(_name(message))
        else:
            result.translated["messages"] += 1
            forms = _forms(message.id), _forms(message.string)
            result.wrong += [f"{_name(message)}: {problem}" for problem in _problems(*forms)]
    result.unused = [name for name in result.unused if name not in result.stale]


def _problems(english: tuple[str, ...], translation: tuple[str, ...]) -> Iterator[str]:
    """What is wrong in the forms of a translation, compared with those of the English text."""
    expected, present = (
        catalogue.placeholders([_IN_FORMULA.sub("", text) for text in texts]) for texts in (english, translation)
    )
    if expected is not None and expected != present:
        yield f"its placeholders are {_fields(present)}, not {_fields(expected)}"
    for text in translation:
        yield from markup.problems(text, glossary.WHERE_SHOWN)


def _fields(fields: set[tuple] | None) -> str:
    names = sorted(f"{name}{':' if spec else ''}{spec}" for name, spec, _ in fields or ())
    return ", ".join(names) or "none"


def _forms(text: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def _name(message: Message) -> str:
    return message.context or f'"{_forms(message.id)[0]}"'


def main(arguments: list[str] | None = None) -> int:
    """Print the report; return the exit status, 1 if anything is stale or wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", nargs="?", help="also name every missing text of this language")
    only = parser.parse_args(arguments).language
    code, faults = messages.texts_of_the_code(), 0
    for language in [only] if only else translations(catalogue.TEXT):
        result = report(catalogue.TEXT, language, code)
        counts = ", ".join(f"{result.translated[kind]} of {result.texts[kind]} {kind}" for kind in result.texts)
        print(f"{language}: {counts} translated" + (", complete" if catalogue.is_complete(language) else ""))
        for title, names in (
            ("stale", result.stale),
            (f"not recorded; run `{COMMAND}`", result.unrecorded),
            ("unused", result.unused),
            ("wrong", result.wrong),
            ("missing", result.missing if only else []),
        ):
            print(
                *([f"  {title}:"] if names else []),
                *(f"    {name}" for name in names),
                sep="\n",
                end="\n" * bool(names),
            )
        faults += len(result.stale) + len(result.unrecorded) + len(result.wrong)
    return int(faults > 0)


if __name__ == "__main__":
    raise SystemExit(main())
