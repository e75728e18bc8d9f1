"""A matrix as a Plotly heatmap, for vectors, cosines and rotations; signed numbers have two hues."""

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from .. import palette
from ..text import literal
from ..text.numbers import three_digits

_HEIGHT = (220, 560)  # pixels of the matrix
_ROW = 22  # height in pixels of a row with a label
_MARGINS = 80  # height in pixels of titles and labels
_GAP = 11  # pixels from labels to the title of their axis
_LONGEST = 28  # letters of a label
_LETTER = 1.3  # by how many pixels a letter is wider in the font of a saved picture than in that of the page


@dataclass(frozen=True)
class ChartMatrix:
    """A matrix to draw."""

    values: np.ndarray  # `(row, column)`; drawn as float32
    # `row_title`, `column_title`, `value_title`: what the axes and the numbers are
    row_title: str
    column_title: str
    value_title: str
    # `rows`, `columns`: labels, which may be a user's text; None numbers them from 0
    rows: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    kind: str = "encoder"  # decides the hue
    # `low`, `high`: numbers of the first and the last colour; a `low` below 0 must be `-high`
    low: float = -1.0
    high: float = 1.0
    written: bool = False  # whether each cell contains its number; for a few columns only

    def colours(self, theme: palette.Theme) -> tuple[str, ...]:
        """From `low` to `high`."""
        return palette.colours(self.kind, theme, self.low < 0)


def matrix(chart: ChartMatrix, theme: palette.Theme) -> go.Figure:
    """Draw `chart`, first row on top."""
    rows = None if chart.rows is None else axis_labels(tuple(chart.rows))
    columns = None if chart.columns is None else axis_labels(tuple(chart.columns))
    # The space for numbers is known, in the large type of a lecture too; for labels Plotly has to measure it, which
    # means drawing the figure twice.
    labelled = rows is not None or columns is not None
    side_gap = _GAP + math.ceil(_LETTER * min(_LONGEST, max(map(literal.columns, chart.rows or ["100"]))))
    slanted = None if columns is None or len(columns) <= 8 else -60
    ink = {"color": palette.INK[theme]}
    bare = {"showgrid": False, "zeroline": False, "ticks": "", "tickfont": ink, "automargin": labelled}

    def axis(title: str, gap: int, labels: list[str] | None, **more: object) -> dict:
        titled = {"title": {"text": title, "standoff": gap, "font": ink}}
        cut = {} if labels is None else cut_ticks(labels)
        return {"type": "linear" if labels is None else "category"} | bare | titled | cut | more

    # In one call: changing a figure step by step takes ten times as long.
    return go.Figure(
        {
            "type": "heatmap",
            "z": np.asarray(chart.values, dtype=np.float32),
            "y": rows,
            "x": columns,
            "zmin": chart.low,
            "zmax": chart.high,
            "colorscale": chart.colours(theme),
            "showscale": False,  # see `legend`: Plotly would draw a bar of hundreds of tokens
            "hovertemplate": (
                f"{chart.row_title}: %{{y}}<br>{chart.column_title}: %{{x}}<br><b>%{{z:.7g}}</b><extra></extra>"
            ),
            "hoverongaps": False,
            "text": [[three_digits(value) for value in row] for row in chart.values] if chart.written else None,
            "texttemplate": "%{text}" if chart.written else None,
        },
        {
            "xaxis": axis(chart.column_title, _GAP, columns, side="top", tickangle=slanted),
            "yaxis": axis(chart.row_title, side_gap, rows, autorange="reversed"),
            "height": height(chart),
            "margin": {"l": 8, "r": 16, "t": 8, "b": 8} if labelled else {"l": 76, "r": 16, "t": 56, "b": 8},
            "meta": literal.tokens_on(*["yaxis"] * (rows is not None), *["xaxis"] * (columns is not None)),
        },
    )


def axis_labels(tokens: tuple[str, ...]) -> list[str]:
    """Tokens as categories of a Plotly axis: shown literally, and all different.

    Plotly merges equal categories and interprets HTML, so marks are escaped and the n-th repetition of a token gets n
    zero-width spaces.
    """
    repetitions: dict[str, int] = {}
    labels = []
    for token in map(literal.token, tokens):
        labels.append(literal.plotly(token) + "\u200b" * repetitions.get(token, 0))
        repetitions[token] = repetitions.get(token, 0) + 1
    return labels


def cut_ticks(labels: Sequence[str]) -> dict[str, object]:
    """Settings of an axis that cut long labels, which would take the space of the matrix; hover texts have them."""
    whole = [html.unescape(label).replace("\u200b", "") for label in labels]
    if max(map(literal.columns, whole), default=0) <= _LONGEST:
        return {}
    return {"tickvals": list(labels), "ticktext": [literal.plotly(literal.fit(label, _LONGEST)) for label in whole]}


def legend(chart: ChartMatrix, theme: palette.Theme) -> str:
    """The colour scale as HTML, to be placed below the figure."""
    colours = ",".join(chart.colours(theme))
    number = 'style="font-variant-numeric:tabular-nums"'
    return (
        f'<div style="display:flex;gap:.5rem;align-items:center;flex-wrap:wrap;font-size:.8rem">'
        f"<span>{literal.html(chart.value_title)}</span><span {number}>{three_digits(chart.low)}</span>"
        f'<span style="width:9rem;height:.6rem;background:linear-gradient(to right,{colours})"></span>'
        f"<span {number}>{three_digits(chart.high)}</span></div>"
    )


def height(chart: ChartMatrix) -> int:
    """Height of the whole figure in pixels."""
    matrix_height = _ROW * len(chart.values) if chart.rows is not None else 380
    return int(min(_HEIGHT[1], max(_HEIGHT[0], matrix_height))) + _MARGINS


def symmetric(values: np.ndarray) -> float:
    """The largest |value|, for a signed scale; 1 if all are 0."""
    return float(np.abs(values).max()) or 1.0
