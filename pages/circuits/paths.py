"""The section *Paths*: the strongest edges from tokens through heads to the next word; edges can be cut."""

import streamlit as st

from model.causal.path_edges import (
    LOGITS,
    TOKEN,
    CutRun,
    PathEdge,
    PathEdges,
    PathNode,
    cut_edges_in_steps,
    path_edges_in_steps,
)
from model.causal.sentence_pairs import prepare_pair
from model.runtime.progress import InSteps
from pages.circuits.compared_sentences import Comparison, choose_comparison, doubts_of
from pages.shared import checks, files, tables
from pages.shared.causes.asking import may_begin, store
from pages.shared.code import render_program
from pages.shared.doubt import render_note
from pages.shared.page_header import Request, translation_below
from pages.shared.texts import block, caption, fold_check, paragraph, warn_if_cut_off
from views.components.path_graph import GraphEdge, GraphNode, PathGraph, path_graph
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.text import literal
from views.text.catalogue import Message, Untranslated, say, say_count
from views.text.numbers import percent, three_digits
from views.url_state import bound_settings

SENT = 200  # edges that the browser gets; the files have all
COUNTS = ("5", "10", "15", "20", "30", "50", "100", "200")
FIRST = "20"
LEAST = ("0", "1", "2", "5", "10", "20", "50", "100")  # percent of the strongest effect
SECONDS_A_TOKEN = 0.15  # of both stacks, on one core of an AMD EPYC; see docs/causal.md
ASK_FROM = 12.0  # seconds
INPUTS = {
    "queries": Message("circuits.input.queries", "queries"),
    "keys": Message("circuits.input.keys", "keys"),
    "values": Message("circuits.input.values", "values"),
    "": Message("circuits.input.logits", "logit"),
}
CUT = "cut"  # text in the address: ids of cut edges


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
    cut = edges.find(bound_settings.stored_text(CUT).split(","))
    names = PathNames(request, comparison)
    caption("circuits", "paths-graph")
    shown = render_graph(comparison, edges, cut, names)
    render_buttons(cut)
    render_translations(request, comparison, edges, cut)
    render_list(edges, shown, cut, names)
    check = edges.heads.check
    recomputed = checks.format_difference("recomputed edges", check.recomputed)
    fold_check(
        "circuits",
        "paths-check",
        recomputed=recomputed,
        nothing=checks.format_difference("nothing sent", check.nothing),
    )


class PathNames:
    """Names and places of the nodes of a graph."""

    def __init__(self, request: Request, comparison: Comparison) -> None:
        self.model, self.pair, self.place = request.service.model, comparison.pair, comparison.place
        self.kinds = sentence_input.kind_names(request.service.kinds)
        # the columns: tokens, then the kinds of attention in the order in which the layers run, then the word
        self.columns: list[tuple[str, int]] = []
        causal = self.model.resumable
        for stack, layers in causal.stacks.items():
            own = [kind.name for kind in causal.kinds if kind.stack == stack]
            self.columns += [(kind, layer) for layer in range(layers) for kind in own]

    def titles(self) -> list[str]:
        """Titles of the columns."""
        title = Message("circuits.column.layer-of", "{kind} {layer}")
        layers = [title(kind=self.kinds[kind], layer=layer + 1) for kind, layer in self.columns]
        return [say("circuits.column.tokens", "tokens"), *layers, say("circuits.column.word", "next word")]

    def node(self, node: PathNode) -> GraphNode:
        """A node of the graph."""
        if node.kind == LOGITS:
            label = self.pair.targets[self.place].label
            return GraphNode(node.id, label, label, len(self.columns) + 1, 0, "decoder", "token")
        if node.kind == TOKEN:
            label = self.pair.clean_tokens[node.layer]
            return GraphNode(node.id, label, label, 0, node.layer, "encoder", "token")
        label = f"{node.layer + 1}.{node.head + 1}"
        column = 1 + self.columns.index((node.kind, node.layer))
        return GraphNode(node.id, label, f"{self.kinds[node.kind]} {label}", column, node.head, node.kind)

    def name(self, node: PathNode) -> str:
        """A node in a table."""
        return literal.token(self.node(node).name)

    def nodes(self, edges: list[PathEdge]) -> list[GraphNode]:
        """The nodes of these edges, and all tokens and the word."""
        nodes = {PathNode(TOKEN, place): None for place in range(len(self.pair.clean_tokens))}
        nodes |= {PathNode(LOGITS): None}
        nodes |= {node: None for edge in edges for node in (edge.sender, edge.receiver)}
        return [self.node(node) for node in nodes]


