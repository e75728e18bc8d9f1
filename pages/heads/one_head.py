"""The head that is open on the page of heads: its map, the loss of every token without it, its scores and the check."""

from __future__ import annotations

import streamlit as st

from model import Trace
from pages.heads.sentence import Study, checked
from pages.shared import charts, checks, files
from pages.shared.head_ranking import detail, rows
from pages.shared.service import Service
from views import maps
from views.address import settings
from views.controls import inputs
from views.figures.heatmap import HeadMap, heatmap
from views.html import bars, steps
from views.text import prose, terms
from views.text.catalogue import say
from views.text.numbers import three_digits


def one_head(service: Service, found: Study, trace: Trace, head: rows.Head) -> None:
    """The open head: map, tokens, scores and the check."""
    kind = service.kinds[head.kind]
    layer, number = str(head.layer + 1), str(head.head + 1)
    weights = trace.attention(head.kind)[head.layer, head.head]
    picture = HeadMap(weights, *trace.axes(head.kind), kind, maps.describe(layer, number), float(weights.max()))
    st.markdown(f"**{picture.title}**")
    place = {"kind": kind.name, "layer": layer, "head": number}
    st.page_link(
        "pages/attention/page.py",
        label=say("heads.open", "Open it on the Attention page"),
        query_params=settings.shared() | place,
    )
    charts.chart(heatmap(picture, inputs.theme()), "head map", charts.MAP(title=picture.title))
    files.head_map(picture, name=f"{kind.name}-layer-{layer}-head-{number}")
    without = found.effects.without[head.kind][head.layer, head.head]
    changes = without - found.effects.losses
    top = float(abs(changes).max())
    st.markdown(prose.block("heads", "tokens"))
    st.html(
        bars.table(
            [
                terms.TOKEN(),
                say("heads.loss", "-ln p"),
                say("heads.without", "without the head"),
                say("heads.moved", "change"),
            ],
            [
                [steps.plain(token), float(loss), float(other), bars.bar(float(change), top, head.kind)]
                for token, loss, other, change in zip(
                    trace.next_tokens, found.effects.losses, without, changes, strict=True
                )
            ],
            say("heads.losses", "Loss by token without {head}", head=head.name),
        )
    )
    alone = checked(service, trace, head)
    st.caption(
        prose.block(
            "heads",
            "check",
            head=head.name,
            loss=three_digits(alone),
            difference=checks.said("head alone", abs(float(without.mean()) - alone)),
        )
    )
    st.html(detail.scores(head, found.found))
    st.caption(detail.often(head, found.found))
    if head.kind == "cross" and found.linked is not None:
        st.caption(prose.block("heads", "aligned", linked=found.linked, tokens=len(trace.next_ids)))
