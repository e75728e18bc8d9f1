"""Figures of lessons about vectors, networks and pictures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import palette
from ..text import literal
from ..text.numbers import percent
from .course_parts import (
    ACCENT,
    WIDTH,
    BarScale,
    course_figure,
    cover,
    number_at,
    pickable,
    rectangle,
    ribbon,
    token_at,
    words,
    wrapped,
)

_SIDE = 168  # of a picture beside another one
CELLS = 40  # numbers of a vector that a strip shows
_HUE = palette.HUES["encoder"]


@dataclass(frozen=True, eq=False)
class WordStrip:
    """A word in a sentence: its token, id, and the vectors that a strip shows, `(n, d_model)` with their names."""

    token: str
    id: int
    names: Sequence[str]
    vectors: np.ndarray


def strips(
    strips_: Sequence[WordStrip],
    stages: Sequence[str],
    cosines: Sequence[float],
    heading: str,
    label: str,
    covered: bool,
) -> str:
    """The first numbers of a word's vectors in two sentences, and their cosine at each stage."""
    elements: list[str] = []
    y = 0.0
    top = max(float(np.abs(strip.vectors[:, :CELLS]).max()) for strip in strips_) or 1.0
    for strip in strips_:
        elements.append(token_at(2, y + 12, strip.token, "en", font_weight=700))
        elements.append(number_at(104, y + 12, f"id {strip.id}"))
        y += 22
        for name, vector in zip(strip.names, strip.vectors, strict=True):
            elements.append(words(2, y + 11, name, font_size=13))
            cell = 254 / CELLS
            for number, value in enumerate(vector[:CELLS]):
                fill = _HUE if value > 0 else ACCENT
                opacity = f"{min(1.0, abs(float(value)) / top):.2f}"
                elements.append(rectangle(104 + cell * number, y, cell, 14, fill, fill_opacity=opacity))
            y += 17
        y += 8
    elements.append(words(2, y + 14, heading, font_weight=600, font_size=13))
    y += 22
    if covered:
        elements.append(cover(2, y, WIDTH - 4, 20 * len(stages)))
    else:
        scale = BarScale.over(cosines, 190)
        for number, (stage, value) in enumerate(zip(stages, cosines, strict=True)):
            at = y + 20 * number + 10
            elements.append(words(100, at + 5, stage, "end", font_size=13))
            elements.append(scale.numbered(104, at - 7, value, 14, _HUE, 354, fill_opacity=0.6))
    return course_figure(y + 20 * len(stages) + 6, elements, label)


def retained_bars(
    names: tuple[str, str],
    groups: tuple[str, str],
    short: float,
    long: float | None,
    options: Sequence[int],
    label: str,
) -> str:
    """One vector and attention as drawings; below them the share of BLEU for short sentences, and for long ones.

    Args:
        names: of one vector, and of attention.
        groups: names of the two lengths.
        short, long: shares in percent; without `long` its bar is covered.
        options: percentages that can be picked, as bars of the same scale.
    """
    elements = []
    for side, name in enumerate(names):
        left = 8 + 184 * side
        elements.append(words(left, 16, name, font_size=13, font_weight=600))
        dots = [(left + 12.0, 32.0 + 14 * row) for row in range(5)]
        if side == 0:
            elements += [ribbon(x, y, left + 80, 60, 1.5, _HUE, stroke_opacity=0.5) for x, y in dots]
            elements += [ribbon(left + 80, 60, left + 150, y, 1.5, _HUE, stroke_opacity=0.5) for _, y in dots]
            elements.append(f'<circle cx="{left + 80}" cy="60" r="9" fill="{_HUE}"/>')
        else:
            for row, (dot_x, dot_y) in enumerate(dots):
                for other in {row, max(0, row - 1)}:
                    thick = 6 if other == row else 2
                    elements.append(ribbon(dot_x, dots[other][1], left + 150, dot_y, thick, _HUE, stroke_opacity=0.4))
        for dot_x, dot_y in dots:
            elements.append(f'<circle cx="{dot_x}" cy="{dot_y}" r="4" fill="currentColor"/>')
            elements.append(f'<circle cx="{left + 150}" cy="{dot_y}" r="4" fill="currentColor"/>')
    scale = BarScale(0, 100, 230)
    y = 128.0
    elements.append(words(8, y, groups[0]))
    elements.append(scale.numbered(8, y + 8, short, 22, _HUE, text=percent(short / 100), fill_opacity=0.6))
    y += 56
    elements.append(words(8, y, groups[1]))
    if long is None:
        elements.append(cover(8, y + 8, 230, 22))
    else:
        elements.append(scale.numbered(8, y + 8, long, 22, _HUE, text=percent(long / 100), fill_opacity=0.6))
    for number, option in enumerate(options):
        box = (8.0, y + 42 + 34.0 * number, scale.span(option), 26.0)
        drawn = number_at(14 + box[2], box[1] + 13, f"{option} %")
        elements.append(
            pickable(
                str(option), f"{option} %", box, drawn, data_number=option, stroke="currentColor", stroke_opacity=0.3
            )
        )
    return course_figure(y + 46 + 34 * len(options), elements, label)


