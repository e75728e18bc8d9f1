"""Write the message catalogues from the code: `make messages`.

`assets/text/en/atlas.po` has every text of the code, for translators to begin with. It is not committed and nothing
reads it at run time. In the catalogues of other languages new texts are added, empty; those that have gone are removed;
the translation of a text that has changed is marked as fuzzy, next to the text that was translated. Translated blocks
of prose that have no hash get that of the English block. `tools/texts.py` reports what is left to do.
"""

from __future__ import annotations

import ast
import difflib
import io
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from tools import translated_prose
from views.text import model_card, prose
from views.text.catalogue import ENGLISH, TEXT

ROOT = Path(__file__).resolve().parents[1]
TRANSLATED_FROM = "translated from: "  # begins the comment above a stale translation; Babel reads no previous texts
LAYERS = ("views", "pages", "model", "server")
PROGRAMS = "assets/code"  # their comments are translated, as those of the marked lines of `model`
# function or class -> where its calls have the id and the English text (one, or singular and plural)
KEYWORDS: dict[str, tuple[int | None, tuple[int, ...]]] = {
    **dict.fromkeys(("say", "Message", "Sample"), (0, (1,))),
    "say_count": (0, (1, 2)),
    **dict.fromkeys(
        (
            "AblationError",
            "AlteredFileError",
            "Busy",
            "InputError",
            "InterventionError",
            "CausalError",
            "CheckpointError",
            "OpenError",
            "UserError",
            "WriteError",
            "NoCopyingScore",
            "NoSharedTokensError",
            "Refusal",
            "SizeError",
            "ExportError",
            "Template",
            "Unproven",
            "raised_as",
        ),
        (None, (0,)),
    ),
}


Text = tuple[str | None, str | tuple[str, ...]]  # id, and English text or its singular and plural


@cache
def texts_in(source: str) -> tuple[Text, ...]:
    """Id and English text of each call in a file, also of those inside f-strings; each source is read once.

    Babel's own extractor misses calls in f-strings on Python 3.11.
    """
    return tuple(_texts_in(ast.parse(source)))


def _texts_in(tree: ast.AST) -> Iterator[Text]:
    for node in ast.walk(tree):
        name = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
        if name not in KEYWORDS:
            continue
        arguments = [argument.value if isinstance(argument, ast.Constant) else None for argument in node.args]
        at, places = KEYWORDS[name]
        if len(arguments) <= max(places):
            continue
        id, texts = arguments[at] if at is not None else None, tuple(arguments[place] for place in places)
        if all(isinstance(text, str) and text for text in texts):
            yield id, texts if len(texts) > 1 else texts[0]


def texts_of_the_code() -> Catalog:
    """Collect every text of the code, with its id, the comments of programs and the model cards that pages show."""
    catalogue = Catalog(locale=ENGLISH, project="Attention Atlas", charset="utf-8", fuzzy=False)
    for layer in LAYERS:
        for path in sorted((ROOT / layer).rglob("*.py")):
            for id, text in texts_in(path.read_text(encoding="utf-8")):
                catalogue.add(text, context=id)
    programs = [path.read_text(encoding="utf-8") for path in sorted((ROOT / PROGRAMS).glob("*/*.py"))]
    for path in [ROOT / PROGRAMS / "headers.py", *sorted((ROOT / "model").rglob("*.py"))]:
        programs += prose.marked_programs(path.read_text(encoding="utf-8")).values()
    for program in programs:
        for text in prose.comments_in(program):
            catalogue.add(text)
    for path in sorted((ROOT / "assets").rglob("card.md")):
        for text in model_card.texts_of_card(path.read_text(encoding="utf-8")):
            catalogue.add(text)
        catalogue.add(json.loads(path.with_suffix(".json").read_bytes())["data"]["licence"])
    return catalogue


def written(catalogue: Catalog) -> bytes:
    """The catalogue as its file: without dates and line numbers, which would change with every change of the code."""
    catalogue.header_comment = ""
    file = io.BytesIO()
    write_po(file, catalogue, omit_header=True, no_location=True, sort_output=True, width=120, ignore_obsolete=True)
    return file.getvalue()


def is_translated(message: Message) -> bool:
    """Whether every form of a text has a translation."""
    forms = message.string if isinstance(message.string, tuple | list) else (message.string,)
    return bool(forms) and all(forms)


def updated(old: Catalog, code: Catalog) -> Catalog:
    """The texts of the code with the translations of `old`; those of texts that have changed since are fuzzy.

    A text with an id is the same while its id is. One without, that of an error, is taken for the most similar of those
    that have gone.
    """
    new = Catalog(locale=old.locale, project=code.project, charset="utf-8", fuzzy=False)
    translated = {(message.context, message.id): message for message in old if message.id and is_translated(message)}
    by_id = {message.context: message for message in translated.values() if message.context}
    present = {(message.context, message.id) for message in code}
    gone = {str(key[1]): message for key, message in translated.items() if not key[0] and key not in present}
    for message in code:
        if not message.id:
            continue
        former = translated.get((message.context, message.id))
        if former is not None:
            flags, comments = former.flags & {"fuzzy"}, former.user_comments if former.fuzzy else []
        else:
            similar = difflib.get_close_matches(str(message.id), gone, 1, 0.75) if not message.context else []
            former = by_id.get(message.context) if message.context else gone[similar[0]] if similar else None
            flags, comments = {"fuzzy"}, [f"{TRANSLATED_FROM}{former.id}"] if former is not None else []
        if former is None or isinstance(former.id, str) != isinstance(message.id, str):
            new.add(message.id, context=message.context)
        else:
            new.add(message.id, former.string, flags=flags, user_comments=comments, context=message.context)
    return new


def main() -> None:
    """Write the catalogues of all languages."""
    code = texts_of_the_code()
    for folder in sorted(path for path in TEXT.iterdir() if path.is_dir()):
        path = folder / "atlas.po"
        catalogue = code
        if folder.name != ENGLISH:
            with path.open("rb") as file:
                catalogue = updated(read_po(file, locale=folder.name.replace("-", "_")), code)
            translated_prose.record_hashes(TEXT, folder.name)
        path.write_bytes(written(catalogue))
        print(f"{path.relative_to(ROOT)}: {len(catalogue)} texts", file=sys.stderr)


if __name__ == "__main__":
    main()
