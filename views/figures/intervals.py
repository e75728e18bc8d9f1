"""Figures with a band around each, by group: several series side by side over a few groups, as a Plotly figure."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from .. import palette
from ..text import literal
from .line_chart import SERIES

_HEIGHT = 360
_SPREAD = 0.5  # of the distance between two groups, taken by the series of one
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")


@dataclass(frozen=True)
class IntervalSeries:
    """One figure for each group.

    Attributes:
        name: for the legend.
        values, lows, highs: the figure and the ends of its band, one a group.
    """

    name: str
    values: Sequence[float]
    lows: Sequence[float]
    highs: Sequence[float]


def intervals(
    series: Sequence[IntervalSeries],
    groups: Sequence[str],
    firm: Sequence[bool],
    theme: palette.Theme,
    x_title: str,
    y_title: str,
) -> go.Figure:
    """Draw `series`, each a little beside the others, joined over the groups that are firm.

    Args:
        groups: what stands below each.
        firm: whether a group's figures rest on enough; the others are drawn hollow and joined to nothing.
    """
    ink, count = {"color": palette.INK[theme]}, max(len(series) - 1, 1)
    traces = []
    for place, one in enumerate(series):
        colour = SERIES[place % len(SERIES)]
        beside = _SPREAD * (place / count - 0.5)
        x = [group + beside for group in range(len(groups))]
        symbol = SYMBOLS[place % len(SYMBOLS)]
        said = f"{literal.plotly(one.name)}<br>%{{customdata[0]}}"
        band = "%{y:.4g} (%{customdata[1]:.4g} \u2013 %{customdata[2]:.4g})"
        pairs = zip(groups, one.lows, one.highs, strict=True)
        traces.append(
            {
                "type": "scatter",
                "x": x,
                "y": list(one.values),
                "name": literal.plotly(one.name),
                "legendgroup": str(place),
                "mode": "markers",
                "marker": {
                    "size": 9,
                    "color": colour,
                    "symbol": [symbol if enough else f"{symbol}-open" for enough in firm],
                },
                "error_y": {
                    "type": "data",
                    "symmetric": False,
                    "array": [high - value for high, value in zip(one.highs, one.values, strict=True)],
                    "arrayminus": [value - low for low, value in zip(one.lows, one.values, strict=True)],
                    "thickness": 1.5,
                    "width": 4,
                    "color": colour,
                },
                "customdata": [[literal.plotly(group), low, high] for group, low, high in pairs],
                "hovertemplate": f"{said}<br><b>{band}</b><extra></extra>",
            }
        )
        joined = [at for at, enough in enumerate(firm) if enough]
        traces.append(
            {
                "type": "scatter",
                "x": [x[at] for at in joined],
                "y": [one.values[at] for at in joined],
                "mode": "lines",
                "line": {"color": colour, "width": 1.5},
                "legendgroup": str(place),
                "showlegend": False,
                "hoverinfo": "skip",
            }
        )
    axis = {"tickfont": ink, "zeroline": False, "ticks": "", "automargin": True}
    return go.Figure(
        traces,
        {
            "xaxis": {
                **axis,
                "title": {"text": x_title, "standoff": 8, "font": ink},
                "tickvals": list(range(len(groups))),
                "ticktext": [literal.plotly(group) for group in groups],
                "range": [-0.5, len(groups) - 0.5],
                "showgrid": False,
            },
            "yaxis": {
                **axis,
                "title": {"text": y_title, "standoff": 8, "font": ink},
                "gridcolor": palette.MASKED[theme],
                "rangemode": "tozero",
            },
            "height": _HEIGHT,
            "margin": {"l": 8, "r": 16, "t": 8, "b": 8},
            "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": ink},
            "hovermode": "closest",
        },
    )