def sentences(lines: Sequence[tuple[str, str | None]], label: str) -> str:
    """Headed sentences, one below the other; None is covered."""
    elements, y = [], 20.0
    for heading, text in lines:
        elements.append(words(4, y, heading, font_size=13, fill_opacity=0.75))
        if text is None:
            elements.append(cover(4, y + 8, WIDTH - 8, 40))
            y += 78
        else:
            drawn, after = wrapped(4, y + 22, text, font_size=16, font_weight=600)
            elements.append(drawn)
            y = after + 18
    return course_figure(y - 8, elements, label)


def stream_bars(stream: str, added: Sequence[tuple[str, str, float]], label: str, *, covered: bool) -> str:
    """The stream and the vectors that two sub-layers add to it, as bars of one scale: longer bar, longer vector.

    Args:
        stream: names the stream, whose length is 1.
        added: option, name, and length as a share of the stream that it is added to.
        covered: what is added is hidden. It can be picked.
    """
    scale = BarScale.over([1, *(share for _, _, share in added)], 180)
    elements = [words(112, 31, stream, "end"), scale.numbered(124, 14, 1.0, 24, _HUE, 354, fill_opacity=0.6)]
    for number, (option, name, share) in enumerate(added):
        y = 66 + 46 * number
        drawn = words(112, y + 21, name, "end")
        drawn += (
            cover(124, y + 4, 180, 24)
            if covered
            else scale.numbered(124, y + 4, share, 24, ACCENT, 354, fill_opacity=0.6)
        )
        elements.append(words(14, y + 21, "+", "middle", literal.NUMBER, font_size=20))
        elements.append(pickable(option, name, (24, y - 2, 332, 36), drawn))
    return course_figure(66 + 46 * len(added), elements, label)


def compared_pictures(
    urls: tuple[str, str],
    answers: np.ndarray,
    names: tuple[str, str],
    label: str,
    *,
    covered: bool,
    are_same: bool = False,
    patch_names: Sequence[str] = (),
    weights: np.ndarray | None = None,
) -> str:
    """Two pictures side by side, below each two probabilities of the answer; below both the first, large.

    Args:
        urls: data URLs of both pictures.
        answers: `(picture, 2)` with positions, and without.
        names: of the two.
        covered: the probabilities are hidden.
        are_same: both without positions are the same: an equals sign joins them.
        patch_names: of the large picture's patches, which can be picked for the last question; without any there is
            no large picture.
        weights: `(patch,)` that shade them.
    """
    scale, elements = BarScale(0, 1, 106), []
    for number, url in enumerate(urls):
        left = 4 + 184 * number
        elements.append(
            f'<image id="picture-{number}" href="{url}" x="{left}" y="4" width="{_SIDE}" height="{_SIDE}" '
            'preserveAspectRatio="none" style="image-rendering:auto"/>'
        )
        for row, name in enumerate(names):
            y = 198 + 42 * row
            elements.append(words(left, y - 8, name, font_size=13))
            value = float(answers[number, row])
            bar = scale.numbered(left, y, value, 16, palette.HUES["vision"], fill_opacity=0.8)
            elements.append(cover(left, y, 164, 16) if covered else bar)
    if not covered:
        joined = "=" if are_same else "\u2260"
        elements.append(words(179, 254, joined, "middle", literal.NUMBER, font_size=20, font_weight=700))
    if not patch_names:
        return course_figure(262, elements, label)
    elements += _patches(12, 272, patch_names, weights)
    return course_figure(616, elements, label)


def _patches(left: float, top: float, names: Sequence[str], weights: np.ndarray | None) -> list[str]:
    """The first picture once more, whose patches can be picked, shaded by `(patch,)` weights, row by row."""
    side, grid = 2.0 * _SIDE, round(len(names) ** 0.5)
    size = side / grid
    elements = [f'<use href="#picture-0" transform="translate({left - 8} {top - 8}) scale(2)"/>']  # from 4, 4
    for number, name in enumerate(names):
        x, y = left + size * (number % grid), top + size * (number // grid)
        if weights is not None:
            opacity = f"{0.75 * (1 - weights[number] / weights.max()):.2f}"
            elements.append(rectangle(x, y, size, size, "#000", fill_opacity=opacity))
        elements.append(pickable(str(number), name, (x, y, size, size), of="last"))
    return elements
