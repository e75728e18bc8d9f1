"""A table by its columns: what the page shows of it, and what its file and the fold below it say."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from views.html import bars, decoding_steps, generated_tokens
from views.text import literal


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table.

    Attributes:
        title: stands above it.
        values: what files say, with all digits; None where a row has nothing.
        cells: what the page shows instead of the values, where it shows something else.
    """

    title: str
    values: Sequence
    cells: Sequence[bars.Value] | None = None


def token(title: str, labels: Sequence[str]) -> Column:
    """Tokens, as the tokenizer has them."""
    return Column(title, list(map(literal.token, labels)), list(map(decoding_steps.plain, labels)))


def name(title: str, texts: Sequence[str], what: str = "token") -> Column:
    """Texts that no language has words for, see `bars.data`."""
    return Column(title, texts, [bars.data(text, what) for text in texts])


def bar(title: str, values: Sequence[float | None], largest: float, kind: str = "decoder") -> Column:
    """Numbers, each before a bar; `largest` fills a cell, and None stays empty."""
    cells = [None if value is None else bars.bar(float(value), largest, kind) for value in values]
    return Column(title, values, cells)


def meter(title: str, values: Sequence[float], largest: float) -> Column:
    """Numbers with bars behind them, see `steps.meter`."""
    return Column(title, values, [decoding_steps.meter(float(value), largest) for value in values])


def content(columns: Sequence[Column]) -> tuple[list[str], list[tuple]]:
    """Header and rows of a file."""
    plain = [column.values.tolist() if isinstance(column.values, np.ndarray) else column.values for column in columns]
    return [column.title for column in columns], list(zip(*plain, strict=True))


def show(columns: Sequence[Column], described: str, marked: int | None = None, label: str = "") -> None:
    """The table on the page, see `bars.table`, with a `label` above it. None is an empty cell."""
    header, rows = content([Column(each.title, each.values if each.cells is None else each.cells) for each in columns])
    filled = [["" if cell is None else cell for cell in row] for row in rows]
    st.html((generated_tokens.label(label) if label else "") + bars.table(header, filled, described, marked))
