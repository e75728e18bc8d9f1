"""Occlusion: a class probability while patches are covered or uncovered, a line per order, random orders as a band."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from .. import palette
from ..text.catalogue import Message, say
from ..text.numbers import NO_BREAK_SPACE, three_digits

# Hues of Okabe and Ito that are not used for a kind of attention, and shades of purple for the two maps of attention;
# olive for integrated gradients.
STYLES = {
    theme: (
        (palette.HUES["vision"], "solid"),
        (shade, "dash"),
        (palette.NEGATIVE, "solid"),
        (palette.COOL_NEGATIVE, "dashdot"),
        (olive, "longdashdot"),
    )
    for theme, shade, olive in (("light", "#8A4B77", "#645406"), ("dark", "#EFCBE0", "#D6D37A"))
}
AXES = {
    "covered": Message("occlusion.covered", "patches covered, per cent"),
    "uncovered": Message("occlusion.uncovered", "patches uncovered, per cent"),
}
PROBABILITY = Message("occlusion.probability", "probability, per cent")
BASELINES = {"light": "#6B7280", "dark": "#A3ABB6"}  # colour of the orders that do not depend on the network


@dataclass(frozen=True, eq=False)
class OcclusionCurve:
    """One curve."""

    name: str  # the method's
    probability: np.ndarray  # `(point,)`
    area: float  # under it


def curves(
    share: np.ndarray,
    methods: Sequence[OcclusionCurve],
    centre: OcclusionCurve,
    chance: OcclusionCurve,
    among: np.ndarray,
    axis: str,
    theme: palette.Theme,
) -> go.Figure:
    """Draw the curves of one picture.

    Args:
        share: `(point,)` of the patches covered or uncovered, from 0 to 1.
        methods: at most as many as there are `STYLES`.
        centre: the order from the centre of the picture outwards.
        chance: the mean over random orders.
        among: `(order, point)`, every random order; the band reaches from the lowest to the highest.
        axis: whether patches are covered or uncovered, a key of `AXES`.
    """
    ink, grey = {"color": palette.INK[theme]}, BASELINES[theme]
    percent = (100 * share).astype(np.float32)
    # Rounded: numbers that differ only in their last bits would make a hairline band.
    low, high = ((100 * edge).astype(np.float32) for edge in (among.min(axis=0), among.max(axis=0)))
    faint = "rgba({}, {}, {}, 0.18)".format(*palette.to_rgb(grey))
    edge = {"x": percent, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    traces = [go.Scatter(y=low, **edge), go.Scatter(y=high, fill="tonexty", fillcolor=faint, **edge)]
    styles = [*STYLES[theme][: len(methods)], (grey, "longdash"), (grey, "dot")]
    for line, (colour, dash) in zip([*methods, centre, chance], styles, strict=True):
        traces.append(
            go.Scatter(
                x=percent,
                y=(100 * line.probability).astype(np.float32),
                mode="lines+markers",
                name=say("occlusion.area", "{name}: area {area}", name=line.name, area=three_digits(line.area)),
                line={"color": colour, "dash": dash, "width": 2},
                marker={"size": 5},
                hovertemplate=f"{line.name}: <b>%{{y:.7g}}{NO_BREAK_SPACE}%</b><extra></extra>",
            )
        )
    quiet = {"showgrid": False, "zeroline": False, "tickfont": ink, "automargin": True}
    layout = {
        "xaxis": {"title": {"text": AXES[axis](), "font": ink}, "range": [0, 100], **quiet},
        "yaxis": {"title": {"text": PROBABILITY(), "font": ink}, "rangemode": "tozero", **quiet},
        "height": 430,
        "margin": {"l": 8, "r": 12, "t": 8, "b": 8},
        "hovermode": "x unified",
        "legend": {"orientation": "h", "y": -0.24, "yanchor": "top", "x": 0, "font": ink, "traceorder": "normal"},
    }
    return go.Figure(traces, layout)
