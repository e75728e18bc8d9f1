"""Line charts, paths in a plane and histograms as Plotly figures."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from .. import palette
from ..text import literal
from ..text.catalogue import say

# Okabe and Ito's other hues follow those of encoder, decoder and cross.
SERIES = (*(palette.HUES[kind] for kind in ("encoder", "decoder", "cross", "vision")), *reversed(palette.SPARE))
HEIGHT = 340
GAP = 0.08  # between two panels
# pixels from the numbers of an axis to its title: Plotly takes Hangul for less high than it is
SIDE_GAP, GAP_BELOW = 20, 12  # numbers at the side are wider in the font of a saved picture
BINS = 60  # of a histogram
LABEL_LINE, LABEL_LETTER, LABEL_WIDTH = 16, 7, 14  # pixels of a line's label and of a letter; letters in a row
LABEL_ROWS = 3  # of a line's label; the rest is cut, and read when the line is pointed at
LONGEST_NAME, LONGEST_TICK = 48, 24  # letters in a legend and on an axis


@dataclass(frozen=True)
class ChartLine:
    """One curve: `y` over `x`, both `(n,)`."""

    name: str  # for the legend; may be a user's text
    x: np.ndarray | Sequence[float]
    y: np.ndarray | Sequence[float]
    place: int | None = 0  # index of its colour in `SERIES`; None draws it in the colour of the text
    dash: str = "solid"  # "solid", "dash", "dot" or another of Plotly's styles
    marks: bool = False  # show each point; `labels` then contains their names
    labels: Sequence[str] | None = None
    panel: int = 0  # which panel of the figure, from 0
    joined: bool = True  # draw lines between the points; without, `marks` alone, where nothing is known in between


def lines(
    curves: Sequence[ChartLine],
    theme: palette.Theme,
    x_title: str,
    y_title: str | Sequence[str],
    log_y: bool = False,
    height: int = HEIGHT,
    y_range: tuple[float, float] | None = None,
    short: bool = False,
    direct: bool = False,
) -> go.Figure:
    """Draw `curves`; with one title of the y axis for each panel; panels are below each other and share one x axis.

    Args:
        short: both axes have short numbers, so the space for them is known; else Plotly measures it and draws twice.
        direct: write each curve's name at its end, instead of a legend; for one panel.
    """
    titles = [y_title] if isinstance(y_title, str) else list(y_title)
    traces: list[dict] = []
    names: set[str] = set()
    for curve in curves:
        traces.append(_trace(curve, theme, showlegend=curve.name not in names))
        names.add(curve.name)
    ink = {"color": palette.INK[theme]}
    ticks = {"ticks": "outside", "ticklen": 5, "tickcolor": palette.MASKED[theme]} if direct else {"ticks": ""}
    axis = {**grid(theme), "automargin": not short, **ticks}
    scale = ({"type": "log", "dtick": 1} if log_y else {}) | ({} if y_range is None else {"range": list(y_range)})
    vertical = [{**axis, **scale, "title": {"text": title, "standoff": SIDE_GAP, "font": ink}} for title in titles]
    margin = {"l": 76, "r": 16, "t": 40, "b": 52} if short else {"l": 8, "r": 16, "t": 8, "b": 8}
    labels: list[dict] = []
    if direct:
        wrapped = [_wrapped(curve.name) for curve in curves]
        margin["r"] = LABEL_LETTER * max(literal.columns(row) for rows in wrapped for row in rows) + 28
        labels = _end_labels(curves, wrapped, theme, log_y, y_range, height)
    # In one call: changing a figure step by step takes ten times as long.
    return go.Figure(
        traces,
        {
            **panels(axis, {"title": {"text": x_title, "standoff": GAP_BELOW, "font": ink}}, vertical, GAP),
            "height": height,
            "margin": margin,
            "annotations": labels,
            "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": ink},
            "showlegend": len(names) > 1 and not direct,
            "hovermode": "closest",
        },
    )


def _wrapped(name: str) -> list[str]:
    """A label in rows of about `LABEL_WIDTH` letters, or half as many wide ones."""
    text, _ = literal.drawn_name(name, LABEL_ROWS * LABEL_WIDTH)
    width = max(1, LABEL_WIDTH * len(text) // max(1, literal.columns(text)))
    return textwrap.wrap(text, width, break_long_words=literal.columns(text) > 2 * LABEL_WIDTH) or [""]


def _end_labels(
    curves: Sequence[ChartLine],
    wrapped: Sequence[Sequence[str]],
    theme: palette.Theme,
    log_y: bool,
    y_range: tuple[float, float] | None,
    height: int,
) -> list[dict]:
    """The curves' names at their last points, as annotations; those that would overlap are moved apart."""
    scaled = [np.log10(curve.y) if log_y else np.asarray(curve.y, float) for curve in curves]
    low, high = y_range or (min(y.min() for y in scaled), max(y.max() for y in scaled))
    pixels = [(float(y[-1]) - low) / ((high - low) or 1) * (height - 64) for y in scaled]  # above the lowest
    sizes = [LABEL_LINE * len(rows) for rows in wrapped]
    labels, below = [], -np.inf
    for place in sorted(range(len(curves)), key=pixels.__getitem__):
        curve, middle = curves[place], max(pixels[place], below + sizes[place] / 2)
        below = middle + sizes[place] / 2
        colour = palette.INK[theme] if curve.place is None else SERIES[curve.place % len(SERIES)]
        text = "<br>".join(literal.plotly(row) for row in wrapped[place])
        labels.append(
            {
                "x": 1,
                "xref": "paper",
                "y": float(scaled[place][-1]),
                "yshift": middle - pixels[place],
                "text": f'<span style="color:{colour}">\u25a0</span> {text}',
                "showarrow": False,
                "xanchor": "left",
                "xshift": 4,
                "align": "left",
                "font": {"color": palette.INK[theme], "size": 13},
            }
        )
    return labels


