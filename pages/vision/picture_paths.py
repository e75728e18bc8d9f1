"""Vision, causes: the strongest edges between heads for two pictures, and the classes with some of them cut."""

import streamlit as st

from model.causal.cut_edges import CutAnswer, cut_answer_in_steps
from model.causal.patching_estimate import PatchingEstimate, estimate_paths
from model.causal.path_edges import PathEdges, path_edges_in_steps
from model.runtime.progress import InSteps
from model.tracing.picture_trace import PatchTrace
from pages.shared.causes import path_views
from pages.shared.causes.asking import may_begin
from pages.shared.service import Service
from pages.shared.texts import block, caption
from pages.vision.other_picture import (
    choose_other_picture,
    choose_writer,
    describe_metric,
    describe_source,
    render_classes,
)
from views.controls import sentence_input
from views.text.catalogue import say
from views.text.class_names import class_name
from views.text.numbers import grouped

PAGE = "vision_causes"
ASK_FROM = 12.0  # seconds


def render_paths(service: Service, key: str, trace: PatchTrace) -> None:
    """Render the edges between this picture and another, and the answer with edges cut.

    Raises:
        CausalError: the network computes attention by itself.
    """
    other, pixels = choose_other_picture(service)
    place = ("vision paths", key, other)

    def experiment(model):
        return model.prepare_experiment(trace.network_input, pixels)

    def estimate(model) -> PatchingEstimate:
        return estimate_paths(model.resumable, experiment(model), by_token=False)

    def compute(model) -> InSteps[PathEdges]:
        return (yield from path_edges_in_steps(model.resumable, experiment(model), by_token=False))

    known = service.analyses.get(place) is not None
    estimated = PatchingEstimate(0, 0.0) if known else service.analysis(("estimate", *place), estimate)
    seconds = max(1, round(estimated.seconds))
    slot = may_begin(
        "measure",
        estimated.seconds,
        ASK_FROM,
        known=known,
        question=block("models_causes", "paths-ask", runs=grouped(estimated.runs), seconds=seconds),
        label=say("circuits.measure", "Measure the paths"),
    )
    if slot is None:
        return
    edges = service.analysis_in_steps(place, compute)
    slot.empty()
    cut, metric = path_views.find_cut(edges), edges.heads.metric
    ids = tuple(edge.id for edge in cut)

    def answer(model) -> InSteps[CutAnswer]:
        return (yield from cut_answer_in_steps(model.resumable, experiment(model), cut))

    names = path_views.PathNames(
        service.model.resumable,
        sentence_input.kind_names(service.kinds),
        say("vision.causes.all-patches", "all patches"),
        class_name(trace.classes[metric.indices[0]]),
        say("vision.causes.class", "class"),
    )
    left, right = st.columns([5, 2], gap="large")
    with left:
        caption(PAGE, "paths-graph")
        shown = path_views.render_graph(edges, cut, names)
    run = service.analysis_in_steps(("vision cut", *place, ids), answer)
    with right:
        path_views.render_values(edges, cut, run.value, describe_metric(metric, trace.classes), choose_writer(metric))
        render_classes(trace.classes, run.probabilities)
    path_views.render_list(edges, shown, cut, names, describe_source(service, other))
