"""The effect of dividing random scores by sqrt(d_k): curves over d_k, and a histogram at one d_k."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from .. import palette
from ..text.catalogue import say
from ..text.numbers import three_digits
from .line_chart import grid, panels

RAW, SCALED = "q \u00b7 k", "q \u00b7 k / \u221ad<sub>k</sub>"
COLOURS = {RAW: palette.NEGATIVE, SCALED: palette.HUES["encoder"]}
LOGARITHMIC = {"type": "log", "dtick": 1}


def curves(
    widths: Sequence[int], measures: Sequence[tuple[str, np.ndarray, np.ndarray]], theme: palette.Theme
) -> go.Figure:
    """One panel for each of `measures`, over d_k on a logarithmic axis; the y axis of the first is logarithmic too.

    Args:
        measures: title, values of `q . k`, values of `q . k / sqrt(d_k)`, each `(len(widths),)`.
    """
    traces = [
        {
            "type": "scatter",
            "x": list(widths),
            "y": np.asarray(values, dtype=np.float32),
            "customdata": [three_digits(float(value)) for value in values],
            "xaxis": f"x{panel + 1}",
            "yaxis": f"y{panel + 1}",
            "name": name,
            "legendgroup": name,
            "showlegend": panel == 0,
            "mode": "lines+markers",
            "line": {"color": COLOURS[name], "width": 2},
            "marker": {"size": 6},
            "hovertemplate": f"d<sub>k</sub> %{{x}}<br>{title}: <b>%{{customdata}}</b><extra>{name}</extra>",
        }
        for panel, (title, raw, scaled) in enumerate(measures)
        for name, values in ((RAW, raw), (SCALED, scaled))
    ]
    # labels of closer widths would overlap
    spaced = [width for width, after in zip(widths, [*widths[1:], np.inf], strict=True) if after / width > 1.6]
    ink, lined = {"color": palette.INK[theme]}, grid(theme)
    vertical = [
        {**lined, "title": {"text": title, "font": ink}, **({"rangemode": "tozero"} if panel else LOGARITHMIC)}
        for panel, (title, _, _) in enumerate(measures)
    ]
    horizontal = {**lined, "type": "log", "tickvals": spaced, "tickangle": 0}
    axes = panels(horizontal, {"title": {"text": "d<sub>k</sub>", "font": ink}}, vertical, 0.06)
    return _figure(traces, axes, theme, 170 * len(measures) + 60)


def histogram(edges: np.ndarray, raw: np.ndarray, scaled: np.ndarray, theme: palette.Theme) -> go.Figure:
    """Two densities over the same bins: `edges` `(bins + 1,)`, `raw` and `scaled` `(bins,)`."""
    hover = say("scaling.hover", "{score}<br>density <b>{density}</b>", score="%{x:.3g}", density="%{y:.3g}")
    traces = [
        {
            "type": "scatter",
            "x": np.asarray((edges[:-1] + edges[1:]) / 2, dtype=np.float32),
            "y": np.asarray(values, dtype=np.float32),
            "name": name,
            "mode": "lines",
            "fill": "tozeroy",
            "line": {"color": COLOURS[name], "width": 2, "shape": "hvh"},
            "hovertemplate": f"{hover}<extra>{name}</extra>",
        }
        for name, values in ((SCALED, scaled), (RAW, raw))
    ]
    ink, lined = {"color": palette.INK[theme]}, grid(theme)
    axes = {
        "xaxis": {**lined, "title": {"text": say("scaling.score", "score"), "font": ink}},
        "yaxis": {**lined, "title": {"text": say("scaling.density", "density"), "font": ink}, "rangemode": "tozero"},
    }
    return _figure(traces, axes, theme, 300)


def _figure(traces: list[dict], axes: dict, theme: palette.Theme, height: int) -> go.Figure:
    layout = {
        **axes,
        "height": height,
        "margin": {"l": 8, "r": 16, "t": 8, "b": 8},
        "legend": {"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0, "font": {"color": palette.INK[theme]}},
        "hovermode": "closest",
    }
    return go.Figure(traces, layout)
