"""Cells of a table that state an answer with its probability, which fills the cell as a bar."""

from .. import palette
from ..text import literal
from ..text.numbers import percent
from .bars import Cell


def answer_cell(
    answer: str, probability: float, is_right: bool, kind: str = "decoder", what: str = "token", language: str = ""
) -> Cell:
    """An answer and its probability.

    Args:
        is_right: whether it is the answer that is asked for; it is underlined.
        kind: decides the hue.
        what: "token" or "name", what the answer is.
        language: of a token; empty where unknown.
    """
    fill = f"color-mix(in srgb, {palette.hue_of(kind)} 36%, transparent)"
    share = 100 * probability
    bar = f"background:linear-gradient(to right, {fill} {share:.1f}%, transparent {share:.1f}%)"
    shown = literal.html(literal.visible(literal.token(answer) if what == "token" else answer))
    right = " aa-right" if is_right else ""
    number = f"<small{literal.NUMBER}>{literal.html(percent(probability))}</small>"
    answered = f"<span{literal.token_in(language) if what == 'token' else literal.attributes_of(what)}>{shown}</span>"
    return Cell(f'<span class="aa-outcome{right}" style="{bar}">{answered}{number}</span>', "4rem")
