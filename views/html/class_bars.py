"""Class probabilities as bars in HTML, alone or before and after a change."""

from collections.abc import Sequence

import numpy as np

from .. import palette
from ..text import literal
from ..text.catalogue import say
from ..text.numbers import percent

# A page includes this once; the HTML of the functions below relies on it.
STYLE = f"""<style>
.aa-answer {{ width: 100%; border-collapse: collapse; font-size: .875rem; margin: 0;
  font-variant-numeric: tabular-nums }}
.aa-answer caption {{ text-align: left; color: inherit; padding-bottom: 4px }}
.aa-answer th, .aa-answer td {{ border: 0; padding: 2px 8px 2px 0; font-weight: 400; text-align: left }}
.aa-answer th {{ width: 1%; white-space: nowrap }}
.aa-answer td:last-child {{ width: 4.5em; text-align: right; padding-right: 0; white-space: nowrap }}
.aa-answer .aa-share {{ height: .8rem; min-width: 1px; background: {palette.HUES["vision"]}; opacity: .45 }}
.aa-answer .aa-best th {{ font-weight: 600 }}
.aa-answer .aa-best .aa-share {{ opacity: 1 }}
.aa-answer.aa-moves caption {{ padding-bottom: 6px }}
.aa-answer.aa-moves th, .aa-answer.aa-moves td {{ padding-bottom: 4px; line-height: 1.25 }}
.aa-moves i {{ display: block; height: .45rem; min-width: 1px; margin: 2px 0 }}
.aa-moves .aa-before {{ background: currentColor; opacity: .35 }}
.aa-moves .aa-after {{ background: {palette.HUES["vision"]} }}
.aa-moves b {{ display: inline-block; width: .9em; height: .45rem; margin: 0 .3em 0 0; vertical-align: middle }}
.aa-moves b + span {{ margin-right: 1.2em }}
</style>"""


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
