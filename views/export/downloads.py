"""Write the numbers of a page as files for a spreadsheet or a notebook: CSV, NPZ and ZIP."""

import csv
import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..kind_labels import Kind
from ..text import literal
from ..text.catalogue import say
from .cells import cell

_NO_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest time that the format can contain


def matrix_csv(
    weights: np.ndarray, queries: Sequence[str], keys: Sequence[str], kind: Kind, chosen: Sequence[str] = ()
) -> bytes:
    """One map `(query, key)` with all digits of float32; first row and column are labels, see `Kind.names`.

    Args:
        chosen: the token that a decoder chose at each query, for a last column; none where it chose none.
    """
    rows = [[name, *map(float, row)] for name, row in zip(kind.names(queries), weights, strict=True)]
    header = [kind.corner, *kind.names(keys)]
    return table_csv(*with_chosen(header, rows, chosen))


def with_chosen(
    header: list[str], rows: Sequence[Sequence[object]], chosen: Sequence[str]
) -> tuple[list[str], list[list[object]]]:
    """Header and rows with a last column "chosen", as they are where no token was chosen; one token for each row."""
    if not chosen:
        return header, list(map(list, rows))
    added = [[*row, label and literal.token(label)] for row, label in zip(rows, chosen, strict=True)]
    return [*header, say("column.chosen", "chosen")], added


def table_csv(header: Sequence[object], rows: Iterable[Sequence[object]], notes: Sequence[str] = ()) -> bytes:
    """UTF-8 with a byte-order mark, which spreadsheets need for accents. What they interpret is escaped, see `cell`.

    Args:
        notes: sentences about all rows; they are a last column, "note", of the first row.
    """
    text = io.StringIO()
    if notes:
        header, rows = _with_notes(header, list(rows), " ".join(notes))
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(cell, header))
    writer.writerows(map(cell, row) for row in rows)
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def _with_notes(
    header: Sequence[object], rows: Sequence[Sequence[object]], note: str
) -> tuple[Sequence[object], Sequence[Sequence[object]]]:
    """The table with one more column, which has the note in the first row; in a row of its own where there is none."""
    filled = rows or [[""] * len(header)]
    return [*header, say("column.note", "note")], [[*row, "" if index else note] for index, row in enumerate(filled)]


def attention_npz(
    kind: str,
    attention: np.ndarray,
    queries: tuple[str, ...],
    keys: tuple[str, ...],
    chosen: tuple[str, ...] = (),
) -> bytes:
    """All maps of one kind for `numpy.load`: `attention` (layer, head, query, key), both axes' labels, and the kind.

    Args:
        chosen: the token that a decoder chose at each query, for an array `chosen`; none where it chose none.
    """
    more = {"chosen": chosen} if chosen else {}
    return arrays_npz(attention=attention, query_tokens=queries, key_tokens=keys, kind=kind, **more)


def arrays_npz(arrays: Mapping[str, ArrayLike] | None = None, /, **named: ArrayLike) -> bytes:
    """Arrays for `numpy.load`: by keyword, or in a mapping if their names are no Python names.

    Labels are stored as they were typed: without the character that shows a space on screen.
    """
    file = io.BytesIO()
    stored: dict[str, Any] = {
        name: _labels_as_typed(np.asarray(array)) for name, array in {**(arrays or {}), **named}.items()
    }
    np.savez_compressed(file, **stored)
    return file.getvalue()


def _labels_as_typed(array: np.ndarray) -> np.ndarray:
    """An array of labels as they were typed; any other array unchanged."""
    if array.dtype.kind != "U" or not array.size:
        return array
    return np.array([literal.as_typed(text) for text in array.ravel().tolist()]).reshape(array.shape)


def archive(files: Mapping[str, bytes]) -> bytes:
    """A ZIP of files by their names, in that order. It contains no times: the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _NO_TIME)
            entry.compress_type = zipfile.ZIP_STORED if name.endswith((".npz", ".png")) else zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            target.writestr(entry, content)
    return buffer.getvalue()
