"""Path patching of an opened model: the strongest edges between two texts, and the answers with some of them cut."""

from collections.abc import Mapping

from model.causal.causal_error import CausalError
from model.causal.cut_edges import cut_answer_in_steps, cut_pass_in_steps
from model.causal.patching_estimate import PatchingEstimate, estimate_paths
from model.causal.path_edges import PathEdge, PathEdges, path_edges_in_steps
from model.hub.causal.opened_pair import ComparedAnswer, answer_position, compare_answers
from model.hub.opened_model import OpenedModel
from model.runtime.progress import InSteps
from pages.models.compared_texts import OpenedComparison, UsedPicture, choose_comparison, render_answer_table
from pages.shared.causes import path_views
from pages.shared.causes.asking import may_run
from pages.shared.service import Service
from pages.shared.texts import caption
from views.controls import sentence_input
from views.kind_labels import any_model_kind
from views.text.catalogue import say


def render_paths(
    service: Service[OpenedModel], text: str, options: Mapping[str, str], picture: UsedPicture | None = None
) -> None:
    """Render the part; arguments are those of `choose_comparison`.

    Raises:
        OpenError: the second text cannot be used.
        CausalError: nothing can be measured, or the network computes attention by itself.
    """
    comparison = choose_comparison(service, text, options, by_position=True, picture=picture)
    if comparison is None:
        return
    edges = measure_edges(service, comparison)
    if edges is None:
        return
    if not edges.edges:
        raise CausalError("No head reads what another head wrote, so there are no paths between heads.")
    cut, pair = path_views.find_cut(edges), comparison.pair
    kinds = sentence_input.kind_names({kind.name: any_model_kind(kind.name) for kind in service.model.kinds})
    title = say("circuits.column.answer", "answer")
    names = path_views.PathNames(service.model.resumable, kinds, pair.clean_tokens, pair.names[0], title)
    caption("models_causes", "paths-graph")
    shown = path_views.render_graph(edges, cut, names)
    render_answers(service, comparison, edges, cut)
    path_views.render_list(edges, shown, cut, names, comparison.source(service.model))


def measure_edges(service: Service[OpenedModel], comparison: OpenedComparison) -> PathEdges | None:
    """Measure all edges; None, after rendering the time that it takes, where the user has to agree first."""
    key = ("opened paths", *comparison.key)
    known = service.analyses.get(key) is not None
    estimated = PatchingEstimate(0, 0.0)
    if not known:
        estimated = service.analysis(
            ("estimate", *key), lambda model: estimate_paths(model.resumable, comparison.experiment)
        )
    label = say("circuits.measure", "Measure the paths")
    slot = may_run("measure", estimated, known=known, label=label, text="paths-ask")
    if slot is None:
        return None
    edges = service.analysis_in_steps(key, _find_edges, comparison)
    slot.empty()
    return edges


def _find_edges(model: OpenedModel, comparison: OpenedComparison) -> InSteps[PathEdges]:
    return (yield from path_edges_in_steps(model.resumable, comparison.experiment))


def render_answers(
    service: Service[OpenedModel], comparison: OpenedComparison, edges: PathEdges, cut: list[PathEdge]
) -> None:
    """State what is measured, and the most probable answers of A, of B and with the edges cut."""
    ids = tuple(edge.id for edge in cut)

    def compute(model: OpenedModel) -> InSteps[tuple[float, list[ComparedAnswer]]]:
        if model.form != "classes":
            done = yield from cut_pass_in_steps(model.resumable, comparison.experiment, cut)
            return done.value, []
        place = answer_position(comparison.pair.experiments["answer"])
        answer = yield from cut_answer_in_steps(model.resumable, comparison.experiment, cut, place)
        answers = compare_answers(model, comparison.pair.experiments["answer"], answer.probabilities)
        return answer.value, answers

    value, answers = service.analysis_in_steps(("opened paths cut", *comparison.key, ids), compute)
    path_views.render_values(edges, cut, value, comparison.measured)
    if answers:
        label = say("models.causes.cut-answers", "Most probable answers of A, of B and with the edges cut")
        render_answer_table(answers, say("models.causes.cut", "A, edges cut"), label)
