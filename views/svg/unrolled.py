"""A translation network unrolled over its tokens: the output of every sub-layer, when it is ready, and one path."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .. import palette
from ..text import literal

_STEP, _ROW = 34, 34  # from one token to the next, from one row to the next
_GAP = 30  # between source and target
_RADIUS = 12
_LETTER = 7.5  # approximate width of a letter
_CUT = 12  # most letters of a token
_INK = "var(--st-text-color, #1B1F24)"
_PAPER = "var(--st-background-color, #FFFFFF)"

Vertex = tuple[str, int]  # id of a row, index in it; rows "source" and "target" are the tokens


@dataclass(frozen=True)
class SublayerRow:
    """The outputs of one sub-layer, one for each token."""

    id: str  # in edges and paths
    name: str  # written next to the row
    side: Literal["source", "target"]  # the tokens above which it is placed
    kind: str  # "encoder", "decoder" or "cross"; decides the hue
    ready: Sequence[int]  # the step after which each can be computed


def unrolled(
    rows: Sequence[SublayerRow],
    tokens: Mapping[str, Sequence[str]],
    edges: Sequence[tuple[Vertex, Vertex]],
    path: Sequence[Vertex],
    title: str,
) -> str:
    """An SVG that reads from the bottom up.

    Args:
        rows: from the bottom up; those of each side begin above its tokens.
        tokens: "source" and "target" -> labels.
        edges: thin lines, from an input to what is computed from it.
        path: thick lines, beginning at a token; may be empty.
        title: describes the drawing for screen readers.
    """
    margin = {
        side: 46 + _LETTER * max((literal.columns(row.name) for row in rows if row.side == side), default=0)
        for side in tokens
    }
    left = {"source": margin["source"]}
    left["target"] = left["source"] + _STEP * len(tokens["source"]) + _GAP
    right = left["target"] + _STEP * len(tokens["target"])
    width = round(right + margin["target"])
    levels = {side: [row.id for row in rows if row.side == side] for side in tokens}

    def x(vertex: Vertex) -> float:
        return left[_side(vertex, levels)] + _STEP * (vertex[1] + 0.5)

    def level(vertex: Vertex) -> int:
        return 0 if vertex[0] in tokens else 1 + levels[_side(vertex, levels)].index(vertex[0])

    drawn_edges = [*edges, *zip(path, path[1:], strict=False)]
    arcs = [_rise(abs(x(a) - x(b))) for a, b in drawn_edges if level(a) == level(b)]
    bottom = round(24 + max(arcs, default=0) + _ROW * max(map(len, levels.values())))

    def at(vertex: Vertex) -> tuple[float, float]:
        return x(vertex), bottom - _ROW * level(vertex)

    strong = set(zip(path, path[1:], strict=False))
    drawn = [_line(at(a), at(b), False) for a, b in edges if (a, b) not in strong]
    drawn += [_line(at(a), at(b), True) for a, b in zip(path, path[1:], strict=False)]
    on_path = set(path)
    for row in rows:
        y = at((row.id, 0))[1]
        same = len(set(row.ready)) == 1
        edge, outwards, anchor = (left["source"], -1, "end") if row.side == "source" else (right, 1, "start")
        drawn.append(_text(edge + 34 * outwards, y + 4, row.name, anchor))
        if same:
            drawn.append(_number(edge + 16 * outwards, y + 4, row.ready[0]))
        for index, ready in enumerate(row.ready):
            drawn.append(_vertex(at((row.id, index)), row.kind, None if same else ready, (row.id, index) in on_path))
    for side, labels in tokens.items():
        for index, token in enumerate(labels):
            language = {"source": "en", "target": "fr"}[side]
            drawn.append(_token(at((side, index)), token, language, (side, index) in on_path))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bottom + 84}" '
        f'viewBox="0 0 {width} {bottom + 84}" role="img" aria-label="{literal.html(title)}" '
        f'font-size="13">{_MARKERS}{"".join(drawn)}</svg>'
    )


_MARKERS = "".join(
    f'<defs><marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="{size}" markerHeight="{size}" '
    f'markerUnits="userSpaceOnUse" orient="auto">'
    f'<path d="M0 0 L8 4 L0 8 z" fill="{colour}"/></marker></defs>'
    for name, colour, size in (("unrolled-thin", _INK, 6), ("unrolled-strong", _INK, 10))
)


def _line(start: tuple[float, float], end: tuple[float, float], strong: bool) -> str:
    """A line from the rim of one vertex to the rim of another; along a row it curves over the vertices between."""
    (x, y), (u, v) = start, end
    rise = _rise(abs(u - x)) if abs(v - y) < _ROW else 0
    lean = (u - x) / 2, -rise * 2  # from the start to the control point; of height 0 if the line is straight
    length = math.hypot(*lean) if rise else math.hypot(u - x, v - y) or 1.0
    dx, dy = (component / length * (_RADIUS + 1) for component in (lean if rise else (u - x, v - y)))
    attributes = (
        f'stroke="{_INK}" stroke-width="3" marker-end="url(#unrolled-strong)"'
        if strong
        else f'stroke="{_INK}" stroke-opacity=".28" marker-end="url(#unrolled-thin)"'
    )
    if not rise:
        return f'<path d="M{x + dx:.1f} {y + dy:.1f} L{u - dx:.1f} {v - dy:.1f}" fill="none" {attributes}/>'
    bend = f"Q{x + lean[0]:.1f} {y + lean[1]:.1f} {u - dx:.1f} {v + dy:.1f}"
    return f'<path d="M{x + dx:.1f} {y + dy:.1f} {bend}" fill="none" {attributes}/>'


def _rise(across: float) -> float:
    """Height of the curve of a line along a row; 0 for a line to a neighbour."""
    return 0 if across < 1.5 * _STEP else min(70, 16 + across / 12)


def _side(vertex: Vertex, levels: Mapping[str, Sequence[str]]) -> str:
    row = vertex[0]
    return row if row in levels else next(side for side, rows in levels.items() if row in rows)


def _vertex(at: tuple[float, float], kind: str, ready: int | None, strong: bool) -> str:
    hue = palette.HUES[kind]
    circle = f'cx="{at[0]:g}" cy="{at[1]:g}" r="{_RADIUS}"'
    stroke = f'stroke="{_INK}" stroke-width="3"' if strong else f'stroke="{hue}"'
    drawn = f'<circle {circle} fill="{_PAPER}"/><circle {circle} fill="{hue}" fill-opacity=".18" {stroke}/>'
    return drawn if ready is None else drawn + _number(at[0], at[1] + 4, ready)


def _number(x: float, y: float, number: int) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="middle" font-size="11.5" data-said="number" fill="{_INK}" '
        f'style="font-variant-numeric:tabular-nums">{number}</text>'
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{_INK}">{literal.html(text)}</text>'


def _token(at: tuple[float, float], token: str, language: str, strong: bool) -> str:
    cut, label = literal.drawn_token(token, _CUT)
    x, y = at[0] + 4, at[1] - 4
    weight = ' font-weight="700"' if strong else ""
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="end"{literal.token_in(language)} fill="{_INK}"{weight} '
        f'transform="rotate(-50 {x:g} {y:g})"><title>{literal.html(label)}</title>{literal.html(cut)}</text>'
    )
