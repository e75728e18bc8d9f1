"""What each head does for this sentence: all heads ranked by the loss without them, with computed labels."""

from __future__ import annotations

import streamlit as st

from model import Trace
from model.tracing.kinds import TRANSLATION
from pages.heads.one_head import one_head
from pages.heads.sentence import Study, study
from pages.shared.head_ranking import detail, listing, rows
from pages.shared.opening import opening
from pages.shared.runs import fragment
from pages.shared.service import Service
from views.controls import inputs, widgets
from views.html import bars, steps, tokens
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import three_digits

EVERY = "all"  # kinds of attention


def main() -> None:
    """Read the inputs, try every head, show."""
    request = opening("heads")
    if not request.accepted:
        return
    trace = request.trace()
    heading = tokens.label(say("translation", "Translation"))
    st.html(bars.STYLE + steps.STYLE + heading + tokens.sentence(trace.target_text, "fr"))
    explore(request.service, trace)
    st.subheader(say("shared.how-to-read", "How to read it"), anchor=False)
    left, right = st.columns(2, gap="large")
    left.markdown(prose.block("heads", "effects"))
    right.markdown(detail.rule())
    with st.expander(say("heads.patterns", "What each pattern is, and where it comes from")):
        st.markdown(prose.block("heads", "patterns"))


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
        ranking(found, trace, listed, shown)
    with opened:
        one_head(service, found, trace, shown)


def ranking(found: Study, trace: Trace, listed: list[rows.Head], shown: rows.Head) -> None:
    """All heads with their maps."""
    strongest = max(found.heads, key=lambda head: abs(head.change))
    st.markdown(
        prose.block(
            "heads",
            "list",
            loss=three_digits(found.effects.reference),
            total=three_digits(float(found.effects.losses.sum())),
            tokens=len(found.effects.losses),
            strongest=strongest.name,
            change=rows.signed(strongest.change),
            helpful=sum(head.change > 0 for head in found.heads),
            heads=len(found.heads),
        )
    )
    change, here = say("heads.change", "change of the loss, nats per token"), say("heads.here", "on this sentence")
    headings = say("column.head", "head"), change, here
    listing.show(
        listing.Listing(
            found.found,
            lambda head: trace.attention(head.kind)[head.layer, head.head],
            headings,
            say("heads.measured", "change of the loss"),
            name="heads",
            selects="shown",
            causal=frozenset(kind.name for kind in TRANSLATION if kind.causal),
        ),
        listed,
        shown,
    )


main()
