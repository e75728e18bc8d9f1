"""The beam as a tree: what was kept, what was cut, what won, and what greedy decoding would have found."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from model import DecodingOptions
from model.decoding.beam_tree import BeamTree
from model.decoding.search import beam_tree_in_parts, length_penalty
from model.networks.loss_terms import score_target
from pages.shared import checks, files
from pages.shared.cut_off import say_if_cut
from pages.shared.opening import Asked
from views.components.drawing_view import drawing_view
from views.controls import widgets
from views.export import downloads
from views.html import bars, steps
from views.svg import beam
from views.text import literal, prose

NODES = ("Kept", "All considered")
HEADER = ["step", "rank", "beginning", "piece", "probability", "sum of ln p", "score", "fate", "on the winning path"]


def show(asked: Asked) -> None:
    """The tree, the translations it ended with, and the checks."""
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.markdown(prose.block("decoding", "Beam search"))
    with left:
        options = settings(asked)
        every = widgets.pick("Beginnings drawn", NODES, "nodes") == NODES[1]
    translator = asked.service.translator
    source = translator.tokenizer.encode_source(asked.text)
    tree = asked.service.analysis_in_parts(
        ("beam tree", asked.text, options), lambda: beam_tree_in_parts(translator.network, source, options)
    )
    with left:
        results(asked, tree, options)
    st.subheader("The search, from left to right", anchor=False)
    svg = beam.beam(columns(asked, tree, every), f"Beam search of {len(tree.steps)} steps; the table has its numbers.")
    drawing_view(svg, key="tree")
    st.caption(prose.block("decoding", "Reading the tree"))
    with st.container(horizontal=True):
        files.download("SVG", lambda: svg, "beam.svg")
        files.download("CSV", lambda: downloads.table_csv(HEADER, table(asked, tree)), "beam.csv")
    files.numbers(lambda: pd.DataFrame(table(asked, tree), columns=HEADER), "tree_table", hide_index=True)


def settings(asked: Asked) -> DecodingOptions:
    """Width and length penalty: those of the beam above, or two sliders to try them."""
    if asked.options.method == "beam":
        st.caption("Beginnings kept and length penalty are those set above.")
        return asked.options
    first, second = st.columns(2)
    with first:
        width = widgets.slider("Beginnings kept", "try_beam", 4, 1, 8)
    with second:
        alpha = widgets.decimal("Length penalty", "try_penalty", 0.6, 0.0, 2.0, 0.1)
    return DecodingOptions("beam", beam=width, length_penalty=alpha)


def results(asked: Asked, tree: BeamTree, options: DecodingOptions) -> None:
    """The translations the search returns, with greedy's beside them, and the proof."""
    decode = asked.service.translator.tokenizer.decode
    greedy = asked.service.steps(asked.text, DecodingOptions())[-1].ids
    rows = [
        [str(rank), steps.plain(decode(best.ids)), len(best.ids), best.log_probability, best.score]
        for rank, best in enumerate(tree.best, 1)
    ]
    total = -score(asked, greedy)
    rows.append(["greedy", steps.plain(decode(greedy)), len(greedy), total, total / penalty(len(greedy), options)])
    st.html(bars.table(["", "translation", "pieces", "sum of ln p", "score"], rows, "What the search returns"))
    for what, last in (("The search\u2019s best translation", tree.winner), ("The greedy translation", greedy)):
        say_if_cut(asked.service.ended(last), what)
    ids = asked.service.steps(asked.text, options)[-1].ids
    best = tree.best[0]
    st.caption(
        prose.block("decoding", "Proof of the beam").format(
            same="the same" if ids == tree.winner else "NOT the same",
            difference=checks.said("sum of ln p", abs(-score(asked, best.ids) - best.log_probability)),
        )
    )


def score(asked: Asked, ids: tuple[int, ...]) -> float:
    """Sum of -ln p of a translation, from one teacher-forced pass."""

    def compute() -> float:
        trace = asked.service.translator.trace(asked.text, target_ids=ids)
        return score_target(trace.logits, ids).terms.total

    return asked.service.analysis(("sum of -ln p", asked.text, ids), compute)


def penalty(length: int, options: DecodingOptions) -> float:
    """What a sum of log probabilities is divided by."""
    return length_penalty(length, options.length_penalty)


def columns(asked: Asked, tree: BeamTree, every: bool) -> list[list[beam.Node]]:
    """The tree for drawing; without the pruned ones unless `every`."""
    label = asked.service.translator.tokenizer.labels
    drawn, before = [], {(): 0}
    for nodes in tree.steps:
        shown = [node for node in nodes if every or node.fate != "pruned"]
        drawn.append(
            [
                beam.Node(
                    piece,
                    node.probability,
                    node.log_probability,
                    node.score,
                    node.fate,
                    tree.on_winning_path(node),
                    before[node.ids[:-1]],
                )
                for node, piece in zip(shown, label(node.id for node in shown), strict=True)
            ]
        )
        before = {node.ids: place for place, node in enumerate(shown)}
    return drawn


def table(asked: Asked, tree: BeamTree) -> list[list]:
    """A row a considered beginning, pruned ones included."""
    tokenizer = asked.service.translator.tokenizer
    return [
        [
            step,
            rank,
            tokenizer.decode(node.ids[:-1]),
            literal.piece(tokenizer.labels([node.id])[0]),
            node.probability,
            node.log_probability,
            node.score,
            node.fate,
            tree.on_winning_path(node),
        ]
        for step, nodes in enumerate(tree.steps, 1)
        for rank, node in enumerate(nodes, 1)
    ]
