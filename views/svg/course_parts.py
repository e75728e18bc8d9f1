"""Elements of the figures of lessons: texts, bars, arcs, covers, and what can be picked.

A figure is 360 units wide, so that its smallest text has 13 pixels on a phone. All its bars are made by one `BarScale`.
What can be picked has `data-option` with the id of an option and `data-of` with its question; the component
`course_lesson` makes a button of it.
"""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .. import palette
from ..text import literal
from ..text.catalogue import say
from ..text.numbers import three_digits

Box = tuple[float, float, float, float]  # x, y, width, height
Asked = Literal["ask", "last"]  # the question of a lesson
WIDTH = 360
ROW = 26  # height of a token's row
COVER = "url(#covered)"
ACCENT = palette.HUES["decoder"]
_DEFINITIONS = (
    '<defs><pattern id="covered" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="8" height="8" fill="currentColor" fill-opacity="0.06"/>'
    '<line x1="0" y1="0" x2="0" y2="8" stroke="currentColor" stroke-opacity="0.25" stroke-width="3"/></pattern></defs>'
)


def course_figure(height: float, elements: Iterable[str], label: str) -> str:
    """The SVG; `label` describes it for screen readers."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="group" '
        f'aria-label="{literal.html(label)}" font-size="14">{_DEFINITIONS}{"".join(elements)}</svg>'
    )


def words(
    x: float, y: float, text: str, anchor: str = "start", data: str = "", whole: str = "", **attributes: Any
) -> str:
    """A text at a baseline.

    Args:
        data: `literal.TOKEN` or `literal.NUMBER` if it is no text of the page.
        whole: what `text` was cut from, for its title.
    """
    title = f"<title>{literal.html(whole)}</title>" if whole and whole != text else ""
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}{data}>{title}{literal.html(text)}</text>'


def token_at(
    x: float, y: float, token: str, language: str, anchor: str = "start", letters: int = 14, **attributes: Any
) -> str:
    """A token of a language in the middle of the row at `y`, cut after some letters."""
    label, whole = literal.drawn_token(token, letters)
    return words(x, y + 5, label, anchor, literal.token_in(language), whole, **attributes)


def shown_token(token: str) -> str:
    """A token's label without invisible characters."""
    return literal.visible(literal.token(token))


def number_at(x: float, y: float, text: str, anchor: str = "start", **attributes: Any) -> str:
    """A number in the middle of the row at `y`."""
    attributes = {"font_size": 13} | attributes
    return words(x, y + 5, text, anchor, literal.NUMBER, **attributes)


def wrapped(x: float, y: float, text: str, letters: int = 42, **attributes: Any) -> tuple[str, float]:
    """A sentence in lines; with the baseline after it."""
    lines = textwrap.wrap(literal.visible(text), letters, break_long_words=True) or [""]
    return "".join(
        words(x, y + 20 * number, line, data=literal.TOKEN, **attributes) for number, line in enumerate(lines)
    ), y + 20 * len(lines)


def rectangle(x: float, y: float, width: float, height: float, fill: str, **attributes: Any) -> str:
    """A rectangle; negative sizes become 0."""
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(0, width):.1f}" height="{max(0, height):.1f}" fill="{fill}"{more}/>'
    )


@dataclass(frozen=True)
class BarScale:
    """The scale of a figure: lengths of all its bars are proportional to their numbers."""

    # `low`, `high`: numbers at both ends; 0 is between them
    low: float
    high: float
    length: float  # from `low` to `high`

    @classmethod
    def over(cls, values: Iterable[float], length: float) -> "BarScale":
        """The scale on which the longest bar of some values ends at `length`."""
        every = [0.0, *map(float, values)]
        return cls(min(every), max(*every, min(every) + 1e-9), length)

    def span(self, value: float) -> float:
        """The length of a bar."""
        return abs(value) * self.length / (self.high - self.low)

    def bar(self, x: float, y: float, value: float, height: float, fill: str, **attributes: Any) -> str:
        """A bar whose scale begins at `x`, from 0 to `value`; the element has the number."""
        left = x + self.span(self.low) - (self.span(value) if value < 0 else 0)
        attributes = {"rx": 2, "data_number": f"{float(value):.9g}"} | attributes
        return rectangle(left, y, self.span(value), height, fill, **attributes)

    def numbered(
        self, x: float, y: float, value: float, height: float, fill: str, end: float = 0, text: str = "", **look: Any
    ) -> str:
        """A bar with its number, which begins behind it or ends at `end`; `text` is in place of three digits."""
        behind = x + self.span(self.low) + self.span(max(0.0, value)) + 6
        label = text or three_digits(value)
        number = number_at(end or behind, y + height / 2, label, "end" if end else "start")
        return self.bar(x, y, value, height, fill, **look) + number


