"""HTML for decoding steps: the tokens so far, the attention weights of a step, and aligned sequences."""

from collections.abc import Sequence

from .. import palette
from ..text import literal
from ..text.numbers import three_digits
from .bars import Cell

_NARROW = "2rem"  # of a column of tokens
_STRONGEST = 70  # per cent of the hue behind the largest weight, so that the text on it is legible


def token_strip(read: Sequence[str], generated: str, later: Sequence[str], announced: bool = True) -> str:
    """The decoder's tokens in one row: those it has read, the one generated in this step, and the later ones.

    Args:
        announced: whether screen readers announce the token of another step; not where the stage does.
    """
    items = [f'<span{literal.TOKEN} role="listitem">{_token(token)}</span>' for token in read]
    now = f'class="aa-now" aria-current="step"{" data-announced" * announced}'
    items.append(f'<span{literal.TOKEN} role="listitem" {now}>{_token(generated)}</span>')
    items += [f'<span{literal.TOKEN} role="listitem" class="aa-later">{_token(token)}</span>' for token in later]
    return f'<div role="list" class="aa-chips aa-decoder aa-strip" lang="fr">{"".join(items)}</div>'


def weighted_tokens(tokens: Sequence[str], values: Sequence[float], kind: str = "cross", language: str = "") -> str:
    """Tokens in a row, each with its weight below and a background of the kind's hue, deepest for the largest.

    `language` is that of the tokens, empty where unknown.
    """
    largest = max(values, default=0) or 1
    items = []
    for token, value in zip(tokens, values, strict=True):
        share = max(0.0, _STRONGEST * value / largest)
        fill = f"background:color-mix(in srgb, {palette.hue_of(kind)} {share:.1f}%, transparent)"
        number = literal.html(three_digits(value))
        items.append(
            f'<span{literal.token_in(language)} role="listitem" style="{fill}">'
            f"{_token(token)}<small>{number}</small></span>"
        )
    return f'<div role="list" class="aa-chips aa-strip">{"".join(items)}</div>'


def aligned_tokens(rows: Sequence[tuple[str, Sequence[str]]], name: str, language: str) -> str:
    """Rows of a heading and tokens of a language, with equal positions below each other.

    `name` is for screen readers.
    """
    length = max(len(tokens) for _, tokens in rows)
    head = "".join(f'<th scope="col">{position + 1}</th>' for position in range(length))
    body = ""
    for heading, tokens in rows:
        cells = "".join(f"<td{literal.token_in(language)}>{_token(token)}</td>" for token in tokens)
        cells += "<td></td>" * (length - len(tokens))
        body += f'<tr><th scope="row">{literal.html(heading)}</th>{cells}</tr>'
    label = f'aria-label="{literal.html(name)}"'
    return (
        f'<div style="overflow-x:auto" tabindex="0" role="region" {label}><table class="aa-table aa-aligned" '
        f'style="width:auto" {label}><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def token_cell(token: str, language: str = "") -> Cell:
    """A token in a table, of a language or of an unknown one."""
    return Cell(f"<span{literal.token_in(language)}>{_token(token)}</span>", _NARROW)


def differing_cell(token: str, language: str = "") -> Cell:
    """A token in a table that differs from the expected one, marked by colour and by a sign."""
    return Cell(f'<span{literal.token_in(language)} class="aa-differs">\u2260 {_token(token)}</span>', _NARROW)


def meter_cell(value: float, largest: float) -> Cell:
    """A number with a grey bar behind it; `largest` fills the width."""
    share = min(100.0, 100 * abs(value) / (largest or 1))
    return Cell(
        f'<span class="aa-bar aa-meter" style="--share:{share:.1f}%">{literal.html(three_digits(value))}</span>', ""
    )


def _token(token: str) -> str:
    return literal.html(literal.visible(literal.token(token)))
