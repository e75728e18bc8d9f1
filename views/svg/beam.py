"""A beam search as an SVG: a column per step, a box per hypothesis, lines to its continuations."""

from collections.abc import Sequence
from dataclasses import dataclass

from .. import palette
from ..text import literal
from ..text.catalogue import Message, say
from ..text.numbers import three_digits
from .blocks import INK, PAPER

_BOX, _TALL = 112, 42  # of a node, in pixels
_PITCH, _ROW = 150, 52  # from column to column and from row to row
_TOP, _SIDE, _FIRST = 34, 8, 48  # margins; width of the box of the start token
_LETTERS = 13  # that fit into a box
_FRENCH = literal.token_in("fr")
_HUE = palette.HUES["decoder"]
FATES = {
    "kept": Message("beam.kept", "kept"),
    "finished": Message("beam.finished", "finished"),
    "displaced": Message("beam.displaced", "displaced"),
    "pruned": Message("beam.pruned", "pruned"),
}


@dataclass(frozen=True)
class Node:
    """One hypothesis."""

    token: str  # the token that the step added
    probability: float  # of the token, given the tokens before it
    # `log_probability`, `score`: of the whole hypothesis
    log_probability: float
    score: float
    fate: str  # one of `FATES`
    winner: bool  # True on the path of the best translation
    parent: int  # index of the hypothesis it extends, in the column before


def beam(columns: Sequence[Sequence[Node]], title: str) -> str:
    """Draw the search from left to right; the nodes of a step are in the order given.

    Args:
        columns: the nodes of each step.
        title: describes the drawing for screen readers.
    """
    rows = max(len(column) for column in columns)
    width = _left(len(columns)) + _BOX + _SIDE
    height = _TOP + _ROW * rows
    lines, boxes = [], [_start()]
    for step, column in enumerate(columns, 1):
        name = literal.html(say("beam.step", "step {step}", step=step))
        boxes.append(
            f'<text x="{_left(step) + _BOX / 2:g}" y="16" font-size="13" opacity=".75" fill="{INK}">{name}</text>'
        )
        for row, node in enumerate(column):
            lines.append((node.winner, _line(step, row, node)))
            boxes.append(_box(step, row, node))
    ordered = [line for _, line in sorted(lines, key=lambda pair: pair[0])]  # the winning path on top
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'style="width:{width}px;max-width:none" role="img" aria-label="{literal.html(title)}" text-anchor="middle" '
        f'font-family="var(--st-font, sans-serif)">{"".join(ordered)}{"".join(boxes)}</svg>'
    )


def _left(step: int) -> int:
    return _SIDE + _FIRST - _BOX + _PITCH * step


def _middle(row: int) -> float:
    return _TOP + _ROW * row + _TALL / 2


def _start() -> str:
    return (
        f'<rect x="{_SIDE}" y="{_TOP}" width="{_FIRST}" height="{_TALL}" rx="4" fill="{_HUE}" fill-opacity=".16" '
        f'stroke="{_HUE}"/><text x="{_SIDE + _FIRST / 2:g}" y="{_TOP + 26}" font-size="14" fill="{INK}"'
        f"{literal.token_in('fr')}>&lt;s&gt;</text>"
    )


def _line(step: int, row: int, node: Node) -> str:
    start, end = _left(step - 1) + _BOX, _left(step)
    above, here = _middle(node.parent if step > 1 else 0), _middle(row)
    bend = (start + end) / 2
    colour, thick, strength = (_HUE, 2.5, 1) if node.winner else (INK, 1, 0.45)
    if node.fate == "pruned":
        strength = 0.2
    return (
        f'<path d="M{start} {above:g} C{bend:g} {above:g} {bend:g} {here:g} {end} {here:g}" fill="none" '
        f'stroke="{colour}" stroke-width="{thick}" stroke-opacity="{strength}"/>'
    )


def _box(step: int, row: int, node: Node) -> str:
    left, top = _left(step), _TOP + _ROW * row
    short, token = literal.drawn_token(node.token, _LETTERS)
    full = say(
        "beam.node",
        "{token}: {fate}; probability {probability}, sum of ln p {sum}, score {score}",
        token=token,
        fate=FATES[node.fate](),
        probability=three_digits(node.probability),
        sum=three_digits(node.log_probability),
        score=three_digits(node.score),
    )
    fill = 0.38 if node.winner else 0.12 if node.fate == "kept" else 0
    dash = ' stroke-dasharray="3 3"' if node.fate in ("pruned", "displaced") else ""
    ended = node.fate in ("finished", "displaced")
    stroke = f'stroke="{INK if ended else _HUE}" stroke-width="{2 if ended else 1}"'
    faded = ' opacity=".6"' if node.fate == "pruned" else ""
    rectangle = f'x="{left}" y="{top}" width="{_BOX}" height="{_TALL}" rx="{14 if ended else 4}"'
    middle = left + _BOX / 2
    return (
        f'<g data-fate="{node.fate}"{faded}><title>{literal.html(full)}</title><rect {rectangle} fill="{PAPER}"/>'
        f'<rect {rectangle} fill="{_HUE}" fill-opacity="{fill}" {stroke}{dash}/>'
        f'<text x="{middle:g}" y="{top + 18}" font-size="14" font-weight="600" fill="{INK}"{_FRENCH}>'
        f'{literal.html(short)}</text><text x="{middle:g}" y="{top + 34}" font-size="12" fill="{INK}">'
        f"{three_digits(node.log_probability)} | {three_digits(node.score)}</text></g>"
    )
