"""Figures of lessons about one sentence: ribbons, rows of bars, and arcs."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from .. import palette
from ..text import literal
from ..text.numbers import three_digits
from .course_parts import (
    ACCENT,
    ROW,
    arc,
    course_figure,
    cover,
    number_at,
    pickable,
    pickable_token,
    rectangle,
    ribbon,
    stacked,
    token_at,
    words,
)

_KEYS, _QUERIES = 132, 226  # x of the ends of a ribbon
_THICK = 22.0  # of a weight of 1
_HUE = palette.HUES["cross"]


def ribbons(
    keys: Sequence[str],
    queries: Sequence[str],
    weights: np.ndarray,
    place: int,
    label: str,
    *,
    covered: bool,
    picks: Literal["keys", "queries", ""] = "",
    hidden: int | None = None,
    becomes: str = "",
) -> str:
    """Keys on the left, queries on the right, and the ribbons of one query.

    Args:
        weights: `(query, key)`.
        covered: the ribbons are hidden: a line of one width goes to every key.
        picks: which tokens can be picked.
        hidden: a key whose ribbon is cut.
        becomes: the token that `place` chooses then.
    """
    rows = max(len(keys), len(queries))
    shift = [(rows - count) * ROW / 2 + ROW / 2 + 4 for count in (len(keys), len(queries))]
    key_y = [shift[0] + ROW * number for number in range(len(keys))]
    query_y = [shift[1] + ROW * number for number in range(len(queries))]
    elements = []
    for number, y in enumerate(key_y):
        weight = float(weights[place, number])
        if covered:
            elements.append(ribbon(_KEYS, y, _QUERIES, query_y[place], 1, "currentColor", stroke_opacity=0.3))
        elif number == hidden:
            width = max(1.5, weight * _THICK)
            elements.append(
                ribbon(_KEYS, y, _QUERIES, query_y[place], width, ACCENT, stroke_opacity=0.35, stroke_dasharray="6 5")
            )
        elif weight >= 0.02:
            elements.append(ribbon(_KEYS, y, _QUERIES, query_y[place], weight * _THICK, _HUE, stroke_opacity=0.6))
        if not covered and weight >= 0.02:
            elements.append(number_at(2, y, three_digits(weight), fill_opacity=0.85))
        drawn = token_at(_KEYS - 8, y, keys[number], "end", 11)
        box = (44.0, y - ROW / 2 + 1, _KEYS - 42.0, ROW - 2.0)
        elements.append(pickable_token(number, keys[number], box, drawn) if picks == "keys" else drawn)
    for number, y in enumerate(query_y):
        own = number == place
        drawn = token_at(_QUERIES + 8, y, queries[number], letters=8, font_weight=700 if own else 400)
        if own:
            elements.append(rectangle(_QUERIES + 2, y - 12, 66, 24, _HUE, fill_opacity=0.18, rx=4))
        box = (_QUERIES + 2.0, y - ROW / 2 + 1, 130.0, ROW - 2.0)
        if own and covered:
            elements.append(cover(_QUERIES + 74, y - 7, 56, 14))
        elif own and becomes:
            elements.append(words(_QUERIES + 74, y + 5, f"\u2192 {becomes}", data=literal.TOKEN, font_weight=700))
        elif not covered and hidden is None:
            elements.append(stacked(_QUERIES + 74, y - 6, 56, 12, list(weights[number]), _HUE))
        elements.append(pickable_token(number, queries[number], box, drawn) if picks == "queries" else drawn)
    return course_figure(rows * ROW + 8, elements, label)


def bar_rows(
    tokens: Sequence[str],
    values: Sequence[float],
    label: str,
    *,
    kind: str,
    covered: bool,
    pick: bool = False,
    before: Sequence[float] | None = None,
    scores: Sequence[str] = (),
    marked: int | None = None,
) -> str:
    """A row for each token: its bar, and its value.

    Args:
        values: of the bars.
        covered: the bars are hidden.
        pick: tokens can be picked.
        before: values that an outline shows.
        scores: a number before each bar.
        marked: a row that is marked.
    """
    hue, top = palette.hue_of(kind), max(1e-9, *values, *(before or [0]))
    left = 172 if scores else 124
    elements = []
    for number, token in enumerate(tokens):
        y = ROW * number + ROW / 2 + 4
        if number == marked:
            elements.append(rectangle(2, y - ROW / 2 + 1, 356, ROW - 2, hue, fill_opacity=0.14, rx=4))
        drawn = token_at(112, y, token, "end", 13, font_weight=700 if number == marked else 400)
        box = (8.0, y - ROW / 2 + 1, 110.0, ROW - 2.0)
        elements.append(pickable_token(number, token, box, drawn) if pick else drawn)
        if scores:
            elements.append(number_at(162, y, scores[number], "end"))
        if covered:
            elements.append(cover(left, y - 8, 180 - (left - 124), 16))
            continue
        width = 178.0 - (left - 124)
        elements.append(rectangle(left, y - 8, width * values[number] / top, 16, hue, fill_opacity=0.7, rx=2))
        if before is not None:
            outline: dict[str, Any] = {"stroke": "currentColor", "stroke_dasharray": "4 3", "rx": 2}
            elements.append(rectangle(left, y - 8, width * before[number] / top, 16, "none", **outline))
        elements.append(number_at(354, y, three_digits(values[number]), "end"))
    return course_figure(ROW * len(tokens) + 8, elements, label)


def two_columns(
    tokens: Sequence[str], columns: Mapping[str, Sequence[float]], label: str, *, kind: str, covered: str = ""
) -> str:
    """A row for each token, with a bar in each of two columns; each column has a scale of its own.

    Args:
        columns: heading -> values.
        covered: heading of the column that is hidden.
    """
    hue = palette.hue_of(kind)
    elements = []
    for place, (heading, values) in enumerate(columns.items()):
        left, top = 112 + 126 * place, max(1e-9, *values)
        elements.append(words(left, 18, heading, font_weight=600, font_size=13))
        for number, value in enumerate(values):
            y = 44 + 30 * number
            if heading == covered:
                elements.append(cover(left, y - 10, 118, 20))
                continue
            elements.append(rectangle(left, y - 9, 68 * value / top, 18, hue, fill_opacity=0.7, rx=2))
            elements.append(number_at(left + 72, y, three_digits(value)))
    elements += [token_at(104, 44 + 30 * number, token, "end", 12) for number, token in enumerate(tokens)]
    return course_figure(34 + 30 * len(tokens), elements, label)


def arcs(
    tokens: Sequence[str],
    links: Sequence[tuple[int, int, float, str]],
    label: str,
    *,
    marked: int | None = None,
    changes: Sequence[float] | None = None,
    covered: bool = False,
    legend: Sequence[tuple[str, str]] = (),
    pick: bool = False,
) -> str:
    """Tokens in a column, with arcs between them.

    Args:
        links: two rows each, a weight and a colour.
        marked: a row that is marked.
        changes: a number for each row, shown as a bar on the right; hidden if `covered`.
        legend: name and colour of each colour, in a column on the right; they can be picked if `pick`.
    """
    elements = []
    for query, key, weight, colour in links:
        y, to_y = (ROW * row + ROW / 2 + 4 for row in (query, key))
        depth = min(118.0, 16 + 0.5 * abs(to_y - y))
        elements.append(arc(110, y, to_y, depth, 0.5 + 4 * weight, colour))
    for number, token in enumerate(tokens):
        y = ROW * number + ROW / 2 + 4
        if number == marked:
            elements.append(rectangle(8, y - 12, 98, 24, ACCENT, fill_opacity=0.2, rx=4))
        elements.append(token_at(102, y, token, "end", 13, font_weight=700 if number == marked else 400))
        if changes is not None and not covered:
            top = max(1e-9, *changes)
            elements.append(rectangle(236, y - 7, 60 * changes[number] / top, 14, ACCENT, fill_opacity=0.7, rx=2))
            elements.append(number_at(354, y, three_digits(changes[number]), "end"))
    height = ROW * len(tokens) + 8
    if changes is not None and covered:
        elements.append(cover(236, 4, 118, height - 8))
    for number, (name, colour) in enumerate(legend):
        y = 18 + 24 * number
        drawn = rectangle(262, y - 7, 14, 14, colour, rx=3) + words(284, y + 5, name)
        elements.append(pickable(str(number), name, (254, y - 11, 100, 22), drawn) if pick else drawn)
    return course_figure(max(height, 24 * len(legend) + 12), elements, label)