def render_graph(comparison: Comparison, edges: PathEdges, cut: list[PathEdge], names: PathNames) -> list[PathEdge]:
    """Render the graph; return the edges that it shows."""
    strongest = list(edges.edges[:SENT])
    sent = strongest + [edge for edge in cut if edge not in strongest]
    counts = {count: Untranslated(count) for count in COUNTS}
    count = Choice(say("circuits.count", "Strongest edges"), counts, "edges", FIRST)
    shares = {share: Untranslated(f"{share} %") for share in LEAST}
    least = Choice(say("circuits.least", "Smallest effect, of the strongest"), shares, "least")
    chosen = {choice.key: choice.in_component() for choice in (count, least)}
    graph = PathGraph(
        names.titles(),
        names.nodes(sent),
        [
            GraphEdge(
                edge.id, edge.sender.id, edge.receiver.id, INPUTS[edge.input]() if edge.input else "", edge.effect
            )
            for edge in sent
        ],
        [edge.id for edge in cut],
        count,
        least,
        chosen,
        _unit(comparison),
    )
    path_graph(graph, "path-graph", sentence_input.store_selection, toggle_cut)
    number, smallest = int(chosen[count.key]), int(chosen[least.key]) / 100 * max(abs(edge.effect) for edge in sent)
    strong = [edge for edge in sent[:number] if abs(edge.effect) >= smallest]
    return [edge for edge in sent if edge in strong or edge in cut]


def _unit(comparison: Comparison) -> str:
    units = {
        "difference": say("circuits.unit.logits", "logits"),
        "probability": say("circuits.unit.probability", "of probability"),
        "loss": say("circuits.unit.nats", "nats"),
    }
    return units[comparison.metric]


def toggle_cut(id: str) -> None:
    """Cut an edge, or restore it, in a callback."""
    cut = [each for each in bound_settings.stored_text(CUT).split(",") if each]
    cut = [each for each in cut if each != id] if id in cut else [*cut, id]
    bound_settings.store_text(CUT, ",".join(cut))


def render_buttons(cut: list[PathEdge]) -> None:
    """Render undo and reset."""
    ids = [edge.id for edge in cut]
    with st.container(horizontal=True):
        undo, reset = say("circuits.undo", "Undo the last cut"), say("circuits.reset", "Restore all edges")
        st.button(undo, key="undo_cut", disabled=not cut, on_click=store(CUT, ",".join(ids[:-1])))
        st.button(reset, key="reset_cut", disabled=not cut, on_click=store(CUT, ""))


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
    first, second = edges.heads.receiver, edges.heads.donor
    values = {"first": three_digits(first), "second": three_digits(second), "value": three_digits(run.value)}
    if not cut:
        paragraph("circuits", "paths-uncut", measured=comparison.measured, **values)
        return
    distance = second - first
    values["share"] = percent((run.value - first) / distance) if distance else say("circuits.undefined", "undefined")
    count = say_count("circuits.cut-edges", "{count} edge", "{count} edges", len(cut))
    paragraph("circuits", "paths-cut", measured=comparison.measured, count=count, **values)


def render_list(edges: PathEdges, shown: list[PathEdge], cut: list[PathEdge], names: PathNames) -> None:
    """Render the edges of the graph as a table, and all edges as files."""
    largest = max(abs(edge.effect) for edge in edges.edges)
    title = say("circuits.edges", "Edges of the graph")
    columns = [
        tables.name_column(say("circuits.sender", "from"), [names.name(edge.sender) for edge in shown]),
        tables.name_column(say("circuits.receiver", "to"), [names.name(edge.receiver) for edge in shown]),
        tables.TableColumn(say("circuits.input", "input"), [INPUTS[edge.input]() for edge in shown]),
        tables.bar_column(
            say("circuits.effect", "change of what is measured"), [edge.effect for edge in shown], largest, "difference"
        ),
        tables.TableColumn(say("paths.cut", "cut"), ["\u2702" if edge in cut else "" for edge in shown]),
    ]
    with st.expander(title):
        tables.render_table(columns, title)
    header = [column.title for column in columns[:-1]]

    def rows() -> list[list[object]]:
        return [
            [names.name(edge.sender), names.name(edge.receiver), INPUTS[edge.input](), edge.effect]
            for edge in edges.edges
        ]

    with st.container(horizontal=True):
        files.csv(header, rows, "paths", say("circuits.csv.edges", "All edges as CSV"))
        arrays = {name: table.values for name, table in edges.heads.tables.items()}
        files.npz("paths", arrays, say("circuits.npz.edges", "All edges between heads as NPZ"))
