"""One attention map as a Plotly heatmap: tokens on both axes, the full value under the pointer."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from views import palette
from views.maps import DECADES, Kind, masked, shade
from views.text import literal, terms
from views.text.catalogue import say

_CELL = 26  # pixels a cell where there is room
_HEIGHT = (300, 640)  # of the map alone, whatever the sentence
_LABELS = 130  # pixels that the axis titles and slanted tokens take
_GAP_CELLS = 40  # up to this many cells a side, a hairline keeps neighbours apart


@dataclass(frozen=True)
class HeadMap:
    """One map to draw.

    Attributes:
        weights: `(query, key)` float32.
        queries, keys: tokens on the axes.
        kind: names the axes, decides colour and mask.
        place: which layer and head, in words.
        top: the weight that gets the deepest colour.
        log: the scale is logarithmic; see `views.maps.shade`.
    """

    weights: np.ndarray
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    kind: Kind
    place: str
    top: float
    log: bool = False

    @property
    def title(self) -> str:
        """Kind, layer and head as a heading."""
        return self.kind.heading(self.place)


def heatmap(head: HeadMap, theme: palette.Theme) -> go.Figure:
    """Draw `head`. Axes hold numbered categories, so repeated tokens stay apart and zooming brings labels back."""
    hidden = masked(*head.weights.shape, head.kind.causal)
    rows, columns = axis_labels(head.queries), axis_labels(head.keys)
    number = "customdata" if head.log else "z"
    gap = 1 if max(head.weights.shape) <= _GAP_CELLS else 0
    weights = np.where(hidden, np.float32(np.nan), head.weights).astype(np.float32)
    shown = go.Heatmap(
        z=shade(weights, head.top, log=True).astype(np.float32) if head.log else weights,
        customdata=weights if head.log else None,
        x=columns,
        y=rows,
        zmin=0,
        zmax=1 if head.log else head.top or 1,
        colorscale=palette.scale(head.kind.name, theme),
        colorbar=colour_bar(terms.WEIGHT(), theme, x=0, xanchor="left", len=0.6, nticks=3)
        | (_decades(head.top) if head.log else {}),
        hovertemplate=_hover(f"<b>%{{{number}:.7g}}</b>"),
        hoverongaps=False,
        xgap=gap,
        ygap=gap,
    )
    layout = {
        "xaxis": axis(head.kind.key_axis, theme, side="top", tickangle=-60 if len(columns) > 6 else 0),
        "yaxis": axis(head.kind.query_axis, theme, autorange="reversed"),
        "height": height(len(rows)),
        "margin": {"l": 8, "r": 28, "t": 8, "b": 8},
        "dragmode": "zoom",
        "meta": literal.tokens_on("xaxis", "yaxis"),
    }
    # Built in one step: each later change would make Plotly check the whole figure again.
    return go.Figure([shown, _mask(hidden, rows, columns, theme, gap)] if hidden.any() else [shown], layout)


def axis(title: str, theme: palette.Theme, standoff: int = 14, **more: object) -> dict:
    """An axis of a matrix, its title `standoff` pixels beside it; `more` goes to Plotly."""
    ink = {"color": palette.INK[theme]}
    bare = {"type": "category", "showgrid": False, "zeroline": False, "ticks": "", "automargin": True, **more}
    return {**bare, "title": {"text": title, "standoff": standoff, "font": ink}, "tickfont": ink}


def colour_bar(title: str, theme: palette.Theme, **place: object) -> dict:
    """A colour bar below the map, where it takes no width from it on a phone; `place` says where and how long."""
    ink = {"color": palette.INK[theme]}
    below = {"orientation": "h", "y": 0, "yanchor": "top", "thickness": 8, "outlinewidth": 0}
    return {**below, **place, "tickfont": ink, "title": {"text": title, "side": "right", "font": ink}}


def _decades(top: float) -> dict:
    """Marks of a logarithmic colour bar, one a factor of ten."""
    steps = range(DECADES + 1)
    names = [f"{(top or 1) / 10 ** (DECADES - step):.3g}" for step in steps]
    return {
        "tickmode": "array",
        "tickangle": 0,
        "tickvals": [step / DECADES for step in steps],
        "ticktext": ["\u2264 " + names[0], *names[1:]],
    }


def _mask(hidden: np.ndarray, rows: list[str], columns: list[str], theme: palette.Theme, gap: int) -> go.Heatmap:
    grey = palette.MASKED[theme]
    return go.Heatmap(
        z=np.where(hidden, np.float32(1), np.float32(np.nan)).astype(np.float32),
        x=columns,
        y=rows,
        colorscale=[(0, grey), (1, grey)],
        showscale=False,
        hovertemplate=_hover(say("map.masked", "masked: not generated yet")),
        hoverongaps=False,
        xgap=gap,
        ygap=gap,
    )


def _hover(value: str) -> str:
    """What Plotly writes under the pointer: the tokens of the cell, then `value`."""
    return say("map.hover", "query: {query}<br>key: {key}", query="%{y}", key="%{x}") + f"<br>{value}<extra></extra>"


def height(queries: int) -> int:
    """Pixels of the whole figure: the same for every head of a sentence, so nothing jumps."""
    return int(min(_HEIGHT[1], max(_HEIGHT[0], _CELL * queries))) + _LABELS


def axis_labels(tokens: tuple[str, ...]) -> list[str]:
    """Tokens as categories of a Plotly axis: shown literally, and all different.

    Plotly joins equal categories and reads HTML, so marks are escaped and the n-th repetition of a token gets n
    zero-width spaces, which nobody sees.
    """
    seen: dict[str, int] = {}
    labels = []
    for token in map(literal.token, tokens):
        labels.append(literal.plotly(token) + "\u200b" * seen.get(token, 0))
        seen[token] = seen.get(token, 0) + 1
    return labels
