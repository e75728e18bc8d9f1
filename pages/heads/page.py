"""The page *Heads*: all heads ranked by the change of the loss without them, for one sentence, with computed labels."""

from dataclasses import dataclass

import streamlit as st

from model import Trace
from model.attribution.head_ablation import TranslationAblation
from model.attribution.head_labels import TEXT, head_scores
from model.runtime.progress import InSteps
from model.text.word_alignment import find_links
from pages.heads.replaced_heads import render_replaced
from pages.shared import checks, files
from pages.shared.fragments import fragment
from pages.shared.head_ranking import head_list
from pages.shared.head_ranking.head_rows import Head, LoadedStatistics, list_heads, load_best_statistics
from pages.shared.head_ranking.weight_scores import render_weight_scores, score_weights
from pages.shared.models import load_alignment
from pages.shared.page_header import Request, render_translation_page
from pages.shared.service import Service
from pages.shared.tables import TableColumn, bar_column, render_table, token_column
from pages.shared.texts import caption, fold_check, paragraph
from views import map_labels
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.export.downloads import HeadMap
from views.text import terms
from views.text.catalogue import say
from views.text.numbers import signed
from views.url_state import bound_settings
from views.viewer.attention_maps import from_trace


@dataclass(frozen=True, eq=False)
class SentenceHeads:
    """All heads of one sentence and its translation."""

    effects: TranslationAblation  # what ablating each head does to the loss
    heads: list[Head]  # a row for each, by layer and head
    linked: int | None  # how many French tokens the word alignment links; None without an alignment
    statistics: LoadedStatistics  # over many inputs, or why there are none


def study_heads(service: Service, trace: Trace) -> SentenceHeads:
    """Ablate and label all heads for a trace; the result is cached."""
    model = service.model
    statistics = load_best_statistics(model.folder, model.weights_sha256)
    table = load_alignment(model.folder, model.card.get("tokenizer_sha256", ""))

    def compute(model) -> InSteps[SentenceHeads]:
        links = None if table is None else find_links(table, trace.source_ids, trace.next_ids)
        effects = yield from model.ablate_in_steps(trace)
        linked = None if links is None else int(links.any(axis=1).sum())
        heads = list_heads(effects.changes, head_scores(trace, links), statistics.statistics)
        return SentenceHeads(effects, heads, linked, statistics)

    return service.analysis_in_steps(("heads", trace.source_ids, trace.next_ids), compute)


@fragment
def explore(service: Service, trace: Trace) -> None:
    """Render the list and the open head. A change of its settings reruns only this fragment."""
    with st.skeleton(height=640):
        study = study_heads(service, trace)
    kinds = {head_list.ALL_KINDS: say("heads.of.all", "All"), **sentence_input.kind_names(service.kinds)}
    ranked = head_list.rank_heads(study.heads, "sort", "shown", Choice(say("heads.of", "Heads of"), kinds, "of"))
    change, here = say("heads.change", "change of the loss, nats per token"), say("heads.here", "on this sentence")
    head_list.render(
        ranked,
        study.statistics,
        from_trace(trace, service.kinds),
        (say("column.head", "head"), change, here),
        name="heads",
    )
    strongest = max(study.heads, key=lambda head: abs(head.change))
    overview, opened = st.columns([5, 4], gap="large")
    with overview:
        paragraph(
            "heads",
            "list",
            loss=study.effects.reference,
            total=study.effects.losses.sum(),
            tokens=len(study.effects.losses),
            strongest=strongest.name,
            change=signed(strongest.change),
            helpful=sum(head.change > 0 for head in study.heads),
            heads=len(study.heads),
        )
        scores, measured = score_weights(service), say("heads.measured", "change of the loss")
        head_list.render_table(ranked, study.statistics, measured, "heads", scores.columns())
        head_list.render_scores(ranked.opened, study.statistics)
        render_weight_scores(scores, ranked.opened, composed=False)
    with opened:
        render_head(service, study, trace, ranked.opened)


def render_head(service: Service, study: SentenceHeads, trace: Trace, head: Head) -> None:
    """Render the open head: downloads, tokens, and the check with a network whose slice of W_O is zero."""
    kind = service.kinds[head.kind]
    layer, number = map_labels.to_id(head.layer), map_labels.to_id(head.head)
    maps = from_trace(trace, {kind.name: kind})[kind.name]
    query = bound_settings.shared_query() | {"kind": kind.name, "layer": layer, "head": number}
    label = say("heads.open", "Open it on the Attention page")
    st.page_link("pages/attention/page.py", label=label, query_params=query)
    files.map_files(HeadMap(maps, (head.layer, head.head)), name=f"{kind.name}-layer-{layer}-head-{number}")
    without = study.effects.without[head.kind][head.layer, head.head]
    changes = without - study.effects.losses
    paragraph("heads", "tokens")
    columns = [
        token_column(terms.TOKEN(), trace.next_tokens, "fr"),
        TableColumn(say("heads.loss", "-ln p"), study.effects.losses),
        TableColumn(say("heads.without", "without the head"), without),
        bar_column(say("heads.moved", "change"), changes, float(abs(changes).max()), head.kind),
    ]
    render_table(columns, say("heads.losses", "-ln p by token without {head}", head=head.name))
    place = head.kind, head.layer, head.head
    key = ("head alone", trace.source_ids, trace.next_ids, place)
    alone = service.analysis(key, lambda model: model.loss_without(trace, place))
    difference = checks.format_difference("head alone", abs(float(without.mean()) - alone))
    fold_check("heads", "check", head=head.name, loss=alone, difference=difference)
    if head.kind == "cross" and study.linked is not None:
        caption("heads", "aligned", linked=study.linked, tokens=len(trace.next_ids))


def render(request: Request, trace: Trace) -> None:
    """Render the page below the translation."""
    explore(request.service, trace)
    render_replaced(request.service, trace)
    head_list.render_notes("heads", say("heads.patterns", "What each pattern is, and where it comes from"), TEXT)


render_translation_page("heads", render)
