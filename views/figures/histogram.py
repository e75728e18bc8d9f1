"""How many of many numbers lie where, as a Plotly figure."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from views import palette
from views.figures.lines import grid
from views.text.catalogue import say

BINS = 60


def histogram(values: np.ndarray, mark: float, theme: palette.Theme, x_title: str, kind: str = "encoder") -> go.Figure:
    """Counts of `values` `(n,)` in `BINS` equal bins; a line marks the number `mark`."""
    counts, edges = np.histogram(values, BINS)
    ink = {"color": palette.INK[theme]}
    around = say("histogram.around", "around {value}: <b>{count}</b>", value="%{x:.3g}", count="%{y}")
    bars = {
        "type": "bar",
        "x": ((edges[:-1] + edges[1:]) / 2).astype(np.float32),
        "y": counts.astype(np.int32),
        "marker": {"color": palette.hue_of(kind), "line": {"width": 0}},
        "hovertemplate": f"{around}<extra></extra>",
    }
    across = {"type": "line", "xref": "x", "x0": mark, "x1": mark, "yref": "y domain", "y0": 0, "y1": 1}
    layout = {
        "shapes": [{**across, "line": {"color": palette.NEGATIVE, "width": 2}}],
        "xaxis": {"title": {"text": x_title, "standoff": 8, "font": ink}, **grid(theme)},
        "yaxis": {"title": {"text": say("histogram.tokens", "tokens"), "standoff": 8, "font": ink}, **grid(theme)},
        "height": 300,
        "margin": {"l": 8, "r": 16, "t": 8, "b": 8},
        "bargap": 0.05,
    }
    return go.Figure(bars, layout)
