"""What each head does for one sentence, computed once: effects, scores and checks; and the head that is open."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from model import Trace
from model.attribution.head_ablation import TranslationAblation
from model.attribution.head_labels import head_scores
from model.runtime.progress import InSteps
from model.text.word_alignment import links_of
from pages.shared import charts, checks, files
from pages.shared.head_ranking import detail, rows
from pages.shared.head_ranking.rows import Found, Head, heads_of, shipped
from pages.shared.service import Service
from pages.shared.texts import caption, paragraph
from pages.shared.word_links import alignment
from views import maps
from views.address import settings
from views.controls import inputs
from views.figures.heatmap import HeadMap, heatmap
from views.html import bars, steps
from views.text import terms
from views.text.catalogue import say


@dataclass(frozen=True, eq=False)
class Study:
    """All heads of one sentence and its translation.

    Attributes:
        effects: what every head does to the loss.
        heads: a row for each, by place.
        linked: how many of the French tokens the word alignment links; None where there is no alignment.
        found: the statistics, or why there are none.
    """

    effects: TranslationAblation
    heads: list[Head]
    linked: int | None
    found: Found


def study(service: Service, trace: Trace) -> Study:
    """Everything about the heads for a trace; kept for the next run."""
    model = service.model
    found = shipped(model.folder, model.weights_sha256)
    known = alignment(model.folder, model.card.get("tokenizer_sha256", ""))

    def compute(model) -> InSteps[Study]:
        links = None if known is None else links_of(known, trace.source_ids, trace.next_ids)
        effects = yield from model.ablate_in_steps(trace)
        scores = head_scores(trace, links)
        linked = None if links is None else int(links.any(axis=1).sum())
        return Study(effects, heads_of(effects.changes, scores, found.statistics), linked, found)

    return service.analysis_in_steps(("heads", trace.source_ids, trace.next_ids), compute)


def checked(service: Service, trace: Trace, head: Head) -> float:
    """The loss without `head` from a network whose slice of W_O is zero."""
    place = head.kind, head.layer, head.head
    return service.analysis(
        ("head alone", trace.source_ids, trace.next_ids, place),
        lambda model: model.loss_without(trace, place),
    )


def one_head(service: Service, found: Study, trace: Trace, head: rows.Head) -> None:
    """The open head: map, tokens, scores and the check."""
    kind = service.kinds[head.kind]
    layer, number = str(head.layer + 1), str(head.head + 1)
    weights = trace.attention(head.kind)[head.layer, head.head]
    picture = HeadMap(weights, *trace.axes(head.kind), kind, maps.describe(layer, number), float(weights.max()))
    st.markdown(f"**{picture.title}**")
    query = settings.shared() | {"kind": kind.name, "layer": layer, "head": number}
    label = say("heads.open", "Open it on the Attention page")
    st.page_link("pages/attention/page.py", label=label, query_params=query)
    charts.chart(heatmap(picture, inputs.theme()), "head map", charts.MAP(title=picture.title))
    files.head_map(picture, name=f"{kind.name}-layer-{layer}-head-{number}")
    without = found.effects.without[head.kind][head.layer, head.head]
    losses, changes = found.effects.losses, without - found.effects.losses
    top = float(abs(changes).max())
    paragraph("heads", "tokens")
    header = [
        terms.TOKEN(),
        say("heads.loss", "-ln p"),
        say("heads.without", "without the head"),
        say("heads.moved", "change"),
    ]
    table = [
        [steps.plain(token), float(loss), float(other), bars.bar(float(change), top, head.kind)]
        for token, loss, other, change in zip(trace.next_tokens, losses, without, changes, strict=True)
    ]
    st.html(bars.table(header, table, say("heads.losses", "Loss by token without {head}", head=head.name)))
    alone = checked(service, trace, head)
    difference = checks.said("head alone", abs(float(without.mean()) - alone))
    caption("heads", "check", head=head.name, loss=alone, difference=difference)
    detail.scores(head, found.found)
    if head.kind == "cross" and found.linked is not None:
        caption("heads", "aligned", linked=found.linked, tokens=len(trace.next_ids))
