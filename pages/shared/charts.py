"""Plotly figures on a page, always with the same tools and a text for those who cannot see them."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st


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
