"""What dividing by sqrt(d_k) does to random scores: curves over d_k, and a histogram at one d_k."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from views import palette

RAW, SCALED = "q \u00b7 k", "q \u00b7 k / \u221ad<sub>k</sub>"
COLOURS = {RAW: palette.NEGATIVE, SCALED: palette.HUES["encoder"]}


def curves(
    widths: Sequence[int], panels: Sequence[tuple[str, np.ndarray, np.ndarray]], theme: palette.Theme
) -> go.Figure:
    """One panel a measure, without the division and with it, over d_k on a logarithmic axis.

    Args:
        panels: title, values of `q . k`, values of `q . k / sqrt(d_k)`, each `(len(widths),)`. The first panel's
            vertical axis is logarithmic too: variances span three orders of magnitude.
    """
    figure = make_subplots(rows=len(panels), cols=1, shared_xaxes=True, vertical_spacing=0.06)
    for row, (title, raw, scaled) in enumerate(panels, 1):
        for name, values in ((RAW, raw), (SCALED, scaled)):
            figure.add_scatter(
                x=list(widths),
                y=np.asarray(values, dtype=np.float32),
                name=name,
                legendgroup=name,
                showlegend=row == 1,
                mode="lines+markers",
                line={"color": COLOURS[name], "width": 2},
                marker={"size": 6},
                hovertemplate=f"d<sub>k</sub> %{{x}}<br>{title}: <b>%{{y:.4g}}</b><extra>{name}</extra>",
                row=row,
                col=1,
            )
        figure.update_yaxes(
            title={"text": title, "font": {"color": palette.INK[theme]}},
            **({"type": "log", "dtick": 1} if row == 1 else {"rangemode": "tozero"}),
            row=row,
            col=1,
        )
    # neighbours this close would write their labels over each other
    spaced = [width for width, after in zip(widths, [*widths[1:], np.inf], strict=True) if after / width > 1.6]
    figure.update_xaxes(type="log", tickvals=spaced, tickangle=0)
    figure.update_xaxes(title={"text": "d<sub>k</sub>", "font": {"color": palette.INK[theme]}}, row=len(panels))
    return _finish(figure, theme, 170 * len(panels) + 60)


def histogram(edges: np.ndarray, raw: np.ndarray, scaled: np.ndarray, theme: palette.Theme) -> go.Figure:
    """Two densities over the same bins: `edges` `(bins + 1,)`, `raw` and `scaled` `(bins,)`."""
    figure = go.Figure()
    for name, values in ((SCALED, scaled), (RAW, raw)):
        figure.add_scatter(
            x=np.asarray((edges[:-1] + edges[1:]) / 2, dtype=np.float32),
            y=np.asarray(values, dtype=np.float32),
            name=name,
            mode="lines",
            fill="tozeroy",
            line={"color": COLOURS[name], "width": 2, "shape": "hvh"},
            hovertemplate=f"%{{x:.3g}}<br>density <b>%{{y:.3g}}</b><extra>{name}</extra>",
        )
    ink = {"color": palette.INK[theme]}
    figure.update_xaxes(title={"text": "score", "font": ink})
    figure.update_yaxes(title={"text": "density", "font": ink}, rangemode="tozero")
    return _finish(figure, theme, 300)


def _finish(figure: go.Figure, theme: palette.Theme, height: int) -> go.Figure:
    ink = {"color": palette.INK[theme]}
    grid = {"tickfont": ink, "gridcolor": palette.MASKED[theme], "zeroline": False, "automargin": True}
    figure.update_xaxes(**grid)
    figure.update_yaxes(**grid)
    return figure.update_layout(
        height=height,
        margin={"l": 8, "r": 16, "t": 8, "b": 8},
        legend={"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0, "font": ink},
        hovermode="closest",
    )
