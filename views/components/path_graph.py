"""A graph of edges from source tokens through heads to an answer, drawn over the layers; edges can be cut.

The browser gets the strongest edges once and draws as many of them, and as strong ones, as its sliders say. A click,
Enter or Space on an edge asks the server to cut it, or to restore it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from .. import palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..text.catalogue import Message
from ..text.numbers import three_digits
from ..viewer.payload import pack
from . import component, controls

_MOUNT = component.Component("path_graph", "path-graph")
WORDS = {
    "edge": Message("paths.edge", "{sender} \u2192 {receiver}"),
    "input": Message("paths.edge.input", "{sender} \u2192 {receiver}, {input}"),
    "cut": Message("paths.cut", "cut"),
    "graph": Message("paths.graph", "Graph of {count} {count:edge|edges} from the input through heads to the answer"),
}


@dataclass(frozen=True)
class GraphNode:
    """One node: a place in a column, from 0; `kind` decides the hue, `said` marks a token as data, of a language if one
    follows, as in "token fr".

    `label` is in the node, `name` in the read-out of its edges.
    """

    id: str
    label: str
    name: str
    column: int
    row: int
    kind: str
    said: str = ""


@dataclass(frozen=True)
class GraphEdge:
    """One edge, from a node to one input of another; `input` names it in words."""

    id: str
    sender: str
    receiver: str
    input: str
    value: float


@dataclass(frozen=True, eq=False)
class PathGraph:
    """A graph."""

    columns: Sequence[str]  # titles
    nodes: Sequence[GraphNode]
    edges: Sequence[GraphEdge]  # strongest first
    cut: Sequence[str]  # ids of the edges that are cut; they are always drawn
    count: Choice  # the choice of how many edges are drawn, whose options are numbers
    least: Choice  # the choice of the smallest effect that is drawn, whose options are percent of the strongest one
    chosen: Mapping[str, str]  # the selected option of each
    unit: str  # of the values, in words


def payload(graph: PathGraph, theme: palette.Theme) -> bytes:
    """The bytes that the script reads."""
    sliders = [spec | {"range": True, "list": False} for spec in controls.control_specs((graph.count, graph.least))]
    header = {
        "columns": graph.columns,
        "nodes": [vars(node) | _labels(node) for node in graph.nodes],
        "edges": [vars(edge) | {"written": three_digits(edge.value)} for edge in graph.edges],
        "cut": list(graph.cut),
        "count": graph.count.key,
        "least": graph.least.key,
        "controls": sliders,
        "unit": graph.unit,
        "hues": {node.kind: palette.hue_of(node.kind) for node in graph.nodes},
        "signs": palette.signed_hues(palette.DIFFERENCE),
        "theme": theme,
        "words": component.translated(WORDS),
    }
    return pack(header)


def _labels(node: GraphNode) -> dict[str, str]:
    return dict(zip(("label", "name"), component.labels((node.label, node.name)), strict=True))


def path_graph(
    graph: PathGraph, key: str, on_choose: Callable[[Mapping[str, str]], None], on_cut: Callable[[str], None]
) -> None:
    """Mount it.

    Args:
        on_choose: called with the selected options, half a second after the last change.
        on_cut: called with the id of an edge that the user wants to cut or to restore.
    """
    known = [edge.id for edge in graph.edges]
    _MOUNT(
        key,
        payload(graph, sentence_input.theme()),
        dict(graph.chosen),
        chosen=(partial(controls.valid_selection, choices=(graph.count, graph.least)), on_choose),
        edge=(partial(component.valid_option, names=known), on_cut),
    )
