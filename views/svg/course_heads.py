"""The figure of the lesson about heads: a column of arcs for each, which turn into that of their mean."""

from collections.abc import Sequence

from .. import palette
from .course_parts import ROW, WIDTH, BarScale, arc, course_figure, cover, token_at, words

Link = tuple[int, int, float]  # query, key, weight
_ROW, _ACROSS, _TOP = 17, 4, 76  # height of a row of a small column; columns side by side; where they begin
_HUE = palette.HUES["encoder"]


def head_columns(
    tokens: Sequence[str],
    heads: Sequence[Sequence[Link]],
    mean: Sequence[Link],
    names: Sequence[str],
    colours: Sequence[str],
    losses: tuple[Sequence[str], Sequence[float]],
    label: str,
    *,
    covered: bool,
) -> str:
    """Two losses as bars, and below them a small column for each head; or, no longer covered, that of their mean.

    Args:
        heads: links of each head, whose words are written.
        mean: links of the mean of all heads.
        names: of the heads, and of their mean.
        losses: names and values of the two bars.
        covered: the bars and the mean are hidden. Otherwise the columns of the heads are there to move together, see
            `course_lesson.css`.
    """
    scale = BarScale.over(losses[1], 180)
    elements = []
    for number, (name, value) in enumerate(zip(*losses, strict=True)):
        y = 10 + 28 * number
        elements.append(words(112, y + 14, name, "end", font_size=13))
        elements.append(
            cover(120, y, 184, 18) if covered else scale.numbered(120, y, value, 18, _HUE, 354, fill_opacity=0.7)
        )
    width, height = WIDTH / _ACROSS, _ROW * len(tokens) + 34
    for number, links in enumerate(heads):
        x, y = width * (number % _ACROSS), _TOP + height * (number // _ACROSS)
        column = _column(x, y, names[number], tokens, links, colours[number % len(colours)])
        if covered:
            elements.append(column)
        else:
            move = f"--x:{WIDTH / 2 - width / 2 - x:.1f}px;--y:{_TOP - y:.1f}px"
            elements.append(f'<g class="merging" aria-hidden="true" style="{move}">{column}</g>')
    if not covered:
        merged = [words(150, _TOP + 14, names[-1], "middle", font_weight=600)]
        for query, key, weight in mean:
            y, to_y = (_TOP + 36 + ROW * row for row in (query, key))
            merged.append(arc(158, y, to_y, min(118.0, 16 + 0.5 * abs(to_y - y)), 4.5 * weight, _HUE))
        merged += [token_at(150, _TOP + 36 + ROW * row, token, "en", "end", 16) for row, token in enumerate(tokens)]
        elements.append(f'<g class="merged">{"".join(merged)}</g>')
    rows = -(-len(heads) // _ACROSS)
    return course_figure(_TOP + max(height * rows, ROW * len(tokens) + 36), elements, label)


def _column(x: float, y: float, name: str, tokens: Sequence[str], links: Sequence[Link], colour: str) -> str:
    """A small column: arcs, with the words at their ends."""
    drawn = [words(x + 4, y + 14, name, font_size=13, font_weight=600, fill=colour)]
    for query, key, weight in links:
        start, end = (y + 32 + _ROW * row for row in (query, key))
        drawn.append(arc(x + 58, start, end, min(30.0, 8 + 0.3 * abs(end - start)), 4.5 * weight, colour))
    for row in sorted({row for link in links for row in link[:2]}):
        drawn.append(token_at(x + 55, y + 32 + _ROW * row, tokens[row], "en", "end", 8, font_size=13))
    return "".join(drawn)
