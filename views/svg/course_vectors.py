"""Figures of lessons about vectors, networks and pictures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import palette
from ..text import literal
from ..text.numbers import three_digits
from .course_parts import (
    ACCENT,
    WIDTH,
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
        elements.append(token_at(2, y + 12, strip.token, font_weight=700))
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
        for number, (stage, value) in enumerate(zip(stages, cosines, strict=True)):
            at = y + 20 * number + 10
            elements.append(words(100, at + 5, stage, "end", font_size=13))
            elements.append(rectangle(104, at - 7, 190 * max(0.0, value), 14, _HUE, fill_opacity=0.6, rx=2))
            elements.append(number_at(354, at, three_digits(value), "end"))
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
        short, long: shares in percent; without `long`, the options can be picked.
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
    width = 2.3  # of a percent
    y = 128.0
    elements.append(words(8, y, groups[0]))
    elements.append(rectangle(8, y + 8, short * width, 22, _HUE, fill_opacity=0.6, rx=3))
    elements.append(number_at(16 + short * width, y + 19, f"{short:.0f} %"))
    y += 56
    elements.append(words(8, y, groups[1]))
    if long is not None:
        elements.append(rectangle(8, y + 8, long * width, 22, _HUE, fill_opacity=0.6, rx=3))
        elements.append(number_at(16 + long * width, y + 19, f"{long:.0f} %"))
        return course_figure(y + 12 + 34 * len(options), elements, label)
    for number, option in enumerate(options):
        box = (8.0, y + 8 + 34.0 * number, option * width, 26.0)
        drawn = number_at(16 + option * width, box[1] + 13, f"{option} %")
        elements.append(pickable(str(option), f"{option} %", box, drawn))
    return course_figure(y + 12 + 34 * len(options), elements, label)


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


def stream_ribbon(stream: Sequence[float], added: Sequence[float | None], names: Sequence[str], label: str) -> str:
    """A vector as a ribbon whose width is its length, and the vectors that are added to it.

    Args:
        stream: lengths before, between and after the two sub-layers.
        added: lengths of what each sub-layer adds; None is covered. They can be picked while both are covered.
        names: of the sub-layers.
    """
    scale = 70 / max(*stream, *(length or 0 for length in added))
    middle, elements = 170, []
    picking = all(length is None for length in added)
    for number, length in enumerate(stream):
        left = 4 + 122 * number
        elements.append(
            rectangle(left, middle - length * scale / 2, 108, length * scale, _HUE, fill_opacity=0.45, rx=3)
        )
        elements.append(number_at(left + 54, middle, three_digits(length), "middle", font_weight=600))
    for number, (extra, name) in enumerate(zip(added, names, strict=True)):
        left = 62 + 122 * number
        elements.append(words(left + 54, 20, name, "middle", font_weight=600))
        if extra is None:
            drawn = cover(left + 14, 34, 80, 60)
            elements.append(
                pickable(("self", "ffn")[number], name, (left + 8, 28, 92, 72), drawn) if picking else drawn
            )
        else:
            elements.append(
                rectangle(left + 14, 64 - extra * scale / 2, 80, extra * scale, ACCENT, fill_opacity=0.55, rx=3)
            )
            elements.append(number_at(left + 54, 64, three_digits(extra), "middle", font_weight=600))
        elements.append(words(left + 54, 122, "+", "middle", literal.NUMBER, font_size=20))
    return course_figure(middle + 50, elements, label)


def picture(url: str, label: str, patch_names: Sequence[str] = (), weights: np.ndarray | None = None) -> str:
    """A picture; its patches can be picked if they have names, and are shaded by their weights.

    Args:
        url: data URL of the picture.
        weights: `(patch,)`, row by row.
    """
    side = 336.0
    elements = [
        f'<image href="{url}" x="12" y="4" width="{side:.0f}" height="{side:.0f}" '
        'preserveAspectRatio="none" style="image-rendering:auto"/>'
    ]
    count = len(patch_names) if patch_names else 0 if weights is None else len(weights)
    grid = round(count**0.5) or 1
    size = side / grid
    for number in range(count):
        x, y = 12 + size * (number % grid), 4 + size * (number // grid)
        if weights is not None:
            opacity = f"{0.75 * (1 - weights[number] / weights.max()):.2f}"
            elements.append(rectangle(x, y, size, size, "#000", fill_opacity=opacity))
        if patch_names:
            elements.append(pickable(str(number), patch_names[number], (x, y, size, size)))
    return course_figure(side + 8, elements, label)


def two_pictures(first: str, second: str, label: str) -> str:
    """Two pictures side by side, as data URLs."""
    images = [
        f'<image href="{url}" x="{4 + 180 * number}" y="4" width="172" height="172" preserveAspectRatio="none"/>'
        for number, url in enumerate((first, second))
    ]
    return course_figure(180, images, label)
