"""Vision, Heads: what switching each head off does to a class, with computed labels and its CLS map."""

from __future__ import annotations

import streamlit as st

from model import VisionClassifier, VisionTrace
from model.attribution.analysis import attention_distance
from model.attribution.head_labels import vision_scores
from model.classifier import SHIPPED
from pages.shared.head_ranking import detail, listing, rows
from pages.shared.runs import fragment
from pages.shared.service import Service
from pages.vision.one_head import PAGE, Study, cls_map, one_head
from views import patches
from views.controls import widgets
from views.figures import overlay
from views.html import bars
from views.text import literal, prose

MEASURES = ("Logit", "Probability")
ANSWER = "the answer"


@fragment
def each_head(service: Service, key: str, trace: VisionTrace) -> None:
    """The view. A change of its settings runs only this part again.

    Args:
        key: of the picture, as `Service.trace_picture` gives it.
    """
    st.html(bars.STYLE)
    st.markdown(prose.lead(PAGE))
    with st.skeleton(height=640):
        study = service.analysis(("heads", key), _study, trace)
    with st.container(horizontal=True, gap="medium"):
        name = widgets.select("Class", (ANSWER, *trace.classes), "explain")
        measure = widgets.pick("Change of its", MEASURES, "measure")
        by = listing.order("vsort")
        wanted = trace.answer if name == ANSWER else trace.classes.index(name)
        effects = study.effects
        changes = effects.logit_changes(wanted) if measure == MEASURES[0] else effects.probability_changes(wanted)
        heads = rows.heads_of({"vision": changes}, {"vision": study.scores}, study.found.statistics)
        chosen = listing.chosen(heads, "vshown")
    listed = rows.ordered(heads, by)
    shown = chosen or listed[0]
    overview, opened = st.columns([5, 4], gap="large")
    with overview:
        _ranking(study, trace, listed, shown, f"change of the {measure.lower()}", trace.classes[wanted])
    with opened:
        one_head(service, key, study, trace, shown)
    st.subheader("How to read it", anchor=False)
    for column, text in zip(st.columns(2, gap="large"), (prose.block(PAGE, "Effects"), detail.rule()), strict=True):
        column.markdown(text)
    with st.expander("What each pattern is"):
        st.markdown(prose.block(PAGE, "Patterns"))


def _study(classifier: VisionClassifier, trace: VisionTrace) -> Study:
    distance = attention_distance(trace.attention, trace.grid, classifier.config.patch_size)
    found = rows.shipped(SHIPPED, classifier.weights_sha256)
    return Study(classifier.ablate_heads(trace), vision_scores(trace.attention, trace.grid), distance, found)


def _ranking(
    study: Study, trace: VisionTrace, listed: list[rows.Head], shown: rows.Head, change: str, name: str
) -> None:
    strongest = max(listed, key=lambda head: abs(head.change))
    said = {"name": literal.markdown(name), "strongest": strongest.name, "measure": change}
    less, more = (sum(side * head.change > 0 for head in listed) for side in (-1, 1))
    st.markdown(prose.block(PAGE, "List").format(**said, change=rows.signed(strongest.change), less=less, more=more))
    listing.show(
        listing.Listing(
            study.found,
            lambda head: cls_map(trace, head),
            ("head, map of CLS", change, "on this picture"),
            f"{change} of {name}",
            name="vision-heads",
            selects="vshown",
            underlay=patches.grey(patches.as_bytes(trace.pixels)),
            opacity=overlay.OPACITY,
        ),
        listed,
        shown,
    )
