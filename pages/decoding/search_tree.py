"""The tree of a beam search: as columns for drawing, and as rows for a file."""

from __future__ import annotations

from model.decoding.beam_tree import BeamTree
from pages.shared.opening import Request
from views.svg import beam
from views.text import literal
from views.text.catalogue import Message

SUM = Message("column.log-probability", "sum of ln p")
SCORE = Message("decoding.column.score", "score")
HEADER = (
    Message("column.step", "step"),
    Message("column.rank", "rank"),
    Message("column.hypothesis", "hypothesis"),
    Message("column.token", "token"),
    Message("column.probability", "probability"),
    SUM,
    SCORE,
    Message("column.fate", "fate"),
    Message("column.winning", "on the winning path"),
)


def columns(request: Request, tree: BeamTree, every: bool) -> list[list[beam.Node]]:
    """The tree for drawing; without the pruned ones unless `every`."""
    label = request.service.model.tokenizer.labels
    drawn, before = [], {(): 0}
    for nodes in tree.steps:
        shown = [node for node in nodes if every or node.fate != "pruned"]
        drawn.append(
            [
                beam.Node(
                    token,
                    node.probability,
                    node.log_probability,
                    node.score,
                    node.fate,
                    tree.on_winning_path(node),
                    before[node.ids[:-1]],
                )
                for node, token in zip(shown, label(node.id for node in shown), strict=True)
            ]
        )
        before = {node.ids: place for place, node in enumerate(shown)}
    return drawn


def table(request: Request, tree: BeamTree) -> list[list]:
    """A row for each hypothesis that was considered, pruned ones included."""
    tokenizer = request.service.model.tokenizer
    return [
        [
            step,
            rank,
            tokenizer.decode(node.ids[:-1]),
            literal.token(tokenizer.labels([node.id])[0]),
            node.probability,
            node.log_probability,
            node.score,
            beam.FATES[node.fate](),
            tree.on_winning_path(node),
        ]
        for step, nodes in enumerate(tree.steps, 1)
        for rank, node in enumerate(nodes, 1)
    ]
