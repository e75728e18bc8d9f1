"""Vision, Heads: the effect of ablating each head on a class, computed labels, and one head in detail."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from model import VisionTrace
from model.attribution.head_ablation import ClassificationAblation
from model.attribution.head_labels import PICTURES, HeadScores, vision_scores
from model.attribution.vision_analysis import attention_distance
from pages.shared import checks, tables
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.head_ranking import head_list
from pages.shared.head_ranking.head_rows import Head, LoadedStatistics, list_heads, load_best_statistics
from pages.shared.service import Service
from pages.shared.texts import caption, fold_check, paragraph
from pages.vision.program import render_vision_program
from pages.vision.vision_inputs import choose_class, cls_maps
from views import map_labels, patch_grid
from views.controls import sentence_input, widgets
from views.figures import overlay
from views.text import literal
from views.text.catalogue import Message, say
from views.text.class_names import class_name
from views.text.numbers import percent, points, signed
from views.url_state import bound_settings

PAGE = "vision_heads"
MEASURES = {
    "logit": Message("vision.measure.logit", "Logit"),
    "probability": Message("vision.measure.probability", "Probability"),
}
WRITERS = {"logit": signed, "probability": points}
CHANGES = {
    "logit": Message("vision.change.logit", "change of the logit"),
    "probability": Message("vision.change.probability", "change of the probability"),
}


@dataclass(frozen=True, eq=False)
class HeadEffects:
    """Results that no setting changes: effects on every class, scores, and mean attention distances in pixels."""

    effects: ClassificationAblation
    scores: HeadScores
    distance: np.ndarray  # `(layer, head)`
    statistics: LoadedStatistics


@fragment
def render_heads(service: Service, key: str, trace: VisionTrace) -> None:
    """Show the view; `key` is the picture's, from `Service.trace_picture`. A setting reruns only this section."""
    with st.skeleton(height=640):
        study = service.analysis(("heads", key), _compute_effects, trace)
    with st.container(horizontal=True, gap="medium"):
        class_index = choose_class(say("vision.class", "Class"), trace)
        measure = widgets.pick(say("vision.measure", "Change in"), MEASURES, "measure")
        effects = study.effects
        changes = effects.logit_changes(class_index) if measure == "logit" else effects.probability_changes(class_index)
        heads = list_heads({"vision": changes}, {"vision": study.scores}, study.statistics.statistics)
    ranked, change, name = (
        head_list.rank_heads(heads, "vsort", "vshown"),
        CHANGES[measure](),
        class_name(trace.classes[class_index]),
    )
    headings = say("vision.column.map", "head, map of CLS"), change, say("vision.column.here", "on this picture")
    head_list.render(
        ranked,
        study.statistics,
        cls_maps(trace, patch_grid.grey(patch_grid.as_bytes(trace.pixels))),
        headings,
        name="vision-heads",
        write=WRITERS[measure],
        heading=say("vision.head.heading", "What CLS attends to, {map}", map="{map}"),
        opacity=overlay.OPACITY,
    )
    paragraph(PAGE)
    overview, detail = st.columns([5, 4], gap="large")
    with overview:
        _render_list(study, ranked, measure, name)
    with detail:
        _render_head(service, key, study, trace, ranked.opened)
    _render_measure_experiment(effects, class_index, measure)
    head_list.render_notes(PAGE, say("ranking.patterns", "What each pattern is"), PICTURES)
    render_vision_program(service, "heads", explained=name)


def _compute_effects(model, trace: VisionTrace) -> HeadEffects:
    distance = attention_distance(trace.attention, trace.grid, model.config.patch_size)
    statistics = load_best_statistics(model.folder, model.weights_sha256)
    return HeadEffects(
        model.ablate_heads(trace), vision_scores(trace.attention, trace.grid, trace.pixels), distance, statistics
    )


def _render_measure_experiment(effects: ClassificationAblation, class_index: int, measure: str) -> None:
    """Compare the head with the largest effect on the probability with that of the largest effect on the logit."""
    result: dict[str, object] = {}
    for name, changes in (
        ("logit", effects.logit_changes(class_index)),
        ("probability", effects.probability_changes(class_index)),
    ):
        layer, head = np.unravel_index(int(np.abs(changes).argmax()), changes.shape)
        result |= {f"{name}_layer": int(layer) + 1, f"{name}_head": int(head) + 1}
        result[name] = WRITERS[name](float(changes[layer, head]))
    render_experiment("vision-heads", {"measure": "probability"}, result if measure == "probability" else None)


def _render_list(study: HeadEffects, ranked: head_list.RankedHeads, measure: str, name: str) -> None:
    """Describe the list in words and offer it as a file; show the scores of the open head."""
    listed = ranked.listed
    strongest = max(listed, key=lambda head: abs(head.change))
    change = CHANGES[measure]()
    words = {"name": literal.markdown(name), "strongest": strongest.name, "measure": change}
    less, more = (sum(side * head.change > 0 for head in listed) for side in (-1, 1))
    paragraph(PAGE, "list", **words, change=WRITERS[measure](strongest.change), less=less, more=more)
    title = say("vision.change.of", "{change} of {name}", change=change, name=name)
    head_list.render_table(ranked, study.statistics, title, "vision-heads")
    head_list.render_scores(ranked.opened, study.statistics)


def _render_head(service: Service, key: str, study: HeadEffects, trace: VisionTrace, head: Head) -> None:
    """Show the answer with the open head ablated, and the check."""
    place = head.layer, head.head
    if st.button(say("vision.head.open", "Open it under CLS attention"), on_click=_open_head, args=place):
        st.rerun()  # of the whole page, since the view changes
    without = study.effects.without[place]
    change, order = without - study.effects.logits, np.argsort(-trace.probabilities)
    columns = [
        tables.name_column(say("column.class", "class"), [class_name(trace.classes[c]) for c in order], "name"),
        tables.TableColumn(say("column.probability", "probability"), [*map(percent, trace.probabilities[order])]),
        tables.TableColumn(
            say("vision.head.without", "with the head ablated"),
            [*map(percent, study.effects.probabilities[place][order])],
        ),
        tables.bar_column(CHANGES["logit"](), change[order], float(abs(change).max()), "vision"),
    ]
    tables.render_table(columns, say("vision.head.table", "Answer with {head} ablated", head=head.name))
    alone = service.analysis(("head alone", key, *place), lambda model: model.logits_without(trace, *place))
    difference = checks.format_difference("logits of one head", float(abs(alone - without).max()))
    fold_check(PAGE, "check", head=head.name, difference=difference)
    caption(PAGE, "distance", pixels=study.distance[place])


def _open_head(layer: int, head: int) -> None:
    bound_settings.set_value("view", "cls")
    sentence_input.choose_head(map_labels.to_id(layer), map_labels.to_id(head))
