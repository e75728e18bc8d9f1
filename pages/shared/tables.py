"""Tables by columns: the cells on the page, and the values in its file and its data frame."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import streamlit as st

from views.html import bars, decoding_steps, generated_tokens
from views.text import literal
from views.text.numbers import three_digits


@dataclass(frozen=True, eq=False)
class TableColumn:
    """One column of a table."""

    title: str  # header of the column
    values: Sequence | np.ndarray  # for files, with all digits; None where a row has no value
    cells: Sequence[bars.Value | None] | None = None  # for the page, where they differ from the values


def token_column(title: str, labels: Sequence[str], language: str = "") -> TableColumn:
    """A column of tokens, as the tokenizer has them, of a language or of an unknown one."""
    cells = [decoding_steps.token_cell(label, language) for label in labels]
    return TableColumn(title, list(map(literal.token, labels)), cells)


def name_column(
    title: str, texts: Sequence[str], what: Literal["token", "number", "name"] = "token", language: str = ""
) -> TableColumn:
    """A column of texts that are not translated, see `bars.data_cell`."""
    return TableColumn(title, texts, [bars.data_cell(text, what, language) for text in texts])


def bar_column(
    title: str,
    values: Sequence[float | None] | np.ndarray,
    largest: float,
    kind: str = "decoder",
    write: Callable[[float], str] = three_digits,
) -> TableColumn:
    """A column of numbers, each with a bar; `largest` fills a cell, and None stays empty. `write` formats the cells."""
    cells = [None if value is None else bars.bar_cell(float(value), largest, kind, write=write) for value in values]
    return TableColumn(title, values, cells)


def meter_column(title: str, values: Sequence[float] | np.ndarray, largest: float) -> TableColumn:
    """A column of numbers with bars behind them, see `decoding_steps.meter_cell`."""
    return TableColumn(title, values, [decoding_steps.meter_cell(float(value), largest) for value in values])


def header_and_rows(columns: Sequence[TableColumn]) -> tuple[list[str], list[tuple]]:
    """Return header and rows of a file."""
    plain = [column.values.tolist() if isinstance(column.values, np.ndarray) else column.values for column in columns]
    return [column.title for column in columns], list(zip(*plain, strict=True))


def render_table(
    columns: Sequence[TableColumn], name: str, marked: int | None = None, label: str = "", stacked: bool = False
) -> None:
    """Render a table, see `bars.table`, with a `label` above it. None is an empty cell."""
    header, rows = header_and_rows(
        [TableColumn(each.title, each.values if each.cells is None else each.cells) for each in columns]
    )
    filled = [["" if cell is None else cell for cell in row] for row in rows]
    st.html(
        (generated_tokens.label(label) if label else "") + bars.table(header, filled, name, marked, stacked=stacked)
    )
