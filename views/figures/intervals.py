"""Values with error bars for a few groups, several series side by side, as a Plotly figure."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from .. import palette
from ..text import literal
from ..text.numbers import three_digits
from .line_chart import SERIES, SIDE_GAP

_HEIGHT = 360
_SPREAD = 0.5  # of the distance between two groups, for the series of one
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")


@dataclass(frozen=True)
class IntervalSeries:
    """One value for each group.

    Attributes:
        name: for the legend.
        values, lows, highs: the value and the ends of its error bar, one per group.
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
    """Draw `series` side by side, with a line through the groups that are firm.

    Args:
        groups: labels below the groups.
        firm: whether a group has enough data; the others are drawn hollow and without a line.
    """
    ink, count = {"color": palette.INK[theme]}, max(len(series) - 1, 1)
    traces: list[dict[str, object]] = []
    for index, line in enumerate(series):
        colour = SERIES[index % len(SERIES)]
        offset = _SPREAD * (index / count - 0.5)
        x = [group + offset for group in range(len(groups))]
        symbol = SYMBOLS[index % len(SYMBOLS)]
        heading = f"{literal.plotly(line.name)}<br>%{{customdata[0]}}"
        triples = zip(line.values, line.lows, line.highs, strict=True)
        bands = [f"{value} ({low} \u2013 {high})" for value, low, high in (map(three_digits, each) for each in triples)]
        traces.append(
            {
                "type": "scatter",
                "x": x,
                "y": list(line.values),
                "name": literal.plotly(line.name),
                "legendgroup": str(index),
                "mode": "markers",
                "marker": {
                    "size": 9,
                    "color": colour,
                    "symbol": [symbol if enough else f"{symbol}-open" for enough in firm],
                },
                "error_y": {
                    "type": "data",
                    "symmetric": False,
                    "array": [high - value for high, value in zip(line.highs, line.values, strict=True)],
                    "arrayminus": [value - low for low, value in zip(line.lows, line.values, strict=True)],
                    "thickness": 1.5,
                    "width": 4,
                    "color": colour,
                },
                "customdata": [[literal.plotly(group), band] for group, band in zip(groups, bands, strict=True)],
                "hovertemplate": f"{heading}<br><b>%{{customdata[1]}}</b><extra></extra>",
            }
        )
        joined = [group for group, enough in enumerate(firm) if enough]
        traces.append(
            {
                "type": "scatter",
                "x": [x[group] for group in joined],
                "y": [line.values[group] for group in joined],
                "mode": "lines",
                "line": {"color": colour, "width": 1.5},
                "legendgroup": str(index),
                "showlegend": False,
                "hoverinfo": "skip",
            }
        )
    axis: dict[str, object] = {"tickfont": ink, "zeroline": False, "ticks": "", "automargin": True}
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
                "title": {"text": y_title, "standoff": SIDE_GAP, "font": ink},
                "gridcolor": palette.MASKED[theme],
                "rangemode": "tozero",
            },
            "height": _HEIGHT,
            "margin": {"l": 8, "r": 16, "t": 8, "b": 8},
            "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": ink},
            "hovermode": "closest",
        },
    )
