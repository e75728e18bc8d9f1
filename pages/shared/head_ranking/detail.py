"""What the pages of ranked heads show of the one that is open, and the text below the list."""

from __future__ import annotations

import streamlit as st

from model.attribution.head_labels import DIFFUSE, HALF, SPREAD, TIMES
from pages.shared.head_ranking.names import PATTERNS
from pages.shared.head_ranking.rows import Found, Head, signed
from pages.shared.texts import block, caption, how_to_read
from views.html import bars
from views.text.catalogue import say
from views.text.numbers import three_digits


def scores(head: Head, found: Found) -> None:
    """Every pattern's score as a table, and what the head's ablation does over many inputs, where that is known."""
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
    st.html(bars.table(header, rows, say("ranking.scores", "Scores of {head}", head=head.name)))
    if head.effect is not None:
        caption("heads", "often", heading=found.heading, mean=signed(head.effect[0]), spread=head.effect[1])


def below(page: str, label: str) -> None:
    """How to read effects and labels, with the thresholds in use; what each pattern is, under `label`."""
    thresholds = {"half": f"{HALF:g}", "times": f"{TIMES:g}", "spread": f"{SPREAD:g}"}
    how_to_read(block(page, "effects"), block("heads", "labels", **thresholds))
    with st.expander(label):
        st.markdown(block(page, "patterns"))
