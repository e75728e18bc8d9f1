"""The beam as a tree: what was kept, what was cut, what won, and what greedy decoding would have found."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from model import DecodingOptions
from model.decoding.beam_tree import BeamTree
from model.decoding.search import beam_tree_in_steps, length_penalty
from model.networks.loss_terms import score_target
from pages.shared import checks, files
from pages.shared.cut_off import say_if_cut
from pages.shared.opening import Request
from views.components.drawing_view import drawing_view
from views.controls import widgets
from views.export import downloads
from views.html import bars, steps
from views.svg import beam
from views.text import literal, prose

NODES = ("Kept", "All considered")
HEADER = ["step", "rank", "beginning", "piece", "probability", "sum of ln p", "score", "fate", "on the winning path"]


def show(request: Request) -> None:
    """The tree, the translations it ended with, and the checks."""
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.markdown(prose.block("decoding", "Beam search"))
    with left:
        options = settings(request)
        every = widgets.pick("Beginnings drawn", NODES, "nodes") == NODES[1]
    source = request.service.model.tokenizer.encode_source(request.text)
    tree = request.service.lesson_in_steps(("beam tree", request.text, options), beam_tree_in_steps, source, options)
    with left:
        results(request, tree, options)
    st.subheader("The search, from left to right", anchor=False)
    svg = beam.beam(
        columns(request, tree, every), f"Beam search of {len(tree.steps)} steps; the table has its numbers."
    )
    drawing_view(svg, key="tree")
    st.caption(prose.block("decoding", "Reading the tree"))
    with st.container(horizontal=True):
        files.download("SVG", lambda: svg, "beam.svg")
        files.download("CSV", lambda: downloads.table_csv(HEADER, table(request, tree)), "beam.csv")
    files.numbers(lambda: pd.DataFrame(table(request, tree), columns=HEADER), "tree_table", hide_index=True)


def settings(request: Request) -> DecodingOptions:
    """Width and length penalty: those of the beam above, or two sliders to try them."""
    if request.options.method == "beam":
        st.caption("Beginnings kept and length penalty are those set above.")
        return request.options
    first, second = st.columns(2)
    with first:
        width = widgets.slider("Beginnings kept", "try_beam", 4, 1, 8)
    with second:
        alpha = widgets.decimal("Length penalty", "try_penalty", 0.6, 0.0, 2.0, 0.1)
    return DecodingOptions("beam", beam=width, length_penalty=alpha)


def results(request: Request, tree: BeamTree, options: DecodingOptions) -> None:
    """The translations the search returns, with greedy's beside them, and the proof."""
    decode = request.service.model.tokenizer.decode
    greedy = request.service.steps(request.text, DecodingOptions())[-1].ids
    rows = [
        [str(rank), steps.plain(decode(best.ids)), len(best.ids), best.log_probability, best.score]
        for rank, best in enumerate(tree.best, 1)
    ]
    total = -score(request, greedy)
    rows.append(["greedy", steps.plain(decode(greedy)), len(greedy), total, total / penalty(len(greedy), options)])
    st.html(bars.table(["", "translation", "pieces", "sum of ln p", "score"], rows, "What the search returns"))
    for what, last in (("The search\u2019s best translation", tree.winner), ("The greedy translation", greedy)):
        say_if_cut(request.service.ended(last), what)
    ids = request.service.steps(request.text, options)[-1].ids
    best = tree.best[0]
    st.caption(
        prose.block("decoding", "Proof of the beam").format(
            same="the same" if ids == tree.winner else "NOT the same",
            difference=checks.said("sum of ln p", abs(-score(request, best.ids) - best.log_probability)),
        )
    )


def score(request: Request, ids: tuple[int, ...]) -> float:
    """Sum of -ln p of a translation, from one teacher-forced pass."""

    def compute(model) -> float:
        trace = model.trace(request.text, target_ids=ids)
        return score_target(trace.logits, ids).terms.total

    return request.service.analysis(("sum of -ln p", request.text, ids), compute)


def penalty(length: int, options: DecodingOptions) -> float:
    """What a sum of log probabilities is divided by."""
    return length_penalty(length, options.length_penalty)


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
    """A row a considered beginning, pruned ones included."""
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
            node.fate,
            tree.on_winning_path(node),
        ]
        for step, nodes in enumerate(tree.steps, 1)
        for rank, node in enumerate(nodes, 1)
    ]
