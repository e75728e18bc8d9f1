"""Two token sequences as HTML, one above the other: what corresponds is in one column, and differences are marked.

Every text is escaped by `literal.html`; colours are mixed with the page's text colour, so both themes work.
"""

from collections.abc import Sequence

from ..text import literal

Pair = tuple[int | None, int | None]  # places in the first and in the second sequence; None where one has no partner


def aligned_tokens(
    first: Sequence[str],
    second: Sequence[str],
    pairs: Sequence[Pair],
    names: tuple[str, str],
    nothing: str,
    language: str = "",
) -> str:
    """Two sequences of tokens in columns.

    Args:
        pairs: the columns, in order.
        names: of the two sequences.
        nothing: what a screen reader reads for a token without a partner.
        language: of the tokens; empty where unknown.
    """
    head = "".join(f"<span>{literal.html(name)}</span>" for name in names)
    columns = [f'<span class="aa-names" role="listitem">{head}</span>']
    for one, two in pairs:
        above = None if one is None else first[one]
        below = None if two is None else second[two]
        differs = "" if above == below else ' class="aa-other"'
        columns.append(
            f'<span{differs} role="listitem">{_cell(above, nothing, language)}{_cell(below, nothing, language)}</span>'
        )
    return f'<div role="list" class="aa-pairs">{"".join(columns)}</div>'


def _cell(label: str | None, nothing: str, language: str) -> str:
    if label is None:
        return f'<span class="aa-none" role="img" aria-label="{literal.html(nothing)}"></span>'
    return f"<span{literal.token_in(language)}>{literal.html(literal.token(label))}</span>"
