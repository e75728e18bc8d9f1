"""Plotly figures on a page, always with the same tools and a text for those who cannot see them."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from views.controls import inputs
from views.figures.matrix import ChartMatrix, legend, matrix
from views.text.catalogue import Message

MAP = Message("map.alt", "Heatmap: {title}. The table below has the same numbers.")  # says what a heatmap shows


def chart(figure: go.Figure, key: str, alt: str) -> None:
    """Show `figure`.

    Args:
        alt: what it shows, and where the same numbers stand as text.
    """
    st.plotly_chart(
        figure,
        key=key,
        config={"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]},
        alt=alt,
    )


def matrix_chart(shown: ChartMatrix, key: str, alt: str) -> None:
    """Show a matrix with what its colours mean below it; `key` and `alt` as for `chart`."""
    theme = inputs.theme()
    chart(matrix(shown, theme), key, alt)
    st.html(legend(shown, theme))
