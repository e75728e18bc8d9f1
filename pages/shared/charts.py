"""Charts and metrics, always with the same toolbar and a text alternative."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import painted, sentence_input
from views.figures.heatmap import ChartMatrix, legend, matrix
from views.figures.line_chart import ChartLine, lines
from views.html.generated_tokens import chart_title
from views.text.numbers import three_digits
from views.url_state import bound_settings

TOOLBAR = 28  # pixels
UNUSED_TOOLS = ["select2d", "lasso2d", "autoScale2d"]
# of charts whose axes do not move: no tool but Streamlit's, which fills the window
MOVING_TOOLS = ["toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]
ONLY_LARGER = {"displaylogo": False, "modeBarButtonsToRemove": UNUSED_TOOLS + MOVING_TOOLS}


def chart(figure: go.Figure, key: str, alt: str) -> None:
    """Render `figure` with its toolbar above it; touch drags scroll the page until a tool is chosen.

    Args:
        alt: what it shows, and where the page has the same numbers as text.
    """
    layout = figure.layout
    layout.update(dragmode=False, margin_t=(layout.margin.t or 0) + TOOLBAR, height=layout.height + TOOLBAR)
    tools = {"displaylogo": False, "modeBarButtonsToRemove": UNUSED_TOOLS}
    st.plotly_chart(figure, key=key, config=tools, alt=" ".join(alt.split()))


def matrix_chart(content: ChartMatrix, key: str, alt: str) -> None:
    """Render a matrix and its colour legend; `key` and `alt` as for `chart`."""
    theme = sentence_input.theme()
    chart(matrix(content, theme), key, alt)
    st.html(legend(content, theme))


def curves(
    series: Sequence[ChartLine],
    x: str,
    y: str | Sequence[str],
    key: str,
    alt: str,
    finding: str = "",
    **options: Any,
) -> None:
    """Render curves over one axis.

    Args:
        x, y: titles of the axes.
        finding: what the curves show, with their numbers, as the title of the chart.
        options: go to `lines`.
    """
    if finding:
        st.html(chart_title(finding))
    chart(lines(series, sentence_input.theme(), x, y, **options), key, alt)


def paint_matrix(
    name: str,
    start: np.ndarray,
    axes: tuple[Sequence[str], Sequence[str], str, str],
    key: str,
    label: str,
    kind: str,
    words: tuple[str, str],
    decode: Callable[[object, int], np.ndarray] = painted.decode,
    languages: tuple[str, str] = ("", ""),
) -> np.ndarray:
    """Render a boolean matrix that the user can paint over.

    Args:
        name: of the painted cells, in the session and in the address bar.
        start: `(side, side)` bool, its cells before any are painted.
        axes: labels of rows and of columns, and their titles.
        words: for False and for True.
        decode: reads the address, for a matrix of so many rows.
        languages: of the tokens of rows and of columns; empty where unknown.

    Returns:
        The matrix as painted, `(side, side)` bool.
    """
    changed = decode(bound_settings.stored_text(name), len(start))
    current = start ^ changed

    def store(cells: list[tuple[int, int, bool]]) -> None:
        for row, column, state in cells:
            changed[row, column] = start[row, column] != state
        bound_settings.store_text(name, painted.encode(changed))

    matrix = RowMatrix(
        label, current.astype(np.float32), kind, *axes, signed=False, words=words, paint=True, languages=languages
    )
    matrix_row([matrix], key, store)
    return current


def metrics(*named: tuple[str, str | float], help: str | None = None) -> None:
    """Render figures side by side, each below its name; numbers with three digits."""
    for column, (name, figure) in zip(st.columns(len(named)), named, strict=True):
        column.metric(name, figure if isinstance(figure, str) else three_digits(float(figure)), help=help)
