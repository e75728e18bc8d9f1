"""Curves over one axis, or paths in a plane, as a Plotly figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from views import literal, palette

# Okabe and Ito's other hues follow those of encoder, decoder and cross.
SERIES = (*(palette.HUES[kind] for kind in ("encoder", "decoder", "cross", "vision")), "#E69F00", "#56B4E9")
HEIGHT = 340


@dataclass(frozen=True)
class Line:
    """One curve: `y` over `x`, both `(n,)`.

    Attributes:
        name: for the legend; may come from a person.
        place: which of `SERIES` colours it.
        dash: "solid", "dash" or "dot".
        marks: show each point; `labels` then names them.
        panel: which panel of the figure, from 0.
    """

    name: str
    x: np.ndarray
    y: np.ndarray
    place: int = 0
    dash: str = "solid"
    marks: bool = False
    labels: Sequence[str] | None = None
    panel: int = 0


def lines(
    curves: Sequence[Line],
    theme: palette.Theme,
    x_title: str,
    y_title: str | Sequence[str],
    log_y: bool = False,
    height: int = HEIGHT,
    y_range: tuple[float, float] | None = None,
    short: bool = False,
) -> go.Figure:
    """Draw `curves`; one title of the y axis for each panel, panels below each other with one x axis.

    Args:
        short: both axes hold short numbers, so the room for them is known; else Plotly measures, and draws twice.
    """
    titles = [y_title] if isinstance(y_title, str) else list(y_title)
    figure = make_subplots(rows=len(titles), cols=1, shared_xaxes=True, vertical_spacing=0.08)
    legend_seen = set()
    for curve in curves:
        name = literal.plotly(literal.visible(curve.name))
        labels = None if curve.labels is None else [literal.plotly(label) for label in curve.labels]
        figure.add_trace(
            go.Scatter(
                x=_compact(curve.x),
                y=_compact(curve.y),
                name=name,
                legendgroup=name,
                showlegend=name not in legend_seen,
                mode=("lines+markers" if len(curve.x) > 1 else "markers") if curve.marks else "lines",
                line={"color": SERIES[curve.place % len(SERIES)], "width": 2, "dash": curve.dash},
                marker={"size": 7},
                text=labels,
                hovertemplate=f"{name}<br>{'%{text}<br>' if labels else ''}"
                + "%{x:.7g}: <b>%{y:.7g}</b><extra></extra>",
            ),
            row=curve.panel + 1,
            col=1,
        )
        legend_seen.add(name)
    ink = {"color": palette.INK[theme]}
    grid = {
        "tickfont": ink,
        "gridcolor": palette.MASKED[theme],
        "zeroline": False,
        "automargin": not short,
        "ticks": "",
    }
    figure.update_xaxes(**grid)
    figure.update_yaxes(**({"type": "log", "dtick": 1} if log_y else {}), **grid)
    figure.update_xaxes(title={"text": x_title, "standoff": 8, "font": ink}, row=len(titles), col=1)
    for row, title in enumerate(titles, 1):
        figure.update_yaxes(title={"text": title, "standoff": 8, "font": ink}, row=row, col=1)
    if y_range is not None:
        figure.update_yaxes(range=list(y_range))
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 16, "t": 40, "b": 48} if short else {"l": 8, "r": 16, "t": 8, "b": 8},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": ink},
        showlegend=len(legend_seen) > 1,
        hovermode="closest",
    )
    return figure


def category_ticks(figure: go.Figure, names: Sequence[str]) -> go.Figure:
    """Name the places 0, 1, 2, ... of the x axis."""
    return figure.update_xaxes(tickvals=list(range(len(names))), ticktext=[literal.plotly(name) for name in names])


def _compact(values: np.ndarray) -> np.ndarray:
    values = np.asarray(values)
    return values.astype(np.float32) if values.dtype.kind == "f" else values
