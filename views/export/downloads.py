"""Write the numbers of a page as files for a spreadsheet or a notebook: CSV, NPZ and ZIP."""

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import palette
from ..components.matrix_row import ALLOWED, RowMatrix, colour_limits
from ..kind_labels import Kind
from ..map_labels import describe
from ..map_weights import DECADES, Scale, shade
from ..text import literal
from ..text.catalogue import say
from ..text.numbers import three_digits
from ..viewer.attention_maps import KindMaps, Place
from .drawing import Drawing
from .matrix_image import ALONE, MatrixPanel, scale_ends, shades, side_by_side

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


# Texts of a CSV file that a spreadsheet would run as a formula or turn into a date, time, number or truth value.
#
# "5 a" becomes 5:00, "3 May" and "1-2" dates, "6 1/2" a number, "1e5" 100,000, and the text is lost when the file is
# saved again. Spreadsheets do so in the language of their user, so the names of months are those of several languages.
# A plain number, "12", "0.5" or "12.5 %", is left as it is: its value stays.

_FORMULA = re.compile(r"[=+\-@\uff1d\uff0b\uff0d\uff20]")  # the last four: the same signs in full width
_MONTHS = (
    "jan(uary|v|vier|uar|eiro)?|feb(ruary|ruar|rero)?|f[eé]vr?(ier|ereiro)?|mar(ch|s|zo|ço)?|m[aä]rz|mrz|apr(il|ile)?"
    "|avr(il)?|abr(il)?|may|mai|mayo|maio|mag(gio)?|june?|juni|juin|junio|junho|giu(gno)?|july?|juli|juil(let)?|julio"
    "|julho|lug(lio)?|aug(ust)?|ago(sto)?|ao[uû]t|sept?(ember|embre|iembre|tembre)?|set(embro|tembre)?"
    "|o[ck]t(ober|obre|ubre)?|out(ubro)?|ott(obre)?|nov(ember|embre|iembre|embro)?|de[cz](ember|embro)?|d[eé]c(embre)?"
    "|dic(iembre|embre)?|ene(ro)?|gen(naio)?"
)
_BETWEEN = r"[\s./,-]*"
_REWRITTEN = re.compile(
    "|".join(
        (
            rf"(\d+{_BETWEEN})?({_MONTHS})\.?({_BETWEEN}\d+)+(\s+\d+:\d+.*)?",  # 3 May 2020, MAR1, May-3
            rf"\d+{_BETWEEN}({_MONTHS})\.?",  # 3 May
            r"\d+\s*[./-]\s*\d+\s*[./-]\s*\d+\.?(\s.*)?",  # 1.2.2020, 2020-01-02T
            r"(\d+\s+)?\d+\s*[/-]\s*\d+",  # 1/2, 1-2, 6 1/2
            r"\d+\s*:\s*\d+.*",  # 5:00, 5:00 pm
            r"\d+\s*[apAP]\.?([mM]\.?)?",  # 5 a, 5 pm
            r"\d+\s*[\u5e74\u6708\u65e5\ub144\uc6d4\uc77c].*",  # year, month and day in Japanese, Chinese, Korean
            r"(\uc624\uc804|\uc624\ud6c4)\s*\d.*",  # a.m. and p.m. in Korean
            r"[\d.,]+\s*e\s*[+-]?\d+",  # 1e5
            r"0\d+(\.\d*)?|\d{16,}|\.\d+|\d+\.",  # 007, more digits than a number has, .5
            r"\d+([,' \u00a0\u202f\u2009]\d+)+([.,]\d+)?|\d+(\.\d{3}){2,}",  # 1,000, 5 000
            r"[$€£¥₩\uffe6]\s*[\d.,]+|[\d.,]+\s*[$€£¥₩\uffe6]|\(\s*[\d.,]+\s*\)|%\s*[\d.,]+",  # $5, (5)
            r"true|false|vrai|faux|wahr|falsch|verdadero|falso|vero|verdadeiro",
            r"#[\w/]+[!?]?",  # names of errors, #N/A
        )
    ),
    re.IGNORECASE,
)


def cell(value: object) -> object:
    """Escape a value for a table that a spreadsheet may open; numbers and harmless texts are not changed.

    A text that a spreadsheet would interpret, even after spaces, gets a leading apostrophe. One that begins with
    apostrophes gets one more, so that `text_of_cell` restores it. Signs of writing direction are for screens alone.
    """
    if not isinstance(value, str):
        return value
    text = literal.without_isolates(value)
    return f"'{text}" if is_interpreted(text) else text


