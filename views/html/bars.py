"""HTML tables of named numbers with bars."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .. import palette
from ..figures.overlay import data_url
from ..text import literal
from ..text.catalogue import say
from ..text.glossary import JOINER
from ..text.numbers import grouped, three_digits


@dataclass(frozen=True)
class Cell:
    """A cell that is not plain text: HTML of this project's own functions, such as `generated_tokens.chips`."""

    html: str
    width: str = "9rem"  # minimum; empty if the content has its own


Value = str | int | float | Cell


def data_cell(text: str, what: Literal["token", "number", "name"], language: str = "") -> Cell:
    """A cell whose text is data, marked as such, and not a translated message; a token may be of a language."""
    shown = literal.token(text) if what == "token" else literal.visible(text)
    marked = literal.token_in(language) if what == "token" else literal.attributes_of(what)
    return Cell(f"<span{marked}>{literal.html(shown)}</span>", "0")


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[Value]],
    name: str,
    marked: int | None = None,
    whole: bool = False,
    stacked: bool = False,
) -> str:
    """A table; texts are escaped, numbers have three digits and are aligned right, like texts that are numbers.

    Args:
        rows: the first entry of each is its heading.
        name: describes the table for screen readers.
        marked: index of a row that is highlighted.
        whole: never scrolls; else a table of more than about a screen does.
        stacked: on a phone, a row is a block: its heading, then each value after the title of its column.
    """
    numeric = [_is_numeric([row[column] for row in rows]) for column in range(len(header))]
    head = "".join(
        f'<th scope="col"{_NUMBER if number else ""}>{_format_title(title)}</th>' if title else "<td></td>"
        for title, number in zip(header, numeric, strict=True)
    )
    titles = header[1:] if stacked else [""] * len(header[1:])
    body = "".join(
        f"<tr{_MARKED if index == marked else ''}>"
        f'<th scope="row"{_NUMBER if numeric[0] else ""}>{_content(row[0])}</th>'
        f"{''.join(_cell(*cell) for cell in zip(row[1:], numeric[1:], titles, strict=True))}</tr>"
        for index, row in enumerate(rows)
    )
    height = " aa-whole" if whole else ""
    css_class = "aa-table aa-stacked" if stacked else "aa-table"
    label = f'aria-label="{literal.html(name)}"'
    return (
        f'<div class="aa-scroll{height}" tabindex="0" role="region" {label}><table class="{css_class}" {label}>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


_NUMBER, _MARKED = ' class="aa-number"', ' class="aa-marked"'
_WRITTEN = re.compile(r"(<\s)?[-\u2212]?\d[\d.,\s]*(e[-\u2212]?\d+)?%?")
_NOTHING = ("", "\u2013", "\u2014")  # empty, or a dash for no number


def _is_numeric(column: Sequence[Value]) -> bool:
    plain = [value for value in column if value not in _NOTHING and not isinstance(value, Cell)]
    return bool(plain) and all(_WRITTEN.fullmatch(value) if isinstance(value, str) else True for value in plain)


def _format_title(text: str) -> str:
    """The title of a column as HTML; no line ends after the first bar of a length such as |x|."""
    return re.sub(r"\|(?=\w)", "|" + JOINER, literal.html(text))


def _cell(value: Value, numeric: bool, title: str) -> str:
    css_class = _NUMBER if numeric or isinstance(value, float | int) else ""
    width = f' style="min-width:{value.width}"' if isinstance(value, Cell) and value.width else ""
    named = f' data-title="{_format_title(title)}"' if title else ""
    return f"<td{css_class}{width}{named}>{_content(value)}</td>"


def _content(value: Value) -> str:
    if isinstance(value, Cell):
        return value.html
    if isinstance(value, str):
        return literal.html(literal.visible(value))
    return grouped(value) if isinstance(value, int) else three_digits(value)


def bar_cell(
    value: float,
    largest: float,
    kind: str = "encoder",
    text: str = "",
    write: Callable[[float], str] = three_digits,
) -> Cell:
    """A number before a bar in the hue of its sign and `kind`, or `text` for it above one; `largest` fills the cell.

    Args:
        write: formats the number.
    """
    share = min(100.0, 100 * abs(value) / (largest or 1))
    style = f"--hue:{palette.signed_hues(kind)[value >= 0]};--share:{share:.1f}%"
    under = " aa-under" if text else ""
    return Cell(f'<span class="aa-bar{under}" style="{style}">{literal.html(text or write(value))}</span>', "")


def strip_cell(vector: np.ndarray, top: float, kind: str, theme: palette.Theme, name: str) -> Cell:
    """A vector `(n,)` as a strip of colours, one pixel per number; -`top` and `top` have the deepest colours."""
    colours = palette.shades((vector / (top or 1) + 1) / 2, palette.signed_scale(kind, theme))
    pixels = colours.round().astype(np.uint8)[None]  # (1, n, 3)
    length = three_digits(float(np.linalg.norm(vector)))
    description = say(
        "strip.vector", "{name}: {count} numbers, length {length}", name=name, count=len(vector), length=length
    )
    return Cell(f'<img src="{data_url(pixels)}" alt="{literal.html(description)}">', "6rem")
