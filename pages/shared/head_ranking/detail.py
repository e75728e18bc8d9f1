"""What the pages of ranked heads show of the one that is open: its scores."""

from __future__ import annotations

from model.attribution.head_labels import DIFFUSE, HALF, SPREAD, TIMES
from pages.shared.head_ranking.names import PATTERNS
from pages.shared.head_ranking.rows import Found, Head, signed
from views.html import bars
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import three_digits


def scores(head: Head, found: Found) -> str:
    """Every pattern's score as an HTML table."""
    header = [
        say("column.pattern", "pattern"),
        say("ranking.score", "score here"),
        say("ranking.uniform", "uniform attention"),
        say("ranking.times", "times uniform"),
    ]
    if found.statistics:
        header.append(found.heading)
    rows = []
    for name, (score, chance, many) in head.scores.items():
        uniform = ["", ""] if name == DIFFUSE else [three_digits(chance), three_digits(score / chance)]
        row = [PATTERNS[name](), bars.bar(score, 1, head.kind), *uniform]
        if found.statistics:
            row.append("" if many is None else f"{three_digits(many[0])} \u00b1 {three_digits(many[1])}")
        rows.append(row)
    return bars.table(header, rows, say("ranking.scores", "Scores of {head}", head=head.name))


def often(head: Head, found: Found) -> str:
    """What its ablation does over many inputs, as Markdown; empty where that is not known."""
    if head.effect is None:
        return ""
    mean, spread = signed(head.effect[0]), three_digits(head.effect[1])
    return prose.block("heads", "often", heading=found.heading, mean=mean, spread=spread)


def rule() -> str:
    """How labels are given, with the thresholds in use, as Markdown."""
    return prose.block("heads", "labels", half=f"{HALF:g}", times=f"{TIMES:g}", spread=f"{SPREAD:g}")
