"""The payload of a graph of edges over the layers."""

import json

from views import palette
from views.components.path_graph import GraphEdge, GraphNode, PathGraph, payload
from views.controls.widgets import Choice

NODES = (
    GraphNode("token.1", "\u2009cat", "\u2009cat", 0, 0, "encoder", "token"),
    GraphNode("cross.4.7", "4.7", "Cross 4.7", 1, 6, "cross"),
    GraphNode("logits", "\u2009chat", "\u2009chat", 2, 0, "decoder", "token"),
)
EDGES = (
    GraphEdge("cross.4.7-logits", "cross.4.7", "logits", "", -1.23456),
    GraphEdge("token.1-cross.4.7-keys", "token.1", "cross.4.7", "keys", 0.5),
)
COUNT = Choice("Strongest edges", ("1", "2"), "edges", "2")
LEAST = Choice("Smallest effect", ("0", "50"), "least")


def test_nodes_edges_and_the_slider_are_sent():
    chosen = {"edges": "2", "least": "0"}
    graph = PathGraph(("tokens", "Cross 4", "word"), NODES, EDGES, (EDGES[1].id,), COUNT, LEAST, chosen, "logits")
    content = payload(graph, "light")
    header = json.loads(content[4 : 4 + int.from_bytes(content[:4], "little")])
    assert [node["label"] for node in header["nodes"]] == ["cat", "4.7", "chat"]  # as the browser writes tokens
    assert [node["name"] for node in header["nodes"]] == ["cat", "Cross 4.7", "chat"]
    assert [(edge["id"], edge["written"]) for edge in header["edges"]] == [
        ("cross.4.7-logits", "\u22121.23"),
        ("token.1-cross.4.7-keys", "0.500"),
    ]
    assert header["cut"] == ["token.1-cross.4.7-keys"] and header["unit"] == "logits"
    count, least = header["controls"]
    assert header["least"] == "least" and least["range"] and [id for id, _ in least["options"]] == ["0", "50"]
    assert count["range"] and not count["list"] and [id for id, _ in count["options"]] == ["1", "2"]
    assert header["hues"]["cross"] == palette.hue_of("cross") and len(header["signs"]) == 2
