"""The section *Paths*: the strongest edges from tokens through heads to the next word; edges can be cut."""

import streamlit as st

from model.causal.path_edges import CutRun, PathEdge, PathEdges, cut_edges_in_steps, path_edges_in_steps
from model.causal.sentence_pairs import prepare_pair
from model.runtime.progress import InSteps
from pages.circuits.compared_sentences import Comparison, choose_comparison, doubts_of
from pages.shared.causes import path_views
from pages.shared.causes.asking import may_begin
from pages.shared.code import render_program
from pages.shared.doubt import render_note
from pages.shared.page_header import Request, translation_below
from pages.shared.texts import block, caption, warn_if_cut_off
from views.controls import sentence_input
from views.text.catalogue import say

SECONDS_A_TOKEN = 0.15  # of both stacks, on one core of an AMD EPYC; see docs/causal.md
ASK_FROM = 12.0  # seconds


def measure_edges(request: Request, comparison: Comparison) -> PathEdges | None:
    """Measure all edges, with progress and a button that cancels; None, after rendering why, if the user has to ask."""
    key = ("paths", *comparison.key)
    seconds = SECONDS_A_TOKEN * (len(comparison.pair.clean_ids) + comparison.place + 1)
    slot = may_begin(
        "measure",
        seconds,
        ASK_FROM,
        known=request.service.analyses.get(key) is not None,
        question=block("circuits", "paths-ask", seconds=round(seconds)),
        label=say("circuits.measure", "Measure the paths"),
    )
    if slot is None:
        return None

    def compute(model) -> InSteps[PathEdges]:
        return (yield from path_edges_in_steps(model.resumable, _experiment(model, comparison)))

    edges = request.service.analysis_in_steps(key, compute)
    slot.empty()
    return edges


def _experiment(model, comparison: Comparison):
    return prepare_pair(model.resumable, model.tokenizer, comparison.pair, comparison.place, comparison.metric)


def cut_run(request: Request, comparison: Comparison, cut: list[PathEdge]) -> CutRun:
    """Run with these edges cut; cached."""
    key = ("paths cut", *comparison.key, tuple(edge.id for edge in cut))

    def compute(model) -> InSteps[CutRun]:
        experiment = _experiment(model, comparison)
        return (yield from cut_edges_in_steps(model.resumable, experiment, cut, comparison.place))

    return request.service.analysis_in_steps(key, compute)


def render(request: Request) -> None:
    """Render the section."""
    comparison = choose_comparison(request, by_position=True)
    if comparison is None:
        return
    edges = measure_edges(request, comparison)
    if edges is not None:
        render_edges(request, comparison, edges)
    if comparison.is_proposed:
        render_program("circuits", "paths", clean=comparison.texts[0], corrupt=comparison.texts[1])


def render_edges(request: Request, comparison: Comparison, edges: PathEdges) -> None:
    """Render the graph of the edges, the run with some cut, the list, the files and the check."""
    cut, pair = path_views.find_cut(edges), comparison.pair
    names = path_views.PathNames(
        request.service.model.resumable,
        sentence_input.kind_names(request.service.kinds),
        pair.clean_tokens,
        pair.targets[comparison.place].label,
        say("circuits.column.word", "next word"),
        ("en", "fr"),
    )
    caption("circuits", "paths-graph")
    shown = path_views.render_graph(edges, cut, names)
    render_translations(request, comparison, edges, cut)
    path_views.render_list(edges, shown, cut, names, comparison.source(request), comparison.place)


def render_translations(request: Request, comparison: Comparison, edges: PathEdges, cut: list[PathEdge]) -> None:
    """Render both translations, that of the run with the cut edges, and what is measured."""
    run = cut_run(request, comparison, cut)
    doubts = doubts_of(request, comparison, run)
    names = [say("compare.translation", "Translation, {side}", side=side) for side in ("A", "B")]
    names.append(say("circuits.translation.cut", "Translation, A with the edges cut"))
    for column, name, each in zip(st.columns(3, gap="medium"), names, doubts, strict=True):
        column.html(translation_below(each, name))
    render_note(request.service, doubts)
    warn_if_cut_off(request.service.has_ended(run.ids))
    path_views.render_values(edges, cut, run.value, comparison.measured)
