"""What each head does for this sentence: all heads ranked by the loss without them, with computed labels."""

from __future__ import annotations

import streamlit as st

from model import Trace
from pages.heads.study import Study, one_head, study
from pages.shared.head_ranking import detail, listing, rows
from pages.shared.opening import opening, translated
from pages.shared.runs import fragment
from pages.shared.service import Service
from pages.shared.texts import paragraph
from views.controls import inputs, widgets
from views.html import bars, steps
from views.text.catalogue import say

EVERY = "all"  # kinds of attention


def main() -> None:
    """Read the inputs, try every head, show."""
    request = opening("heads")
    if not request.accepted:
        return
    trace = request.trace()
    translated(trace, bars.STYLE + steps.STYLE)
    explore(request.service, trace)
    detail.below("heads", say("heads.patterns", "What each pattern is, and where it comes from"))


@fragment
def explore(service: Service, trace: Trace) -> None:
    """The list and the open head. A change of its settings runs only this part again."""
    with st.skeleton(height=640):
        found = study(service, trace)
    with st.container(horizontal=True, gap="medium"):
        kinds = {EVERY: say("heads.of.all", "All"), **inputs.kind_names(service.kinds)}
        of = widgets.pick(say("heads.of", "Heads of"), kinds, "of")
        by = listing.order("sort")
        chosen = listing.chosen(found.heads, "shown")
    listed = rows.ordered([head for head in found.heads if of in (EVERY, head.kind)], by)
    shown = chosen or listed[0]
    overview, opened = st.columns([5, 4], gap="large")
    with overview:
        ranking(service, found, trace, listed, shown)
    with opened:
        one_head(service, found, trace, shown)


def ranking(service: Service, found: Study, trace: Trace, listed: list[rows.Head], shown: rows.Head) -> None:
    """All heads with their maps."""
    strongest = max(found.heads, key=lambda head: abs(head.change))
    paragraph(
        "heads",
        "list",
        loss=found.effects.reference,
        total=found.effects.losses.sum(),
        tokens=len(found.effects.losses),
        strongest=strongest.name,
        change=rows.signed(strongest.change),
        helpful=sum(head.change > 0 for head in found.heads),
        heads=len(found.heads),
    )
    change, here = say("heads.change", "change of the loss, nats per token"), say("heads.here", "on this sentence")
    about = listing.Listing(
        found.found,
        lambda head: trace.attention(head.kind)[head.layer, head.head],
        (say("column.head", "head"), change, here),
        say("heads.measured", "change of the loss"),
        name="heads",
        selects="shown",
        causal=frozenset(name for name, kind in service.kinds.items() if kind.causal),
    )
    listing.show(about, listed, shown)


main()
