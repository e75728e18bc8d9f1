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
    Asked,
    BarScale,
    arc,
    course_figure,
    cover,
    number_at,
    outlined_ribbon,
    pickable_token,
    rectangle,
    ribbon,
    stacked,
    token_at,
    words,
)

_KEYS, _QUERIES = 132, 226  # x of the ends of a ribbon
_RIBBONS = BarScale(0, 1, 22)
_HUE = palette.HUES["cross"]
_FRENCH = literal.token_in("fr")


def ribbons(
    keys: Sequence[str],
    queries: Sequence[str],
    weights: np.ndarray,
    place: int,
    label: str,
    *,
    covered: bool,
    picks: Mapping[Literal["keys", "queries"], Asked] | None = None,
    hidden: int | None = None,
    becomes: str = "",
) -> str:
    """English keys on the left, French queries on the right, and the ribbons of one query.

    Args:
        weights: `(query, key)`.
        covered: the ribbons are hidden: a line of one width goes to every key.
        picks: which tokens can be picked, and for which question.
        hidden: a key whose ribbon is cut.
        becomes: the token that `place` chooses then.
    """
    picks = picks or {}
    rows = max(len(keys), len(queries))
    shift = [(rows - count) * ROW / 2 + ROW / 2 + 4 for count in (len(keys), len(queries))]
    key_y = [shift[0] + ROW * number for number in range(len(keys))]
    query_y = [shift[1] + ROW * number for number in range(len(queries))]
    elements = []
    for number, y in enumerate(key_y):
        weight = float(weights[place, number])
        ends, width = (_KEYS, y, _QUERIES, query_y[place]), _RIBBONS.span(weight)
        if covered:
            elements.append(ribbon(*ends, 1, "currentColor", stroke_opacity=0.3))
        elif number == hidden:
            elements.append(outlined_ribbon(*ends, width, ACCENT))
        elif weight >= 0.02:
            elements.append(ribbon(*ends, width, _HUE, stroke_opacity=0.6, data_number=f"{weight:.9g}"))
        if not covered and weight >= 0.02:
            elements.append(number_at(2, y, three_digits(weight), fill_opacity=0.85))
        drawn = token_at(_KEYS - 8, y, keys[number], "en", "end", 11)
        box = (44.0, y - ROW / 2 + 1, _KEYS - 42.0, ROW - 2.0)
        elements.append(pickable_token(number, keys[number], box, drawn, picks["keys"]) if "keys" in picks else drawn)
    for number, y in enumerate(query_y):
        own = number == place
        drawn = token_at(_QUERIES + 8, y, queries[number], "fr", letters=8, font_weight=700 if own else 400)
        if own:
            elements.append(rectangle(_QUERIES + 2, y - 12, 66, 24, _HUE, fill_opacity=0.18, rx=4))
        box = (_QUERIES + 2.0, y - ROW / 2 + 1, 130.0, ROW - 2.0)
        if own and covered:
            elements.append(cover(_QUERIES + 74, y - 7, 56, 14))
        elif own and becomes:
            elements.append(words(_QUERIES + 74, y + 5, f"\u2192 {becomes}", data=_FRENCH, font_weight=700))
        elif not covered and hidden is None:
            elements.append(stacked(_QUERIES + 74, y - 6, 56, 12, list(weights[number]), _HUE))
        of = picks.get("queries")
        elements.append(pickable_token(number, queries[number], box, drawn, of) if of else drawn)
    return course_figure(rows * ROW + 8, elements, label)


