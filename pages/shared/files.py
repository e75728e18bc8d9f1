"""Downloads and tables: every page offers its pictures and its numbers."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from pages.shared.fragments import current_screen, shown_sentence
from server.download_store import download_store
from views.components.matrix_row import RowMatrix
from views.export import downloads, drawing
from views.export.downloads import HeadMap, map_drawing, matrices_picture
from views.text import catalogue, terms
from views.text.catalogue import Message, say

if TYPE_CHECKING:  # importing it takes a quarter of a second: done when a table is opened
    import pandas as pd

NO_NUMBER = "\u2013"  # a cell of a table without a number, for which Streamlit writes "None"
CSV, NPZ = Message("files.csv", "CSV"), Message("files.npz", "NPZ")  # default labels of buttons

T = TypeVar("T")
# Content of a table or of a file, or a function that computes it on request.
Rows = Sequence[Sequence] | Callable[[], Sequence[Sequence]]
Arrays = Mapping[str, ArrayLike] | Callable[[], Mapping[str, ArrayLike]]
_TYPES = {
    "csv": "text/csv",
    "html": "text/html",
    "npz": "application/zip",
    "png": "image/png",
    "svg": "image/svg+xml",
    "zip": "application/zip",
}


def download(label: str, make: Callable[[], bytes | str], file_name: str) -> None:
    """Render a download button; the file is made on request. File names must be unique within a page."""
    mime = _TYPES[file_name.rpartition(".")[2]]
    language = catalogue.language()  # the file is made in another thread, which has no session
    retained = current_screen().retain_maker(file_name, make)

    def stored() -> bytes:
        with catalogue.using_language(language):
            return download_store().add(retained(), mime, file_name)

    st.download_button(label, stored, file_name, mime, on_click="ignore", key=f"download {file_name}")


def csv(header: Sequence[str], rows: Rows, name: str, label: str = "", notes: Sequence[str] = ()) -> None:
    """Render a download of rows of numbers or words below a header as a CSV file; `notes` as of `table_csv`."""
    download(label or CSV(), lambda: downloads.table_csv(header, _content(rows), notes), f"{name}.csv")


def npz(name: str, arrays: Arrays, label: str = "") -> None:
    """Render a download of arrays by name, for `numpy.load`."""
    download(label or NPZ(), lambda: downloads.arrays_npz(_content(arrays)), f"{name}.npz")


def csv_and_table(header: Sequence[str], rows: Rows, name: str, label: str = "", key: str = "table") -> None:
    """Render rows below a header as a CSV download and as a table in a fold."""
    csv(header, rows, name, label)
    folded_table(lambda: data_frame(_content(rows), header), key, hide_index=True)


def _content(content: T | Callable[[], T]) -> T:
    return content() if callable(content) else content


def folded_table(table: "Callable[[], pd.DataFrame]", key: str = "table", **options: Any) -> None:
    """Render a table in a fold, computed when the fold is opened. `options` go to `st.dataframe`."""
    fold = st.expander(terms.NUMBERS_AS_TABLE(), on_change="rerun", key=key)
    if fold.open:
        fold.dataframe(_without_formulas(table()), placeholder=NO_NUMBER, **options)


def _without_formulas(table: "pd.DataFrame") -> "pd.DataFrame":
    """Escape texts that a spreadsheet would run or rewrite: Streamlit offers every table as a CSV file."""
    named = table.rename(index=downloads.cell, columns=downloads.cell)
    return named.apply(lambda column: column.map(downloads.cell) if column.dtype.kind in "OUT" else column)


def pictures(draw: Callable[[], drawing.Drawing], name: str, what: str = "") -> None:
    """Render downloads of a drawing as PNG and SVG, and as PNG with the page's sentence below it.

    `what` names the drawing where a page has several.
    """
    png = say("files.png.of", "{what} as PNG", what=what) if what else say("files.png", "PNG")
    svg = say("files.svg.of", "{what} as SVG", what=what) if what else say("files.svg", "SVG")
    download(png, lambda: drawing.to_png(draw()), f"{name}.png")
    if sentence := shown_sentence():
        captioned = (
            say("files.png.of.sentence", "{what} as PNG with the sentence", what=what)
            if what
            else say("files.png.sentence", "PNG with the sentence")
        )
        download(captioned, lambda: drawing.to_png(drawing.with_caption(draw(), sentence)), f"{name}-with-sentence.png")
    download(svg, lambda: drawing.to_svg(draw()), f"{name}.svg")


def matrices(items: Sequence[RowMatrix | str], title: str, name: str, what: str = "") -> None:
    """Render downloads of matrices, and the signs between them, as pictures."""
    pictures(lambda: matrices_picture(items, title), name, what)


def map_files(head_map: HeadMap, name: str, draw: Callable[[], drawing.Drawing] | None = None, what: str = "") -> None:
    """Render downloads of one head's map; `draw` makes another picture, `what` is as of `pictures`."""
    with st.container(horizontal=True):
        pictures(draw or (lambda: map_drawing(head_map)), name, what)
        download(CSV(), head_map.to_csv, f"{name}.csv")


def data_frame(
    rows: np.ndarray | Sequence[Sequence[object]],
    columns: Sequence[str],
    index: Sequence[str] | Sequence[int] | None = None,
    corner: str = "",
) -> "pd.DataFrame":
    """Return rows of numbers or words as a data frame; `corner` is the title of the column of row names."""
    import pandas

    names = None if index is None else list(index)
    return pandas.DataFrame(rows, index=names, columns=list(columns)).rename_axis(index=corner or None)
