"""All heads of an opened model, ranked by what ablating each does to its score on this input."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from model import HubTrace
from model.attribution.head_labels import PICTURES, TEXT
from model.hub.ablation import ablate_in_steps
from model.hub.head_scores import measure_heads, score_heads
from model.hub.opened_model import OpenedModel, TraceInput
from pages.models.attention_labels import labelled_kinds, named_maps
from pages.models.opened_scores import score_weights
from pages.models.other_inputs import render_replaced
from pages.shared import files
from pages.shared.fragments import fragment
from pages.shared.head_ranking import head_list, head_rows
from pages.shared.head_ranking.weight_scores import render_weight_scores
from pages.shared.service import Service
from pages.shared.texts import caption, paragraph
from views.export.matrices import HeadMap
from views.text import prose
from views.text.catalogue import say
from views.viewer.attention_maps import AttentionMaps


@fragment
def render(
    service: Service[OpenedModel], trace: HubTrace, trace_input: TraceInput, options: Mapping[str, Any], key: tuple
) -> None:
    """Render the list, and the scores of the open head. A change of its settings reruns only this fragment.

    Args:
        trace_input, options: the input and keyword arguments of the trace.
        key: identifies the trace.
    """
    answer = None if trace.classes is None else int(trace.answers.reshape(-1).argmax())
    changes = service.analysis_in_steps(
        ("ablated", *key),
        lambda model: ablate_in_steps(model, trace, trace_input, options, answer, labelled_kinds(trace)),
    )
    study = head_rows.load_study(service.model.weights_sha256)
    scores = {kind: score_heads(trace, kind) for kind in changes}
    heads = head_rows.list_heads(changes, scores, study.statistics, service.model.layers)
    ranked = head_list.rank_heads(heads, "sort", "shown")
    change = say("models.change", "change of the loss")
    if answer is not None:
        change = say("models.change.class", "change of -ln p of the class")
        if trace.form == "scores":
            change = say("models.change.score", "change of the score")
    headings = say("models.map", "Map"), change, say("models.here", "Label here")
    maps = named_maps(trace)
    head_list.render(ranked, study, maps, headings, name="opened-heads")
    overview, opened = st.columns([5, 4], gap="large")
    with overview:
        table = st.container()
        weights = score_weights(service)
    with table:
        head_list.render_table(ranked, study, change, "opened-heads", weights.columns())
    with opened:
        _render_files(maps, ranked.opened)
        head_list.render_scores(ranked.opened, study)
        render_weight_scores(weights, ranked.opened)
        _render_study(trace, ranked.opened, study)
    text = "ablation" if answer is None else "ablation-score" if trace.form == "scores" else "ablation-classes"
    st.markdown(prose.block("models", text))
    if trace.picture_text is None and "ablate" in service.model.capabilities:
        render_replaced(service, trace, trace_input, options, key)
    with st.expander(say("ranking.patterns", "What each pattern is")):
        st.markdown(head_list.labelling_text(TEXT if trace.grid is None else PICTURES))
        paragraph("heads" if trace.grid is None else "vision_heads", "patterns")


def _render_study(trace: HubTrace, head: head_rows.Head, study: head_rows.LoadedStatistics) -> None:
    """Render entropy and distance of the open head, for this input and in the study."""
    if study.statistics is None:
        return
    values = {name: float(table[head.layer, head.head]) for name, table in measure_heads(trace, head.kind).items()}
    if (
        not values or values.keys() != head.measures.keys()
    ):  # a query of this text has a single key, or the study lacks them
        return
    for name, (mean, spread) in head.measures.items():
        values |= {f"{name}_mean": mean, f"{name}_spread": spread}
    unit = say("models.unit.pixels", "pixels") if trace.grid is not None else say("models.unit.tokens", "tokens")
    caption("models", "study", heading=study.heading, unit=unit, hash=study.statistics.weights_sha256[:12], **values)


def _render_files(maps: AttentionMaps, head: head_rows.Head) -> None:
    """Render downloads of the open head's map."""
    picture = HeadMap(maps[head.kind], (head.layer, head.head))
    layer, number = picture.maps.ids(picture.place)
    files.map_files(picture, name=f"{head.kind}-layer-{layer}-head-{number}")
