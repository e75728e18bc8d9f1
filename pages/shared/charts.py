"""Figures on a page, always with the same tools and a text for those who cannot see them."""

from collections.abc import Callable, Sequence

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import painted, sentence_input
from views.figures.heatmap import ChartMatrix, legend, matrix
from views.figures.line_chart import ChartLine, lines
from views.text.numbers import three_digits
from views.url_state import bound_settings

TOOLBAR = 28  # pixels


def chart(figure: go.Figure, key: str, alt: str) -> None:
    """Show `figure`, its tools above what it draws; a thumb that is dragged over it scrolls until one is chosen.

    Args:
        alt: what it shows, and where the same numbers stand as text.
    """
    layout = figure.layout
    layout.update(dragmode=False, margin_t=(layout.margin.t or 0) + TOOLBAR, height=layout.height + TOOLBAR)
    tools = {"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]}
    st.plotly_chart(figure, key=key, config=tools, alt=" ".join(alt.split()))


def matrix_chart(shown: ChartMatrix, key: str, alt: str) -> None:
    """Show a matrix with what its colours mean below it; `key` and `alt` as for `chart`."""
    theme = sentence_input.theme()
    chart(matrix(shown, theme), key, alt)
    st.html(legend(shown, theme))


def curves(drawn: Sequence[ChartLine], x: str, y: str | Sequence[str], key: str, alt: str, **looks) -> None:
    """Show curves over one axis; `x` and `y` are the titles of the axes, `looks` go to `lines`."""
    chart(lines(drawn, sentence_input.theme(), x, y, **looks), key, alt)


def paint_matrix(
    name: str,
    start: np.ndarray,
    axes: Sequence,
    key: str,
    label: str,
    kind: str,
    words: Sequence[str],
    read: Callable[[object, int], np.ndarray] = painted.decode,
) -> np.ndarray:
    """A matrix of yes and no that a reader paints over.

    Args:
        name: of what was painted, in the session and in the address bar.
        start: `(side, side)` bool, what it is where nothing was painted.
        axes: labels of rows and of columns, and their titles.
        words: for no and for yes.
        read: what the address holds, for a matrix of so many rows.

    Returns:
        What it is now, `(side, side)` bool.
    """
    changed = read(bound_settings.stored_text(name), len(start))
    now = start ^ changed

    def keep(cells: list[tuple[int, int, bool]]) -> None:
        for row, column, state in cells:
            changed[row, column] = start[row, column] != state
        bound_settings.store_text(name, painted.encode(changed))

    shown = RowMatrix(label, now.astype(np.float32), kind, *axes, signed=False, words=words, paint=True)
    matrix_row([shown], key, keep)
    return now


def metrics(*named: tuple[str, str | float], help: str | None = None) -> None:
    """Figures side by side, each below its name; numbers with three digits."""
    for column, (name, figure) in zip(st.columns(len(named)), named, strict=True):
        column.metric(name, figure if isinstance(figure, str) else three_digits(float(figure)), help=help)
