"""Named numbers as a table in HTML, with bars behind those that are to be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from views import literal, palette
from views.numbers import three_digits

# A page shows this once; what the functions below return relies on it.
STYLE = """<style>
.aa-rows { overflow: auto; max-height: 42rem }
.aa-rows table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; width: 100% }
.aa-rows th, .aa-rows td { padding: 3px 10px 3px 4px; text-align: left; border: 0; white-space: nowrap;
  border-bottom: 1px solid color-mix(in srgb, currentColor 12%, transparent) }
.aa-rows th { font-weight: 400 } .aa-rows tbody th { font-weight: 600 }
.aa-rows thead th { opacity: .8; white-space: normal; vertical-align: bottom }
.aa-rows .aa-right { text-align: right }
.aa-rows tr.aa-marked > * { background: color-mix(in srgb, currentColor 9%, transparent) }
.aa-rows td > span { display: block; padding: 0 4px; min-width: 3.6rem }
.aa-rows img { display: block; image-rendering: pixelated; height: 16px; width: 100%; min-width: 6rem }
</style>"""


@dataclass(frozen=True)
class Bar:
    """A number with a bar behind it.

    Attributes:
        largest: the number whose bar is as wide as the cell.
        kind: decides the hue.
        text: written instead of the number.
    """

    value: float
    largest: float
    kind: str = "encoder"
    text: str = ""


@dataclass(frozen=True)
class Strip:
    """A vector as a row of colours: a PNG that this project drew, as a `data:` address, and what it shows."""

    address: str
    words: str


Cell = str | int | float | Bar | Strip


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]], name: str, marked: int | None = None) -> str:
    """A table; text is shown as it is, numbers with three digits and to the right.

    Args:
        header: a name for each column.
        rows: the first cell of each is its heading.
        name: describes the table to those who cannot see it.
        marked: a row that stands out.
    """
    right = [bool(rows) and all(isinstance(row[place], int | float) for row in rows) for place in range(len(header))]
    head = "".join(
        f'<th scope="col"{_class(side)}>{literal.html(title)}</th>' for title, side in zip(header, right, strict=True)
    )
    body = "".join(
        f'<tr{" class=aa-marked" if place == marked else ""}><th scope="row"{_class(right[0])}>{_content(row[0])}</th>'
        + "".join(f"<td{_class(side)}>{_content(cell)}</td>" for cell, side in zip(row[1:], right[1:], strict=True))
        + "</tr>"
        for place, row in enumerate(rows)
    )
    return (
        f'<div class="aa-rows" tabindex="0"><table aria-label="{literal.html(name)}">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _class(right: bool) -> str:
    return ' class="aa-right"' if right else ""


def _content(cell: Cell) -> str:
    if isinstance(cell, Strip):
        return f'<img src="{literal.html(cell.address)}" alt="{literal.html(cell.words)}">'
    if isinstance(cell, Bar):
        return _bar(cell)
    if isinstance(cell, str):
        return literal.html(literal.visible(cell))
    return str(cell) if isinstance(cell, int) else literal.html(three_digits(cell))


def _bar(bar: Bar) -> str:
    share = min(100.0, 100 * abs(bar.value) / (bar.largest or 1))
    colour = palette.signed_hues(bar.kind)[bar.value >= 0]
    fill = f"color-mix(in srgb, {colour} 40%, transparent)"
    style = f"background:linear-gradient(to right, {fill} {share:.1f}%, transparent {share:.1f}%)"
    return f'<span style="{style}">{literal.html(bar.text or three_digits(bar.value))}</span>'