def cover(x: float, y: float, width: float, height: float) -> str:
    """What hides a result until it is predicted."""
    mark = words(x + width / 2, y + height / 2 + 6, "?", "middle", literal.NUMBER, font_size=18, font_weight=600)
    return rectangle(x, y, width, height, COVER, rx=4) + mark


def ribbon(x: float, y: float, to_x: float, to_y: float, width: float, colour: str, **attributes: Any) -> str:
    """A curve of constant width from left to right."""
    middle = (x + to_x) / 2
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return (
        f'<path d="M{x:.1f} {y:.1f} C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}" '
        f'fill="none" stroke="{colour}" stroke-width="{width:.2f}"{more}/>'
    )


def outlined_ribbon(x: float, y: float, to_x: float, to_y: float, width: float, colour: str) -> str:
    """The dashed outline of a ribbon that is not there."""
    middle, half = (x + to_x) / 2, width / 2
    return (
        f'<path d="M{x:.1f} {y - half:.2f} C{middle:.1f} {y - half:.2f} {middle:.1f} {to_y - half:.2f} '
        f"{to_x:.1f} {to_y - half:.2f} V{to_y + half:.2f} C{middle:.1f} {to_y + half:.2f} {middle:.1f} "
        f'{y + half:.2f} {x:.1f} {y + half:.2f} Z" fill="none" stroke="{colour}" stroke-width="1.5" '
        'stroke-dasharray="5 4"/>'
    )


def arc(x: float, y: float, to_y: float, depth: float, width: float, colour: str, opacity: float = 0.75) -> str:
    """A curve from one row to another, to the right of both."""
    return (
        f'<path d="M{x:.1f} {y:.1f} C{x + depth:.1f} {y:.1f} {x + depth:.1f} {to_y:.1f} {x:.1f} {to_y:.1f}" '
        f'fill="none" stroke="{colour}" stroke-width="{width:.2f}" stroke-opacity="{opacity}"/>'
    )


def pickable_token(option: int, token: str, box: Box, drawn: str, of: Asked = "ask") -> str:
    """A token that can be picked."""
    shown = shown_token(token)
    return pickable(str(option), say("course.pick", "token {token}", token=shown), box, drawn, shown, of)


def pickable(
    option: str, label: str, box: Box, drawn: str = "", name: str = "", of: Asked = "ask", **attributes: Any
) -> str:
    """Something that can be picked: its box, drawn by the style sheet, and what is in it.

    Args:
        label: for screen readers.
        name: as an answer states it; `label` by default.
        of: the question that is answered by it. In figures after the answer it is marked.
        attributes: of the box.
    """
    x, y, width, height = box
    return (
        f'<g class="pick" data-option="{literal.html(option)}" data-of="{of}" '
        f'data-name="{literal.html(name or label)}" aria-label="{literal.html(label)}">'
        f"{rectangle(x, y, width, height, 'transparent', **({'rx': 4} | attributes))}{drawn}</g>"
    )


def stacked(x: float, y: float, width: float, height: float, shares: Sequence[float], colour: str) -> str:
    """A bar of one length that shares divide, with lines between them."""
    elements, left = [rectangle(x, y, width, height, colour, fill_opacity=0.25, rx=2)], x
    for share in shares:
        left += share * width
        if share > 0.02:
            elements.append(rectangle(left - 0.7, y, 1.4, height, colour))
    return "".join(elements)
