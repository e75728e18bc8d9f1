"""Class probabilities as bars in HTML, alone or before and after a change."""

from collections.abc import Sequence

import numpy as np

from ..text import literal
from ..text.catalogue import say
from ..text.numbers import percent


def bars(classes: Sequence[str], probabilities: Sequence[float] | np.ndarray) -> str:
    """A row per class, in the order given; the most probable one is highlighted.

    Args:
        probabilities: from 0 to 1; a bar of full width is 1.
    """
    best = max(range(len(classes)), key=lambda index: probabilities[index])
    marks = ["", ' class="aa-best"']
    rows = "".join(
        f"<tr{marks[index == best]}>{_name(name)}"
        f'<td><div class="aa-share" style="width:{100 * share:.2f}%"></div></td>'
        f'<td title="{share:.7g}">{literal.html(percent(share))}</td></tr>'
        for index, (name, share) in enumerate(zip(classes, map(float, probabilities), strict=True))
    )
    caption = literal.html(say("answer.caption", "Probability of each class"))
    return f'<table class="aa-answer"><caption>{caption}</caption><tbody>{rows}</tbody></table>'


def ranked(classes: Sequence[str], probabilities: Sequence[float] | np.ndarray, low: bool = False) -> str:
    """As `bars`, the most probable first, in columns of one scale where there is room; a bar of full width is 1.

    Args:
        low: in two rows, each bar below its name; else in two columns.
    """
    names = "aa-answer aa-ranked aa-low" if low else "aa-answer aa-ranked"
    table = bars(classes, probabilities).replace('class="aa-answer"', f'class="{names}" role="table"')
    return f'<div style="--rows:{2 if low else -(-len(classes) // 2)}">{table}</div>'


def before_and_after(
    names: Sequence[str], before: Sequence[float] | np.ndarray, after: Sequence[float] | np.ndarray, changed: str
) -> str:
    """A row per class with two bars and two numbers; a bar of full width is 1.

    Args:
        changed: label of the change, for the legend.
    """
    rows = "".join(
        f'<tr>{_name(name)}<td><i class="aa-before" style="width:{100 * was:.2f}%"></i>'
        f'<i class="aa-after" style="width:{100 * now:.2f}%"></i></td>'
        f'<td title="{_both(was, now)}">{literal.html(percent(was))}<br>{literal.html(percent(now))}</td></tr>'
        for name, was, now in zip(names, map(float, before), map(float, after), strict=True)
    )
    unchanged = literal.html(say("moves.before", "unchanged"))
    legend = (
        f'<b class="aa-before"></b><span>{unchanged}</span><b class="aa-after"></b><span>{literal.html(changed)}</span>'
    )
    return f'<table class="aa-answer aa-moves"><caption>{legend}</caption><tbody>{rows}</tbody></table>'


def _name(name: str) -> str:
    return f'<th scope="row"{literal.NAME}>{literal.html(name)}</th>'


def _both(was: float, now: float) -> str:
    return literal.html(say("moves.both", "{was} before, {now} after", was=f"{was:.7g}", now=f"{now:.7g}"))
