"""Heads over one sentence: a row for each head, with an arc from every query to the key that it weighs most."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from .. import palette
from ..map_labels import ATTENDS
from ..text import literal
from ..text.catalogue import say
from ..text.numbers import three_digits
from .course_parts import rectangle, shown_token, words

_SIDE, _PITCH, _ROW, _GAP = 104, 64, 52, 14  # pixels: margin with the names, from token to token, a row, between rows
_WORDS = 26  # height of a line of tokens
_LETTERS, _MOST_LETTERS = 8, 18  # of a name at this distance, and of the longest one
_THICK = 6.0  # pixels of a weight of 1


def strongest_keys(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The key of each query with the largest weight, and that weight.

    Args:
        weights: `(..., query, key)`.
    """
    return weights.argmax(axis=-1), weights.max(axis=-1)


def head_arcs(
    queries: Sequence[str],
    keys: Sequence[str],
    weights: np.ndarray,
    theme: palette.Theme,
    label: str,
    one_line: bool,
    languages: tuple[str, str] = ("", ""),
) -> str:
    """Draw the strongest weight of every query of every head, in the head's colour, as thick as the weight.

    Args:
        weights: `(head, query, key)`.
        label: describes the figure for screen readers.
        languages: of the tokens of queries and of keys; empty where unknown.
        one_line: queries and keys are at the same tokens: arcs over one line of the keys, a dot where a token weighs
            itself most. Else the keys are above the rows and the queries below.
    """
    below = keys if one_line else queries
    letters = min(_MOST_LETTERS, max(_LETTERS, *(literal.columns(shown_token(name)) for name in below)))
    pitch = _PITCH * letters / _LETTERS
    width = _SIDE + round(pitch * max(len(queries), len(keys))) + 8
    middle, line = partial(_middle, pitch), partial(_line, pitch, letters)
    elements, top = ([] if one_line else line(keys, languages[1], _WORDS - 8)), (6 if one_line else _WORDS + 6)
    for head, (places, sizes) in enumerate(zip(*strongest_keys(weights), strict=True)):
        colour, dashes = palette.head_style(head, theme)
        bottom = top + _ROW
        elements.append(rectangle(0, bottom - 1, width, 0.6, "currentColor", fill_opacity=0.35))
        elements.append(rectangle(2, bottom - 30, 10, 10, colour, rx=2))
        elements.append(words(18, bottom - 21, say("head-arcs.head", "head {head}", head=head + 1)))
        elements.append(words(18, bottom - 5, three_digits(float(sizes.mean())), data=literal.NUMBER, fill_opacity=0.8))
        strokes = f' stroke-dasharray="{" ".join(map(str, dashes))}"' if dashes else ""
        for query, (key, size) in enumerate(zip(places, sizes, strict=True)):
            named = ATTENDS(query=shown_token(queries[query]), key=shown_token(keys[key]))
            title = f"{named}: {three_digits(float(size))}"
            path = (_arc if one_line else _edge)(middle(query), middle(key), bottom)
            style = f'stroke-width="{max(1.0, _THICK * size):.1f}" stroke-opacity="{0.35 + 0.65 * size:.2f}"{strokes}'
            elements.append(
                f'<path d="{path}" fill="none" stroke="{colour}" stroke-linecap="round" {style}>'
                f"<title{literal.TOKEN}>{literal.html(title)}</title></path>"
            )
        top = bottom + _GAP
    height = top + _WORDS - 6
    elements += line(below, languages[1 if one_line else 0], height - 8)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{literal.html(label)}" font-size="14" fill="currentColor">{"".join(elements)}</svg>'
    )


def _middle(pitch: float, place: int) -> float:
    return _SIDE + pitch * (place + 0.5)


def _line(pitch: float, letters: int, tokens: Sequence[str], language: str, y: float) -> list[str]:
    drawn = (literal.drawn_token(token, letters) for token in tokens)
    return [
        words(_middle(pitch, place), y, label, "middle", literal.token_in(language), whole)
        for place, (label, whole) in enumerate(drawn)
    ]


def _arc(start: float, end: float, y: float) -> str:
    """From a query to its key over a line; a short stroke upwards where they are one token."""
    if start == end:
        return f"M{start:.1f} {y - 4:.1f}V{y - 12:.1f}"
    rise = y - min(_ROW - 2, 12 + abs(end - start) / 5) * 4 / 3
    return f"M{start:.1f} {y - 4:.1f}C{start:.1f} {rise:.1f} {end:.1f} {rise:.1f} {end:.1f} {y - 4:.1f}"


def _edge(query: float, key: float, y: float) -> str:
    """From a query below a row to a key above it."""
    top, middle = y - _ROW + 2, y - _ROW / 2
    return f"M{query:.1f} {y - 4:.1f}C{query:.1f} {middle:.1f} {key:.1f} {middle:.1f} {key:.1f} {top:.1f}"