def text_of_cell(cell: str) -> str:
    """The text that `cell` wrote."""
    return cell[1:] if cell.startswith("'") and is_interpreted(cell[1:]) else cell


def is_interpreted(text: str) -> bool:
    """Whether a spreadsheet would run `text` or show something else, or would if apostrophes before it were removed."""
    bare = text.lstrip("'").strip()
    return bool(_FORMULA.match(bare) or _REWRITTEN.fullmatch(bare))


# Lay out a map, or the matrices that a page shows side by side, as a picture with the page's colours, on white.

_WIDTH = 1200  # pixels after which the next matrix starts a new line


@dataclass(frozen=True, eq=False)
class HeadMap:
    """One map of a kind, to draw."""

    maps: KindMaps  # all of its kind; names the axes, decides colour and mask
    place: Place  # layer and head, from 0; None for the mean
    scale: Scale = "own"  # decides which weight gets the deepest colour
    caption: str = ""  # which layer and head, in words; by default their labels
    largest: float | None = None  # of all maps that share a scale; by default of `maps`

    @cached_property
    def weights(self) -> np.ndarray:
        """`(query, key)` float32."""
        return self.maps.mean(*self.place)

    @property
    def top(self) -> float:
        """The weight that gets the deepest colour."""
        if self.scale == "log":
            return 1.0
        if self.scale == "own":
            return float(self.weights.max())
        return float(self.maps.weights.max()) if self.largest is None else self.largest

    @property
    def where(self) -> str:
        """Layer and head in words."""
        return self.caption or describe(*self.maps.ids(self.place))

    @property
    def title(self) -> str:
        """Kind, layer and head as a heading."""
        return self.maps.kind.heading(self.where)

    def to_csv(self) -> bytes:
        """The map as CSV; see `matrix_csv`."""
        queries, keys = self.maps.queries, self.maps.keys
        return matrix_csv(self.weights, queries.labels, keys.labels, self.maps.kind, queries.chosen)


def map_drawing(head: HeadMap) -> Drawing:
    """Lay out title, axes, cells and colour bar for `head`."""
    kind, queries, keys = head.maps.kind, head.maps.queries.names, head.maps.keys.names
    axes, scale = (kind.query_axis, kind.key_axis), palette.scale(kind.name, "light")
    matrix = MatrixPanel("", map_shades(head), queries, keys, scale, map_ends(head), axes, ALONE)
    return side_by_side([matrix], head.title)


def map_shades(head: HeadMap) -> np.ndarray:
    """`(query, key, 3)` uint8: red, green and blue of every cell, grey where masked."""
    share, scale = shade(head.weights, head.top, head.scale == "log"), palette.scale(head.maps.kind.name, "light")
    return shades(share, scale, 0, 1, head.maps.masked)


def map_ends(head: HeadMap) -> tuple[str, str]:
    """Texts next to the lowest and the highest colour."""
    foot = f"\u2264 {(head.top or 1) / 10**DECADES:.3g}" if head.scale == "log" else "0"
    return foot, three_digits(head.top)


def matrices_picture(items: Sequence[RowMatrix | str], title: str) -> Drawing:
    """Lay out the matrices in reading order; a string among `items` is an operator between two of them."""
    return side_by_side((item if isinstance(item, str) else matrix_panel(item) for item in items), title, _WIDTH)


def matrix_panel(matrix: RowMatrix) -> MatrixPanel:
    """A matrix with its numbers and colours of the page; masked cells are grey."""
    values = np.asarray(matrix.values, dtype=np.float32)
    low, high = colour_limits(matrix)
    scale: Sequence[str] = palette.colours(matrix.kind, "light", matrix.signed)
    if matrix.words:
        allowed = palette.to_hex(shades(np.full((1, 1), ALLOWED), scale, 0, 255, np.zeros((1, 1), bool))[0, 0])
        scale, low, high = (palette.MASKED["light"], allowed), 0.0, 1.0
    hidden = ~np.isfinite(values)
    rows, columns = values.shape
    return MatrixPanel(
        f"{matrix.name}, {rows} \u00d7 {columns}",
        shades(values, scale, low, high, hidden),
        matrix.rows,
        matrix.columns,
        scale,
        matrix.words or scale_ends(low, high),
    )