def grid(theme: palette.Theme) -> dict:
    """An axis with grid lines."""
    ink = {"color": palette.INK[theme]}
    numbers = {"exponentformat": "none", "separatethousands": True}  # as `text.numbers.grouped`
    return {"tickfont": ink, "gridcolor": palette.MASKED[theme], "zeroline": False, "automargin": True, **numbers}


def panels(horizontal: dict, lowest: dict, vertical: Sequence[dict], gap: float) -> dict[str, dict]:
    """The axes of panels below each other that share one x axis, for a layout.

    Args:
        horizontal, lowest: settings of every x axis, and further ones of the lowest, which has the labels.
        vertical: settings of each panel's y axis, from the top.
        gap: between two panels, as a share of the figure's height.
    """
    axes = {}
    last = len(vertical) - 1
    panel_height = (1 - gap * last) / len(vertical)
    for panel, settings in enumerate(vertical):
        number, below = panel + 1, (last - panel) * (panel_height + gap)
        shared = lowest if panel == last else {"matches": f"x{last + 1}", "showticklabels": False}
        axes[f"xaxis{number}"] = {**horizontal, "anchor": f"y{number}", "domain": [0, 1], **shared}
        axes[f"yaxis{number}"] = {**settings, "anchor": f"x{number}", "domain": [below, below + panel_height]}
    return axes


def _trace(curve: ChartLine, theme: palette.Theme, showlegend: bool) -> dict:
    short, whole = literal.drawn_name(curve.name, LONGEST_NAME)
    name = literal.plotly(whole)
    colour = palette.INK[theme] if curve.place is None else SERIES[curve.place % len(SERIES)]
    labels = (
        None
        if curve.labels is None
        else [literal.plotly(literal.drawn_name(label, LONGEST_NAME)[1]) for label in curve.labels]
    )
    return dict(
        type="scatter",
        x=_compact(curve.x),
        y=_compact(curve.y),
        xaxis=f"x{curve.panel + 1}",
        yaxis=f"y{curve.panel + 1}",
        name=literal.plotly(short),
        legendgroup=name,
        showlegend=showlegend,
        mode=("lines+markers" if len(curve.x) > 1 and curve.joined else "markers") if curve.marks else "lines",
        line={"color": colour, "width": 2, "dash": curve.dash},
        marker={"size": 7},
        text=labels,
        hovertemplate=f"{name}<br>{'%{text}<br>' if labels else ''}%{{x:.7g}}: <b>%{{y:.7g}}</b><extra></extra>",
    )


def category_ticks(figure: go.Figure, names: Sequence[str]) -> go.Figure:
    """Label the positions 0, 1, 2, ... of the x axis."""
    cut = [literal.plotly(literal.drawn_name(name, LONGEST_TICK)[0]) for name in names]
    return figure.update_xaxes(tickvals=list(range(len(names))), ticktext=cut)


def _compact(values: np.ndarray | Sequence[float]) -> np.ndarray:
    values = np.asarray(values)
    return values.astype(np.float32) if values.dtype.kind == "f" else values


def histogram(values: np.ndarray, mark: float, theme: palette.Theme, x_title: str) -> go.Figure:
    """Counts of `values` `(n,)` in `BINS` equal bins; a line marks the number `mark`."""
    counts, edges = np.histogram(values, BINS)
    ink = {"color": palette.INK[theme]}
    around = say("histogram.around", "around {value}: <b>{count}</b>", value="%{x:.3g}", count="%{y}")
    bars = {
        "type": "bar",
        "x": ((edges[:-1] + edges[1:]) / 2).astype(np.float32),
        "y": counts.astype(np.int32),
        "marker": {"color": palette.HUES["encoder"], "line": {"width": 0}},
        "hovertemplate": f"{around}<extra></extra>",
    }
    across = {"type": "line", "xref": "x", "x0": mark, "x1": mark, "yref": "y domain", "y0": 0, "y1": 1}
    layout = {
        "shapes": [{**across, "line": {"color": palette.NEGATIVE, "width": 2}}],
        "xaxis": {"title": {"text": x_title, "standoff": GAP_BELOW, "font": ink}, **grid(theme)},
        "yaxis": {
            "title": {"text": say("histogram.tokens", "tokens"), "standoff": SIDE_GAP, "font": ink},
            **grid(theme),
        },
        "height": 300,
        "margin": {"l": 8, "r": 16, "t": 8, "b": 8},
        "bargap": 0.05,
    }
    return go.Figure(bars, layout)
