"""Class probabilities as bars, in HTML that takes the page's own text colour."""

from __future__ import annotations

from collections.abc import Sequence

from views import palette
from views.text import literal
from views.text.catalogue import say
from views.text.numbers import percent

# A page shows this once; what `bars` returns relies on it.
STYLE = f"""<style>
.aa-answer {{ width: 100%; border-collapse: collapse; font-size: .875rem; margin: 0;
  font-variant-numeric: tabular-nums }}
.aa-answer caption {{ text-align: left; color: inherit; padding-bottom: 4px }}
.aa-answer th, .aa-answer td {{ border: 0; padding: 2px 8px 2px 0; font-weight: 400; text-align: left }}
.aa-answer th {{ width: 1%; white-space: nowrap }}
.aa-answer td:last-child {{ width: 4.5em; text-align: right; padding-right: 0 }}
.aa-answer .aa-share {{ height: .8rem; min-width: 1px; background: {palette.HUES["vision"]}; opacity: .45 }}
.aa-answer .aa-best th {{ font-weight: 600 }}
.aa-answer .aa-best .aa-share {{ opacity: 1 }}
</style>"""


def bars(classes: Sequence[str], probabilities: Sequence[float]) -> str:
    """A row a class, in the order given; the most probable one stands out.

    Args:
        probabilities: from 0 to 1; a bar of full width is 1.
    """
    best = max(range(len(classes)), key=lambda place: probabilities[place])
    marks = ["", ' class="aa-best"']
    rows = "".join(
        f"<tr{marks[place == best]}>"
        f'<th scope="row"{literal.NAME}>{literal.html(name)}</th>'
        f'<td><div class="aa-share" style="width:{100 * share:.2f}%"></div></td>'
        f'<td title="{share:.7g}">{literal.html(percent(share))}</td></tr>'
        for place, (name, share) in enumerate(zip(classes, map(float, probabilities), strict=True))
    )
    caption = literal.html(say("answer.caption", "Probability of each class"))
    return f'<table class="aa-answer"><caption>{caption}</caption><tbody>{rows}</tbody></table>'
