"""The edges of path patching on a page: a graph whose edges can be cut, a list, files and the check."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from model.causal.path_edges import LOGITS, TOKEN, WHOLE_INPUT, PathEdge, PathEdges, PathNode
from model.causal.resumable import ResumableNetwork
from pages.shared import checks, tables
from pages.shared.causes.asking import store
from pages.shared.causes.restored import share_text
from pages.shared.causes.saved_result import ResultFiles, ResultSource, render_result_files
from pages.shared.texts import fold_check, paragraph
from views.components.path_graph import GraphEdge, GraphNode, PathGraph, path_graph
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.export import causal_recipes
from views.text import literal
from views.text.catalogue import Message, Untranslated, say, say_count
from views.text.numbers import three_digits
from views.url_state import bound_settings

SENT = 200  # edges that the browser gets; the files have all
COUNTS = ("5", "10", "15", "20", "30", "50", "100", "200")
FIRST = "20"
LEAST = ("0", "1", "2", "5", "10", "20", "50", "100")  # percent of the strongest effect
INPUTS = {
    "queries": Message("circuits.input.queries", "queries"),
    "keys": Message("circuits.input.keys", "keys"),
    "values": Message("circuits.input.values", "values"),
    "": Message("circuits.input.logits", "logit"),
}
UNITS = {
    "logits": Message("circuits.unit.logits", "logits"),
    "probability": Message("circuits.unit.probability", "of probability"),
    "nats": Message("circuits.unit.nats", "nats"),
}
CUT = "cut"  # text in the address: ids of cut edges


class PathNames:
    """Names and places of the nodes of a graph.

    Args:
        kinds: kind of attention -> its name.
        tokens: labels of the input's tokens; of a network that sends its whole input, the name of that alone.
        answer: the token or class that is measured.
        title: of the answer's column.
        languages: of the tokens and of the answer; empty where unknown.
    """

    def __init__(
        self,
        resumable: ResumableNetwork,
        kinds: Mapping[str, str],
        tokens: Sequence[str] | str,
        answer: str,
        title: str,
        languages: tuple[str, str] = ("", ""),
    ) -> None:
        self.kinds, self.answer, self.title = kinds, answer, title
        self.said = tuple(f"token {language}".strip() for language in languages)
        self.whole = tokens if isinstance(tokens, str) else None
        self.tokens = () if isinstance(tokens, str) else tuple(tokens)
        self.hues = next(iter(resumable.stacks)), resumable.output_stack
        # the columns: the input, then the kinds of attention in the order in which the layers run, then the answer
        self.columns: list[tuple[str, int]] = []
        for stack, layers in resumable.stacks.items():
            own = [kind.name for kind in resumable.kinds if kind.stack == stack]
            self.columns += [(kind, layer) for layer in range(layers) for kind in own]

    def titles(self) -> list[str]:
        """Titles of the columns."""
        title = Message("circuits.column.layer-of", "{kind} {layer}")
        layers = [title(kind=self.kinds[kind], layer=layer + 1) for kind, layer in self.columns]
        first = say("circuits.column.tokens", "tokens") if self.whole is None else say("circuits.column.input", "input")
        return [first, *layers, self.title]

    def node(self, node: PathNode) -> GraphNode:
        """A node of the graph."""
        if node.kind == LOGITS:
            return GraphNode(node.id, self.answer, self.answer, len(self.columns) + 1, 0, self.hues[1], self.said[1])
        if node.kind == WHOLE_INPUT:
            return GraphNode(node.id, self.whole or "", self.whole or "", 0, 0, self.hues[0])
        if node.kind == TOKEN:
            label = self.tokens[node.layer]
            return GraphNode(node.id, label, label, 0, node.layer, self.hues[0], self.said[0])
        label = f"{node.layer + 1}.{node.head + 1}"
        column = 1 + self.columns.index((node.kind, node.layer))
        return GraphNode(node.id, label, f"{self.kinds[node.kind]} {label}", column, node.head, node.kind)

    def name(self, node: PathNode) -> str:
        """A node in a table."""
        return literal.token(self.node(node).name)

    def nodes(self, edges: Sequence[PathEdge]) -> list[GraphNode]:
        """The nodes of these edges, and all tokens and the answer."""
        nodes = {PathNode(TOKEN, place): None for place in range(len(self.tokens))}
        nodes |= {PathNode(LOGITS): None}
        nodes |= {node: None for edge in edges for node in (edge.sender, edge.receiver)}
        return [self.node(node) for node in nodes]


@dataclass(frozen=True)
class ShownEdges:
    """The edges that a graph shows, in their order."""

    edges: list[PathEdge]
    count: int  # how many of the strongest were asked for
    least: int  # their smallest effect, in percent of the strongest one's


def find_cut(edges: PathEdges) -> list[PathEdge]:
    """The edges that the address names as cut."""
    return edges.find(bound_settings.stored_text(CUT).split(","))


def render_graph(edges: PathEdges, cut: list[PathEdge], names: PathNames) -> ShownEdges:
    """Render the graph with undo and reset; return the edges that it shows."""
    strongest = list(edges.edges[:SENT])
    sent = strongest + [edge for edge in cut if edge not in strongest]
    counts = {count: Untranslated(count) for count in COUNTS}
    count = Choice(say("circuits.count", "Strongest edges"), counts, "edges", FIRST)
    shares = {share: Untranslated(f"{share} %") for share in LEAST}
    least = Choice(say("circuits.least", "Smallest effect, of the strongest"), shares, "least")
    chosen = {choice.key: choice.in_component() for choice in (count, least)}
    drawn = [
        GraphEdge(edge.id, edge.sender.id, edge.receiver.id, INPUTS[edge.input]() if edge.input else "", edge.effect)
        for edge in sent
    ]
    unit = UNITS[edges.heads.metric.unit]()
    graph = PathGraph(names.titles(), names.nodes(sent), drawn, [edge.id for edge in cut], count, least, chosen, unit)
    path_graph(graph, "path-graph", sentence_input.store_selection, toggle_cut)
    _render_buttons(cut)
    number, share = int(chosen[count.key]), int(chosen[least.key])
    smallest = share / 100 * max(abs(edge.effect) for edge in sent)
    strong = [edge for edge in sent[:number] if abs(edge.effect) >= smallest]
    return ShownEdges([edge for edge in sent if edge in strong or edge in cut], number, share)


def toggle_cut(id: str) -> None:
    """Cut an edge, or restore it, in a callback."""
    cut = [each for each in bound_settings.stored_text(CUT).split(",") if each]
    cut = [each for each in cut if each != id] if id in cut else [*cut, id]
    bound_settings.store_text(CUT, ",".join(cut))


def _render_buttons(cut: list[PathEdge]) -> None:
    ids = [edge.id for edge in cut]
    with st.container(horizontal=True):
        undo, reset = say("circuits.undo", "Undo the last cut"), say("circuits.reset", "Restore all edges")
        st.button(undo, key="undo_cut", disabled=not cut, on_click=store(CUT, ",".join(ids[:-1])))
        st.button(reset, key="reset_cut", disabled=not cut, on_click=store(CUT, ""))


def render_values(
    edges: PathEdges,
    cut: list[PathEdge],
    value: float,
    measured: str,
    write: Callable[[float], str] = three_digits,
) -> None:
    """State what is measured for A, for B and with the cut edges.

    Args:
        value: with the cut edges.
        measured: what is measured, in words, as Markdown.
        write: formats it.
    """
    first, second = edges.heads.receiver, edges.heads.donor
    values = {"first": write(first), "second": write(second), "value": write(value)}
    if not cut:
        paragraph("circuits", "paths-uncut", measured=measured, **values)
        return
    values["share"] = share_text(value, first, second)
    count = say_count("circuits.cut-edges", "{count} edge", "{count} edges", len(cut))
    paragraph("circuits", "paths-cut", measured=measured, count=count, **values)


def render_list(
    edges: PathEdges,
    shown: ShownEdges,
    cut: list[PathEdge],
    names: PathNames,
    source: ResultSource,
    place: int | None = None,
) -> None:
    """Render the edges of the graph as a table, all edges as files with their recipe, and the check.

    Args:
        source: the two inputs.
        place: of the target in a translation, from 0; None where nothing is generated.
    """
    largest = max(abs(edge.effect) for edge in edges.edges)
    title, listed = say("circuits.edges", "Edges of the graph"), shown.edges
    columns = [
        tables.name_column(say("circuits.sender", "from"), [names.name(edge.sender) for edge in listed]),
        tables.name_column(say("circuits.receiver", "to"), [names.name(edge.receiver) for edge in listed]),
        tables.TableColumn(say("circuits.input", "input"), [INPUTS[edge.input]() for edge in listed]),
        tables.bar_column(
            say("circuits.effect", "change of what is measured"),
            [edge.effect for edge in listed],
            largest,
            "difference",
        ),
        tables.TableColumn(say("paths.cut", "cut"), ["\u2702" if edge in cut else "" for edge in listed]),
    ]
    with st.expander(title):
        tables.render_table(columns, title)
    header = [column.title for column in columns[:-1]]

    def rows() -> list[list[object]]:
        return [
            [names.name(edge.sender), names.name(edge.receiver), INPUTS[edge.input](), edge.effect]
            for edge in edges.edges
        ]

    arrays = {name: table.values for name, table in edges.heads.tables.items()}
    check, ids = edges.heads.check, [edge.id for edge in cut]
    found = {"recomputed_edges": check.recomputed, "nothing_sent": check.nothing}
    labels = say("circuits.csv.edges", "All edges as CSV"), say("circuits.npz.edges", "All edges between heads as NPZ")
    lines = causal_recipes.of_paths(ids, shown.count, shown.least / 100, names.whole is None, place)
    with st.container(horizontal=True):
        render_result_files(
            ResultFiles("paths", header, rows, lambda: arrays, found, labels),
            source.with_method(lines, edges=shown.count, smallest_percent=shown.least, cut=ids),
        )
    fold_check(
        "circuits",
        "paths-check",
        recomputed=checks.format_difference("recomputed edges", check.recomputed),
        nothing=checks.format_difference("nothing sent", check.nothing),
    )
