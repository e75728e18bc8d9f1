"""Numbers as files: what a page shows, for a spreadsheet or a notebook."""

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..attention_maps import Kind
from ..text import literal

FORMULA = re.compile(r"'*\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")  # the last four: the same signs in full width
_NO_TIME = (1980, 1, 1, 0, 0, 0)  # the first that the format knows


def matrix_csv(weights: np.ndarray, queries: Sequence[str], keys: Sequence[str], kind: Kind) -> bytes:
    """One map `(query, key)`, with all digits of float32; first row and column with the names that `kind` has."""
    rows = ([name, *map(float, row)] for name, row in zip(kind.names(queries), weights, strict=True))
    return table_csv([kind.corner, *kind.names(keys)], rows)


def table_csv(header: Sequence[object], rows: Iterable[Sequence[object]]) -> bytes:
    """UTF-8 with a byte-order mark, so that spreadsheets read the accents. No text in it is a formula; see `cell`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(cell, header))
    writer.writerows(map(cell, row) for row in rows)
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def cell(value: object) -> object:
    """A value as it stands in a table that a spreadsheet may open; numbers and harmless texts stay as they are.

    A text that a spreadsheet would take for a formula, even behind blanks, gets an apostrophe in front. One that has
    apostrophes of its own there gets one more, so that taking one away gives back the text.
    """
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def attention_npz(kind: str, attention: np.ndarray, queries: tuple[str, ...], keys: tuple[str, ...]) -> bytes:
    """All maps of one kind for `numpy.load`: `attention` (layer, head, query, key), both axes' labels, and the kind."""
    return arrays_npz(attention=attention, query_tokens=queries, key_tokens=keys, kind=kind)


def arrays_npz(arrays: Mapping[str, ArrayLike] | None = None, /, **named: ArrayLike) -> bytes:
    """Arrays for `numpy.load`: by keyword, or in a mapping where their names are no Python names.

    Labels are stored as they were typed: without the mark that stands for a space on screen.
    """
    file = io.BytesIO()
    stored = {name: _labels_as_typed(np.asarray(array)) for name, array in {**(arrays or {}), **named}.items()}
    np.savez_compressed(file, **stored)
    return file.getvalue()


def _labels_as_typed(array: np.ndarray) -> np.ndarray:
    """Texts as they were typed; any other array stays as it is."""
    if array.dtype.kind != "U" or not array.size:
        return array
    return np.array([literal.as_typed(text) for text in array.ravel().tolist()]).reshape(array.shape)


def archive(files: Mapping[str, bytes]) -> bytes:
    """A ZIP of files by their names, in that order. It names no time: the same files give the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _NO_TIME)
            entry.compress_type = zipfile.ZIP_STORED if name.endswith((".npz", ".png")) else zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            target.writestr(entry, content)
    return made.getvalue()
