"""Values with error bars for a few groups, several series side by side, as a Plotly figure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from .. import palette
from ..text import literal
from ..text.numbers import with_interval
from .line_chart import GAP_BELOW, LONGEST_NAME, SERIES, SIDE_GAP

_HEIGHT = 360
_SPREAD = 0.5  # of the distance between two groups, for the series of one
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")


@dataclass(frozen=True)
class IntervalSeries:
    """One value for each group."""

    name: str  # for the legend
    # `values`, `lows`, `highs`: the value and the ends of its error bar, one per group; None in a group without a value
    values: Sequence[float | None]
    lows: Sequence[float | None]
    highs: Sequence[float | None]

    def points(self) -> list[tuple[int, float, float, float]]:
        """Group, value and both ends, of the groups with a value."""
        rows = zip(self.values, self.lows, self.highs, strict=True)
        return [
            (group, value, low, high)
            for group, (value, low, high) in enumerate(rows)
            if value is not None and low is not None and high is not None
        ]


def intervals(
    series: Sequence[IntervalSeries],
    groups: Sequence[str],
    firm: Sequence[bool],
    theme: palette.Theme,
    x_title: str,
    y_title: str,
    boundary: tuple[int, str] | None = None,
) -> go.Figure:
    """Draw `series` side by side, with a line through the groups that are firm.

    Args:
        groups: labels below the groups.
        firm: whether a group has enough data; the others are drawn hollow and without a line.
        boundary: the first group to the right of a vertical line, and the label of that side.
    """
    ink, count = {"color": palette.INK[theme]}, max(len(series) - 1, 1)
    traces: list[dict[str, object]] = []
    for index, line in enumerate(series):
        colour, points = SERIES[index % len(SERIES)], line.points()
        offset = _SPREAD * (index / count - 0.5)
        symbol = SYMBOLS[index % len(SYMBOLS)]
        short, whole = literal.drawn_name(line.name, LONGEST_NAME)
        heading = f"{literal.plotly(whole)}<br>%{{customdata[0]}}"
        bands = [with_interval(*each[1:]) for each in points]
        traces.append(
            {
                "type": "scatter",
                "x": [group + offset for group, *_ in points],
                "y": [value for _, value, *_ in points],
                "name": literal.plotly(short),
                "legendgroup": str(index),
                "mode": "markers",
                "marker": {
                    "size": 9,
                    "color": colour,
                    "symbol": [symbol if firm[group] else f"{symbol}-open" for group, *_ in points],
                },
                "error_y": {
                    "type": "data",
                    "symmetric": False,
                    "array": [high - value for _, value, _, high in points],
                    "arrayminus": [value - low for _, value, low, _ in points],
                    "thickness": 1.5,
                    "width": 4,
                    "color": colour,
                },
                "customdata": [
                    [literal.plotly(literal.drawn_name(groups[group], LONGEST_NAME)[1]), band]
                    for (group, *_), band in zip(points, bands, strict=True)
                ],
                "hovertemplate": f"{heading}<br><b>%{{customdata[1]}}</b><extra></extra>",
            }
        )
        joined = [(group + offset, value) for group, value, *_ in points if firm[group]]
        traces.append(
            {
                "type": "scatter",
                "x": [x for x, _ in joined],
                "y": [y for _, y in joined],
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
                "title": {"text": x_title, "standoff": GAP_BELOW, "font": ink},
                "tickvals": list(range(len(groups))),
                # brackets on a line of their own: on a phone Plotly turns longer labels, and leaves out the last
                "ticktext": [re.sub(r"\s*\(", "<br>(", _tick(group)) for group in groups],
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
            **({} if boundary is None else _vertical_line(*boundary, theme)),
        },
    )


def _tick(group: str) -> str:
    return literal.plotly(literal.drawn_name(group, LONGEST_NAME)[0])


def _vertical_line(group: int, label: str, theme: palette.Theme) -> dict[str, object]:
    """A line before a group, with the label of what is to the right of it."""
    at = {"xref": "x", "yref": "y domain"}
    ink = {"color": palette.INK[theme]}
    line = {"type": "line", "x0": group - 0.5, "x1": group - 0.5, "y0": 0, "y1": 1, "line": {**ink, "dash": "dot"}}
    text = {"x": group - 0.5, "y": 1, "text": literal.plotly(label), "showarrow": False, "font": ink}
    return {"shapes": [{**at, **line}], "annotations": [{**at, **text, "xanchor": "left", "yanchor": "top"}]}
