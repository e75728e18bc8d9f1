"""Named numbers as rows with bars, in HTML: a table that can be read at a glance. Relies on `STYLE`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from views import literal, palette
from views.numbers import three_digits

# A page shows this once; what the functions below return relies on it.
STYLE = """<style>
.aa-table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; width: 100% }
.aa-table th, .aa-table td { padding: 3px 10px 3px 4px; text-align: left; vertical-align: top; border: 0;
  border-bottom: 1px solid color-mix(in srgb, currentColor 12%, transparent) }
.aa-table th { font-weight: 600 } .aa-table thead th { opacity: .8; font-weight: 400 }
.aa-table td.aa-number, .aa-table th.aa-number { text-align: right; white-space: nowrap }
.aa-table .aa-chips { min-height: 0 }
</style>"""


@dataclass(frozen=True)
class Cell:
    """A cell that is not plain text: HTML made by this project's own functions, such as `pieces.chips`."""

    html: str
    width: str = "9rem"  # at least


def table(header: Sequence[str], rows: Sequence[Sequence[str | float | Cell]], name: str) -> str:
    """A table; text is shown as it is, numbers with three digits and to the right.

    Args:
        header: a name a column.
        rows: the first entry of each is its heading.
        name: describes the table to those who cannot see it.
    """
    numeric = [bool(rows) and all(isinstance(row[place], float | int) for row in rows) for place in range(len(header))]
    head = "".join(
        f'<th scope="col"{_CLASS if number else ""}>{literal.html(title)}</th>'
        for title, number in zip(header, numeric, strict=True)
    )
    body = "".join(
        f'<tr><th scope="row">{_content(row[0])}</th>{"".join(_cell(value) for value in row[1:])}</tr>' for row in rows
    )
    return (
        f'<div style="overflow-x:auto" tabindex="0"><table class="aa-table" aria-label="{literal.html(name)}">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


_CLASS = ' class="aa-number"'


def _cell(value: str | float | Cell) -> str:
    if isinstance(value, Cell):
        return f'<td style="min-width:{value.width}">{value.html}</td>'
    return f"<td{_CLASS if isinstance(value, float | int) else ''}>{_content(value)}</td>"


def _content(value: str | float | Cell) -> str:
    if isinstance(value, Cell):
        return value.html
    if isinstance(value, str):
        return literal.html(literal.visible(value))
    return str(value) if isinstance(value, int) else three_digits(value)


def bar(value: float, largest: float, kind: str = "encoder") -> Cell:
    """A number with a bar behind it, in the hues of a signed scale; `largest` is the whole width."""
    share = min(100.0, 100 * abs(value) / (largest or 1))
    colour = palette.signed_hues(kind)[value >= 0]
    fill = f"color-mix(in srgb, {colour} 40%, transparent)"
    style = f"background:linear-gradient(to right, {fill} {share:.1f}%, transparent {share:.1f}%);padding:0 4px"
    return Cell(f'<span style="display:block;{style}">{literal.html(three_digits(value))}</span>', "4rem")
