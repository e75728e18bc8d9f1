"""The drawing of a network unrolled over the user's tokens, with one path."""

from typing import Literal

from model import Trace
from model.lessons.sequential_operations import StateGraph, Vertex
from views.svg.unrolled import SublayerRow, unrolled
from views.text.catalogue import Message, say

MOST_EDGES = 3  # of a vertex that is drawn with all its edges
SUBLAYERS = {
    "self": Message("history.row.self", "self-attention {layer}"),
    "cross": Message("history.row.cross", "cross-attention {layer}"),
    "ffn": Message("history.row.ffn", "feed-forward {layer}"),
}


def draw_unrolled(graph: StateGraph, path: list[Vertex], trace: Trace, name: str) -> str:
    """Draw the rows from the bottom up; thin lines are the edges of recurrent cells and of the vertices on the path."""
    ids = dict.fromkeys(vertex.row for vertex in graph.reads if vertex.row not in ("source", "target"))
    if "context" in ids and graph.ready[Vertex("context", 0)] < graph.ready[Vertex("decoder", 0)]:
        ids = {row: None for row in ids if row not in ("context", "decoder")} | dict.fromkeys(("context", "decoder"))
    counts = {"source": len(trace.source_ids), "target": len(trace.target_ids)}
    rows = []
    for row in ids:
        side: Literal["source", "target"] = "source" if row.startswith("encoder") else "target"
        kind = "cross" if row == "context" or row.endswith(".cross") else row.partition(".")[0]
        ready = [graph.ready[Vertex(row, place)] for place in range(counts[side])]
        rows.append(SublayerRow(row, row_label(row), side, kind, ready))
    on_path = set(path)
    edges = [
        ((read.row, read.place), (vertex.row, vertex.place))
        for vertex, reads in graph.reads.items()
        for read in reads
        if len(reads) <= MOST_EDGES or vertex in on_path
    ]
    title = say(
        "history.unrolled.alt",
        "{network}, unrolled over {source} source and {target} target tokens: {steps} steps wait for each other, and "
        "the path that is drawn passes {length} sub-layers. The table below has the same numbers.",
        network=name,
        **counts,
        steps=graph.steps,
        length=max(len(path) - 1, 0),
    )
    tokens = {"source": trace.source_tokens, "target": trace.target_tokens}
    return unrolled(rows, tokens, edges, [(vertex.row, vertex.place) for vertex in path], title)


def row_label(row: str) -> str:
    """Return the label of a row of the graph."""
    labels = {
        "encoder.forwards": say("history.row.forwards", "read forwards"),
        "encoder.backwards": say("history.row.backwards", "read backwards"),
        "decoder": say("history.row.decoder", "decoder"),
        "context": say("history.row.context", "attention"),
    }
    if row in labels:
        return labels[row]
    _, layer, kind = row.split(".")
    return SUBLAYERS[kind](layer=int(layer) + 1)
