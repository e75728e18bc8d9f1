"""Probabilities before and after something was changed, as bars in HTML that take the page's own text colour."""

from __future__ import annotations

from collections.abc import Sequence

from views import palette
from views.text import literal
from views.text.catalogue import say
from views.text.numbers import percent

_STYLE = f"""<style>
.aa-moves {{ width: 100%; border-collapse: collapse; font-size: .875rem; margin: 0;
  font-variant-numeric: tabular-nums }}
.aa-moves caption {{ text-align: left; color: inherit; padding-bottom: 6px }}
.aa-moves th, .aa-moves td {{ border: 0; padding: 2px 8px 4px 0; font-weight: 400; text-align: left;
  line-height: 1.25 }}
.aa-moves th {{ width: 1%; white-space: nowrap }}
.aa-moves td:last-child {{ width: 4.5em; text-align: right; padding-right: 0; white-space: nowrap }}
.aa-moves i {{ display: block; height: .45rem; min-width: 1px; margin: 2px 0 }}
.aa-moves .aa-before {{ background: currentColor; opacity: .35 }}
.aa-moves .aa-after {{ background: {palette.HUES["vision"]} }}
.aa-moves b {{ display: inline-block; width: .9em; height: .45rem; margin: 0 .3em 0 0; vertical-align: middle }}
.aa-moves b + span {{ margin-right: 1.2em }}
</style>"""


def moves(names: Sequence[str], before: Sequence[float], after: Sequence[float], changed: str) -> str:
    """A row a class with two bars and two numbers; a bar of full width is 1.

    Args:
        changed: what was done, for the legend.
    """
    rows = "".join(
        f'<tr><th scope="row"{literal.NAME}>{literal.html(name)}</th>'
        f'<td><i class="aa-before" style="width:{100 * was:.2f}%"></i>'
        f'<i class="aa-after" style="width:{100 * now:.2f}%"></i></td>'
        f'<td title="{_both(was, now)}">{literal.html(percent(was))}<br>'
        f"{literal.html(percent(now))}</td></tr>"
        for name, was, now in zip(names, map(float, before), map(float, after), strict=True)
    )
    unchanged = literal.html(say("moves.before", "unchanged"))
    legend = (
        f'<b class="aa-before"></b><span>{unchanged}</span><b class="aa-after"></b><span>{literal.html(changed)}</span>'
    )
    return f'{_STYLE}<table class="aa-moves"><caption>{legend}</caption><tbody>{rows}</tbody></table>'


def _both(was: float, now: float) -> str:
    return literal.html(say("moves.both", "{was} before, {now} after", was=f"{was:.7g}", now=f"{now:.7g}"))
