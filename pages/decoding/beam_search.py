"""The beam as a tree: what was kept, what was pruned, what won, and what greedy decoding would have found."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from model import DecodingOptions
from model.decoding.beam_tree import BeamTree
from model.decoding.search import beam_tree_in_steps, length_penalty
from model.networks.loss_terms import score_target
from pages.decoding import search_tree
from pages.shared import checks, files
from pages.shared.cut_off import say_if_cut
from pages.shared.opening import Request
from views.components.drawing_view import drawing_view
from views.controls import widgets
from views.export import downloads
from views.html import bars, steps
from views.svg import beam
from views.text import prose
from views.text.catalogue import say


def show(request: Request) -> None:
    """The tree, the translations it ended with, and the checks."""
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.markdown(prose.block("decoding", "beam-search"))
    with left:
        options = settings(request)
        nodes = {"kept": say("decoding.nodes.kept", "Kept"), "all": say("decoding.nodes.all", "All considered")}
        every = widgets.pick(say("decoding.nodes", "Hypotheses drawn"), nodes, "nodes") == "all"
    source = request.service.model.tokenizer.encode_source(request.text)
    tree = request.service.lesson_in_steps(("beam tree", request.text, options), beam_tree_in_steps, source, options)
    with left:
        results(request, tree, options)
    st.subheader(say("decoding.search", "The search, from left to right"), anchor=False)
    title = say(
        "decoding.search.title", "Beam search of {steps} steps; the table has its numbers.", steps=len(tree.steps)
    )
    svg = beam.beam(search_tree.columns(request, tree, every), title)
    drawing_view(svg, key="tree")
    st.caption(prose.block("decoding", "reading-the-tree"))
    header = [column() for column in search_tree.HEADER]
    with st.container(horizontal=True):
        files.download(say("files.svg", "SVG"), lambda: svg, "beam.svg")
        files.download(
            files.CSV(),
            lambda: downloads.table_csv(header, search_tree.table(request, tree)),
            "beam.csv",
        )
    files.numbers(lambda: pd.DataFrame(search_tree.table(request, tree), columns=header), "tree_table", hide_index=True)


def settings(request: Request) -> DecodingOptions:
    """Width and length penalty: those of the beam above, or two sliders to try them."""
    if request.options.method == "beam":
        st.caption(say("decoding.beam-above", "Beam width and length penalty are those set above."))
        return request.options
    first, second = st.columns(2)
    with first:
        width = widgets.slider(say("decoding.width", "Beam width"), "try_beam", 4, 1, 8)
    with second:
        alpha = widgets.decimal(say("decoding.penalty", "Length penalty"), "try_penalty", 0.6, 0.0, 2.0, 0.1)
    return DecodingOptions("beam", beam=width, length_penalty=alpha)


def results(request: Request, tree: BeamTree, options: DecodingOptions) -> None:
    """The translations the search returns, with greedy's beside them, and the check."""
    decode = request.service.model.tokenizer.decode
    greedy = request.service.steps(request.text, DecodingOptions())[-1].ids
    rows = [
        [str(rank), steps.plain(decode(best.ids)), len(best.ids), best.log_probability, best.score]
        for rank, best in enumerate(tree.best, 1)
    ]
    total = -score(request, greedy)
    rows.append(
        [
            say("decoding.row.greedy", "greedy"),
            steps.plain(decode(greedy)),
            len(greedy),
            total,
            total / penalty(len(greedy), options),
        ]
    )
    header = [
        "",
        say("column.translation", "translation"),
        say("column.tokens", "tokens"),
        search_tree.SUM(),
        search_tree.SCORE(),
    ]
    st.html(bars.table(header, rows, say("decoding.results", "What the search returns")))
    ends = (
        (say("decoding.best", "The search\u2019s best translation"), tree.winner),
        (say("decoding.greedy.translation", "The greedy translation"), greedy),
    )
    for what, last in ends:
        say_if_cut(request.service.ended(last), what)
    ids = request.service.steps(request.text, options)[-1].ids
    best = tree.best[0]
    st.caption(
        prose.block(
            "decoding",
            "check-beam-same" if ids == tree.winner else "check-beam-different",
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
