"""One decoding step, as HTML: what is written so far, where the step looks, and two runs side by side."""

from __future__ import annotations

from collections.abc import Sequence

from views import palette
from views.html.bars import Cell
from views.text import literal
from views.text.numbers import three_digits

# A page shows this once; what the functions below return relies on it and on `bars.STYLE` and `pieces.STYLE`.
STYLE = f"""<style>
.aa-strip > span {{ text-align: center; font-variant-numeric: tabular-nums }}
.aa-strip small {{ display: block; margin: 0 }}
.aa-strip .aa-later {{ opacity: .45 }}
.aa-strip .aa-now {{ background: color-mix(in srgb, {palette.HUES["decoder"]} 38%, transparent); font-weight: 600 }}
.aa-aligned th {{ white-space: nowrap }}
.aa-aligned td {{ white-space: nowrap; border-left: 1px solid color-mix(in srgb, currentColor 12%, transparent) }}
.aa-differs {{ background: color-mix(in srgb, {palette.NEGATIVE} 34%, transparent); padding: 0 4px;
  border-radius: 2px; white-space: nowrap }}
.aa-quiet {{ opacity: .5 }}
</style>"""

_RISES, _FALLS = "#56B4E9", palette.NEGATIVE
_NARROW = "2rem"  # of a column that holds pieces
_STRONGEST = 70  # per cent of the hue behind the largest weight, so that the text on it stays readable


def written(read: Sequence[str], chosen: str, later: Sequence[str]) -> str:
    """The decoder's pieces in one row: what it has read, what it writes in this step, and what it will write."""
    items = [f'<span role="listitem">{_piece(piece)}</span>' for piece in read]
    items.append(f'<span role="listitem" class="aa-now" aria-current="step">{_piece(chosen)}</span>')
    items += [f'<span role="listitem" class="aa-later">{_piece(piece)}</span>' for piece in later]
    return f'<div role="list" class="aa-chips aa-decoder aa-strip">{"".join(items)}</div>'


def weights(pieces: Sequence[str], values: Sequence[float], kind: str = "cross") -> str:
    """Pieces in a row, each with its weight below and a background as deep as the weight is large.

    Args:
        pieces: what is looked at.
        values: a weight a piece; the deepest colour belongs to the largest.
        kind: whose hue is used.
    """
    largest = max(values, default=0) or 1
    items = []
    for piece, value in zip(pieces, values, strict=True):
        share = max(0.0, _STRONGEST * value / largest)
        fill = f"background:color-mix(in srgb, {palette.HUES[kind]} {share:.1f}%, transparent)"
        number = literal.html(three_digits(value))
        items.append(f'<span role="listitem" style="{fill}">{_piece(piece)}<small>{number}</small></span>')
    return f'<div role="list" class="aa-chips aa-strip">{"".join(items)}</div>'


def aligned(rows: Sequence[tuple[str, Sequence[str]]], name: str) -> str:
    """Rows of pieces with equal places below each other.

    Args:
        rows: a heading and the pieces of each row; shorter rows end earlier.
        name: describes the table to those who cannot see it.
    """
    length = max(len(pieces) for _, pieces in rows)
    head = "".join(f'<th scope="col">{place + 1}</th>' for place in range(length))
    body = ""
    for heading, pieces in rows:
        cells = "".join(f"<td>{_piece(piece)}</td>" for piece in pieces) + "<td></td>" * (length - len(pieces))
        body += f'<tr><th scope="row">{literal.html(heading)}</th>{cells}</tr>'
    return (
        f'<div style="overflow-x:auto" tabindex="0"><table class="aa-table aa-aligned" style="width:auto" '
        f'aria-label="{literal.html(name)}"><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def plain(piece: str) -> Cell:
    """A piece in a table."""
    return Cell(_piece(piece), _NARROW)


def flagged(piece: str) -> Cell:
    """A piece in a table that is not the one that was expected: marked by colour and by a sign."""
    return Cell(f'<span class="aa-differs">\u2260 {_piece(piece)}</span>', _NARROW)


def number(text: str) -> Cell:
    """A number in a column that also has other cells."""
    return Cell(f'<span style="white-space:nowrap">{literal.html(text)}</span>', _NARROW)


def quiet(text: str) -> Cell:
    """A cell that stands back, such as a number that was filtered out."""
    return Cell(f'<span class="aa-quiet">{literal.html(text)}</span>', _NARROW)


def strong(piece: str) -> Cell:
    """A piece in a table that was taken: marked by colour and weight."""
    fill = f"color-mix(in srgb, {palette.HUES['decoder']} 38%, transparent)"
    return Cell(f'<b style="background:{fill};padding:0 4px;border-radius:2px">{_piece(piece)}</b>', _NARROW)


def meter(value: float, largest: float, signed: bool = False) -> Cell:
    """A number with a bar behind it, grey; where signs matter, sky blue above 0 and amber below.

    Args:
        largest: what fills the whole width.
    """
    share = min(100.0, 100 * abs(value) / (largest or 1))
    colour = "currentColor 22%" if not signed else f"{_FALLS if value < 0 else _RISES} 45%"
    fill = f"color-mix(in srgb, {colour}, transparent)"
    style = f"background:linear-gradient(to right, {fill} {share:.1f}%, transparent {share:.1f}%);padding:0 4px"
    return Cell(f'<span style="display:block;{style}">{literal.html(three_digits(value))}</span>', "4rem")


def _piece(piece: str) -> str:
    return literal.html(literal.visible(literal.piece(piece)))
