"""Vision, Heads: what the ablation of each head does to a class, with computed labels, and the one that is open."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from model import VisionTrace
from model.attribution.head_ablation import ClassificationAblation
from model.attribution.head_labels import PICTURES, HeadScores, vision_scores
from model.attribution.vision_analysis import attention_distance
from model.tracing.traced_model import TracedModel
from pages.shared import checks, tables
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.head_ranking import head_list
from pages.shared.head_ranking.head_rows import Head, LoadedStatistics, format_signed, list_heads, load_best_statistics
from pages.shared.service import Service
from pages.shared.texts import caption, paragraph
from pages.vision.program import render_vision_program
from pages.vision.vision_inputs import choose_class
from views import attention_maps, patch_grid
from views.components.head_list import HeadAxes
from views.controls import sentence_input, widgets
from views.figures import overlay
from views.html import bars
from views.text import literal
from views.text.catalogue import Message, say
from views.url_state import bound_settings

PAGE = "vision_heads"
MEASURES = {
    "logit": Message("vision.measure.logit", "Logit"),
    "probability": Message("vision.measure.probability", "Probability"),
}
CHANGES = {
    "logit": Message("vision.change.logit", "change of the logit"),
    "probability": Message("vision.change.probability", "change of the probability"),
}


@dataclass(frozen=True, eq=False)
class HeadEffects:
    """What does not depend on the settings: effects on every class, scores, and mean distances in pixels."""

    effects: ClassificationAblation
    scores: HeadScores
    distance: np.ndarray
    found: LoadedStatistics


@fragment
def render_heads(service: Service, key: str, trace: VisionTrace) -> None:
    """The view; `key` is the picture's, as `Service.trace_picture` gives it. A setting runs only this part again."""
    st.html(bars.STYLE)
    with st.skeleton(height=640):
        study = service.analysis(("heads", key), _compute_effects, trace)
    with st.container(horizontal=True, gap="medium"):
        wanted = choose_class(say("vision.class", "Class"), trace)
        measure = widgets.pick(say("vision.measure", "Change of its"), MEASURES, "measure")
        effects = study.effects
        changes = effects.logit_changes(wanted) if measure == "logit" else effects.probability_changes(wanted)
        heads = list_heads({"vision": changes}, {"vision": study.scores}, study.found.statistics)
    arranged, change, name = head_list.rank_heads(heads, "vsort", "vshown"), CHANGES[measure](), trace.classes[wanted]
    headings = say("vision.column.map", "head, map of CLS"), change, say("vision.column.here", "on this picture")
    title = say("vision.head.heading", "What CLS attends to, {map}", map="{map}")
    head_list.render(
        arranged,
        study.found,
        lambda head: _cls_map(trace, head),
        {
            "vision": HeadAxes(
                title, *attention_maps.grid_names(trace.grid), "", "", attention_maps.GRID.corner, places=True
            )
        },
        headings,
        name="vision-heads",
        underlay=patch_grid.grey(patch_grid.as_bytes(trace.pixels)),
        opacity=overlay.OPACITY,
    )
    paragraph(PAGE)
    overview, opened = st.columns([5, 4], gap="large")
    with overview:
        _render_list(study, arranged, change, name)
    with opened:
        _render_head(service, key, study, trace, arranged.opened)
    _render_measure_experiment(effects, wanted, measure)
    head_list.render_notes(PAGE, say("ranking.patterns", "What each pattern is"), PICTURES)
    render_vision_program(service, "heads", explained=name)


def _compute_effects(model: TracedModel, trace: VisionTrace) -> HeadEffects:
    distance = attention_distance(trace.attention, trace.grid, model.config.patch_size)
    found = load_best_statistics(model.folder, model.weights_sha256)
    return HeadEffects(
        model.ablate_heads(trace), vision_scores(trace.attention, trace.grid, trace.pixels), distance, found
    )


def _render_measure_experiment(effects: ClassificationAblation, wanted: int, measure: str) -> None:
    """Is the head that moves the probability most the one that moves the logit most?"""
    found = {}
    for name, changes in (
        ("logit", effects.logit_changes(wanted)),
        ("probability", effects.probability_changes(wanted)),
    ):
        layer, head = np.unravel_index(int(np.abs(changes).argmax()), changes.shape)
        found |= {f"{name}_layer": int(layer) + 1, f"{name}_head": int(head) + 1}
        found[name] = format_signed(float(changes[layer, head]))
    render_experiment("vision-heads", {"measure": "probability"}, found if measure == "probability" else None)


def _render_list(study: HeadEffects, arranged: head_list.RankedHeads, change: str, name: str) -> None:
    """What the list shows, in words and as a file; the scores of the open head."""
    listed = arranged.listed
    strongest = max(listed, key=lambda head: abs(head.change))
    said = {"name": literal.markdown(name), "strongest": strongest.name, "measure": change}
    less, more = (sum(side * head.change > 0 for head in listed) for side in (-1, 1))
    paragraph(PAGE, "list", **said, change=format_signed(strongest.change), less=less, more=more)
    measured = say("vision.change.of", "{change} of {name}", change=change, name=name)
    head_list.render_table(arranged, study.found, measured, "vision-heads")
    head_list.render_scores(arranged.opened, study.found)


def _render_head(service: Service, key: str, study: HeadEffects, trace: VisionTrace, head: Head) -> None:
    """The open head: the answer without it, and the check."""
    place = head.layer, head.head
    if st.button(say("vision.head.open", "Open it under CLS attention"), on_click=_open_head, args=place):
        st.rerun()  # the whole page, for the view changes
    without = study.effects.without[place]
    change, order = without - study.effects.logits, np.argsort(-trace.probabilities)
    columns = [
        tables.name_column(say("column.class", "class"), [trace.classes[c] for c in order], "name"),
        tables.TableColumn(say("column.probability", "probability"), trace.probabilities[order]),
        tables.TableColumn(
            say("vision.head.without", "with the head ablated"), study.effects.probabilities[place][order]
        ),
        tables.bar_column(CHANGES["logit"](), change[order], float(abs(change).max()), "vision"),
    ]
    tables.render_table(columns, say("vision.head.table", "Answer with {head} ablated", head=head.name))
    alone = service.analysis(("head alone", key, *place), lambda model: model.logits_without(trace, *place))
    difference = checks.format_difference("logits of one head", float(abs(alone - without).max()))
    caption(PAGE, "check", head=head.name, difference=difference)
    caption(PAGE, "distance", pixels=study.distance[place])


def _cls_map(trace: VisionTrace, head: Head) -> np.ndarray:
    """What CLS attends to, `(row, column)`."""
    return trace.attention[head.layer, head.head, 0, 1:].reshape(trace.grid)


def _open_head(layer: int, head: int) -> None:
    bound_settings.set_value("view", "cls")
    sentence_input.choose_head(str(layer + 1), str(head + 1))