def bar_rows(
    tokens: Sequence[str],
    values: Sequence[float],
    label: str,
    *,
    kind: str,
    language: str,
    covered: bool,
    picks: Asked | None = None,
    before: Sequence[float] | None = None,
    scores: Sequence[str] = (),
    marked: int | None = None,
) -> str:
    """A row for each token: its bar, and its value.

    Args:
        values: of the bars.
        language: of the tokens.
        covered: the bars are hidden.
        picks: the question for which tokens can be picked.
        before: values that an outline shows.
        scores: a number before each bar.
        marked: a row that is marked.
    """
    hue, left = palette.hue_of(kind), 172 if scores else 124
    scale = BarScale.over([*values, *(before or ())], 302 - left)
    elements = []
    for number, token in enumerate(tokens):
        y = ROW * number + ROW / 2 + 4
        if number == marked:
            elements.append(rectangle(2, y - ROW / 2 + 1, 356, ROW - 2, hue, fill_opacity=0.14, rx=4))
        drawn = token_at(112, y, token, language, "end", 13, font_weight=700 if number == marked else 400)
        box = (8.0, y - ROW / 2 + 1, 110.0, ROW - 2.0)
        elements.append(pickable_token(number, token, box, drawn, picks) if picks else drawn)
        if scores:
            elements.append(number_at(162, y, scores[number], "end"))
        if covered:
            elements.append(cover(left, y - 8, 304 - left, 16))
            continue
        elements.append(scale.numbered(left, y - 8, values[number], 16, hue, 354, fill_opacity=0.7))
        if before is not None:
            outline: dict[str, Any] = {"stroke": "currentColor", "stroke_dasharray": "4 3"}
            elements.append(scale.bar(left, y - 8, before[number], 16, "none", **outline))
    return course_figure(ROW * len(tokens) + 8, elements, label)


def two_columns(
    tokens: Sequence[str],
    rest: str,
    columns: Mapping[str, Sequence[float]],
    label: str,
    *,
    kind: str,
    covered: str = "",
) -> str:
    """A row for each French token and one for all others, a bar in each of two columns of one scale.

    Args:
        rest: names the others.
        columns: heading -> values; the last is the sum of the others.
        covered: heading of the column that is hidden.
    """
    hue = palette.hue_of(kind)
    scale = BarScale.over((value for values in columns.values() for value in values), 66)
    elements = []
    for place, (heading, values) in enumerate(columns.items()):
        left = 124 + 120 * place
        elements.append(words(left, 18, heading, font_weight=600, font_size=13))
        for number, value in enumerate(values):
            y = 44 + 30 * number
            if heading == covered:
                elements.append(cover(left, y - 10, 112, 20))
            else:
                elements.append(scale.numbered(left, y - 9, value, 18, hue, fill_opacity=0.7))
    elements += [token_at(116, 44 + 30 * number, token, "fr", "end", 13) for number, token in enumerate(tokens)]
    elements.append(words(116, 49 + 30 * len(tokens), rest, "end", font_size=13))
    return course_figure(64 + 30 * len(tokens), elements, label)


def arcs(
    tokens: Sequence[str],
    links: Sequence[tuple[int, int, float, str]],
    label: str,
    *,
    marked: int,
    changes: Sequence[float],
    covered: bool,
) -> str:
    """French tokens in a column, with arcs between them and a number for each row.

    Args:
        links: two rows each, a weight and a colour.
        marked: a row that is marked.
        changes: shown as bars on the right; hidden if `covered`.
    """
    scale, height = BarScale.over(changes, 60), ROW * len(tokens) + 8
    elements = []
    for query, key, weight, colour in links:
        y, to_y = (ROW * row + ROW / 2 + 4 for row in (query, key))
        depth = min(118.0, 16 + 0.5 * abs(to_y - y))
        elements.append(arc(110, y, to_y, depth, 4.5 * weight, colour))
    for number, token in enumerate(tokens):
        y = ROW * number + ROW / 2 + 4
        if number == marked:
            elements.append(rectangle(8, y - 12, 98, 24, ACCENT, fill_opacity=0.2, rx=4))
        elements.append(token_at(102, y, token, "fr", "end", 13, font_weight=700 if number == marked else 400))
        if not covered:
            elements.append(scale.numbered(236, y - 7, changes[number], 14, ACCENT, 354, fill_opacity=0.7))
    if covered:
        elements.append(cover(236, 4, 118, height - 8))
    return course_figure(height, elements, label)
