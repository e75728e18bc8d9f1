"""Numbers as files: what a page shows, for a spreadsheet or a notebook."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from views import literal
from views.maps import numbered

_NO_TIME = (1980, 1, 1, 0, 0, 0)  # the first that the format knows


def matrix_csv(weights: np.ndarray, queries: tuple[str, ...], keys: tuple[str, ...]) -> bytes:
    """One map: a row a query, a column a key, first row and first column with the pieces.

    Args:
        weights: `(query, key)`; written with as many digits as float32 holds.
    """
    rows = (
        [label, *(repr(float(value)) for value in row)] for label, row in zip(numbered(queries), weights, strict=True)
    )
    return table_csv(["query \\ key", *numbered(keys)], rows)


def table_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """UTF-8 with a byte-order mark, so that spreadsheets read the accents."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def attention_npz(kind: str, attention: np.ndarray, queries: tuple[str, ...], keys: tuple[str, ...]) -> bytes:
    """All maps of one kind for `numpy.load`: `attention` (layer, head, query, key), both axes' pieces, and the kind."""
    return arrays_npz(
        {
            "attention": attention,
            "query_tokens": np.array(queries),
            "key_tokens": np.array(keys),
            "kind": np.array(kind),
        }
    )


def arrays_npz(arrays: Mapping[str, np.ndarray] | None = None, /, **named: np.ndarray) -> bytes:
    """Arrays for `numpy.load`: by keyword, or in a mapping where their names are no Python names."""
    file = io.BytesIO()
    np.savez_compressed(file, **(arrays or {}), **named)
    return file.getvalue()


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


def safe_cell(text: str) -> str:
    """A piece for a spreadsheet cell: a leading `=`, `+`, `-` or `@` would be taken for a formula."""
    shown = literal.piece(text)
    return f"'{shown}" if shown[0] in "=+-@" else shown
