"""What is shown, as files and as tables: every page offers its pictures and its numbers."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from server.download_store import download_store
from views.components.matrix_row import RowMatrix
from views.export import downloads, drawing
from views.export.matrices import HeadMap, map_drawing, matrices_picture
from views.text import catalogue, terms
from views.text.catalogue import Message, say

if TYPE_CHECKING:  # a quarter of a second that only a table is worth: imported when one is opened
    import pandas as pd

CSV, NPZ = Message("files.csv", "CSV"), Message("files.npz", "NPZ")  # what buttons say where nothing else is said

# Content of a table or of a file, or what makes it when it is asked for.
Rows = Sequence[Sequence] | Callable[[], Sequence[Sequence]]
Arrays = Mapping[str, object] | Callable[[], Mapping[str, object]]
_TYPES = {
    "csv": "text/csv",
    "html": "text/html",
    "npz": "application/zip",
    "png": "image/png",
    "svg": "image/svg+xml",
    "zip": "application/zip",
}


def download(label: str, make: Callable[[], bytes | str], file_name: str) -> None:
    """A file that is made when it is asked for, so that a page stays quick. File names differ within a page."""
    mime = _TYPES[file_name.rpartition(".")[2]]
    language = catalogue.language()  # the file is made in another thread, which knows of no reader

    def kept() -> bytes:
        with catalogue.using_language(language):
            return download_store().add(make(), mime, file_name)

    st.download_button(label, kept, file_name, mime, on_click="ignore", key=f"download {file_name}")


def csv(header: Sequence[str], rows: Rows, name: str, label: str = "") -> None:
    """Rows of numbers or words below a header as a CSV file."""
    download(label or CSV(), lambda: downloads.table_csv(header, _content(rows)), f"{name}.csv")


def npz(name: str, arrays: Arrays, label: str = "") -> None:
    """Arrays by name as a file for `numpy.load`."""
    download(label or NPZ(), lambda: downloads.arrays_npz(_content(arrays)), f"{name}.npz")


def csv_and_table(header: Sequence[str], rows: Rows, name: str, label: str = "", key: str = "table") -> None:
    """Rows below a header as a CSV file and as a table below a fold."""
    csv(header, rows, name, label)
    folded_table(lambda: data_frame(_content(rows), header), key, hide_index=True)


def _content(content):
    return content() if callable(content) else content


def folded_table(table: "Callable[[], pd.DataFrame]", key: str = "table", **options) -> None:
    """A table below a fold, made when the fold is opened. `options` go to `st.dataframe`."""
    fold = st.expander(terms.NUMBERS_AS_TABLE(), on_change="rerun", key=key)
    if fold.open:
        fold.dataframe(_without_formulas(table()), **options)


def _without_formulas(shown: "pd.DataFrame") -> "pd.DataFrame":
    """The same for a reader who saves it: Streamlit offers every table as a CSV file."""
    named = shown.rename(index=downloads.cell, columns=downloads.cell)
    return named.apply(lambda column: column.map(downloads.cell) if column.dtype.kind in "OUT" else column)


def pictures(draw: Callable[[], drawing.Drawing], name: str, what: str = "") -> None:
    """A drawing as a PNG and an SVG file; `what` it is of, where a page has more than one."""
    png = say("files.png.of", "{what} as PNG", what=what) if what else say("files.png", "PNG")
    svg = say("files.svg.of", "{what} as SVG", what=what) if what else say("files.svg", "SVG")
    download(png, lambda: drawing.to_png(draw()), f"{name}.png")
    download(svg, lambda: drawing.to_svg(draw()), f"{name}.svg")


def matrices(items: Sequence[RowMatrix | str], title: str, name: str, what: str = "") -> None:
    """Matrices and the signs between them as picture files."""
    pictures(lambda: matrices_picture(items, title), name, what)


def map_files(shown: HeadMap, name: str, draw: Callable[[], drawing.Drawing] | None = None) -> None:
    """Picture and numbers of one head's map as files; `draw` makes the picture where it is not the plain map."""
    with st.container(horizontal=True):
        pictures(draw or (lambda: map_drawing(shown)), name)
        weights = shown.weights, shown.queries, shown.keys, shown.kind
        download(CSV(), lambda: downloads.matrix_csv(*weights), f"{name}.csv")


def data_frame(rows, columns: Sequence[str], index: list[str] | None = None, corner: str = "") -> "pd.DataFrame":
    """Rows of numbers or words as what `numbers` shows; `corner` stands above the names of the rows."""
    import pandas

    return pandas.DataFrame(rows, index=index, columns=columns).rename_axis(index=corner or None)
