"""Bring the catalogues up to date with what the code says: `python -m tools.messages`.

`assets/text/en/atlas.po` has every text of the code, for translators to begin with; in the catalogues of other
languages new texts are added, empty, and those that have gone are removed.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from views.text.catalogue import ENGLISH, TEXT

ROOT = Path(__file__).resolve().parents[1]
FLOORS = ("views", "pages", "model", "server")
KEYWORDS = {
    "say": ((1, "c"), 2),
    **dict.fromkeys(("Message", "MenuPage", "Sample"), ((1, "c"), 2)),
    "say_count": ((1, "c"), 2, 3),
    "Busy": (1,),
    "InputError": (1,),
    "InterventionError": (1,),
    "CheckpointError": (1,),
    "OpenError": (1,),
    "ReaderError": (1,),
    "TooDifferentError": (1,),
}


def texts_of_the_code() -> Catalog:
    """Every text in it, with its id."""
    found = Catalog(locale=ENGLISH, project="Attention Atlas", charset="utf-8", fuzzy=False)
    for floor in FLOORS:
        for _, _, text, _, id in extract_from_dir(ROOT / floor, [("**.py", "python")], keywords=KEYWORDS):
            found.add(text, context=id)
    return found


def written(catalogue: Catalog) -> bytes:
    """The catalogue as its file: without dates and line numbers, which would change with every change of the code."""
    catalogue.header_comment = ""
    file = io.BytesIO()
    write_po(file, catalogue, omit_header=True, no_location=True, sort_output=True, width=120, ignore_obsolete=True)
    return file.getvalue()


def main() -> None:
    """Write them all."""
    code = texts_of_the_code()
    for folder in sorted(path for path in TEXT.iterdir() if path.is_dir()):
        path = folder / "atlas.po"
        catalogue = code
        if folder.name != ENGLISH:
            with path.open("rb") as file:
                catalogue = read_po(file, locale=folder.name)
            catalogue.update(code, no_fuzzy_matching=True)
        path.write_bytes(written(catalogue))
        print(f"{path.relative_to(ROOT)}: {len(catalogue)} texts", file=sys.stderr)


if __name__ == "__main__":
    main()
