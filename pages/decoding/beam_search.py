"""The beam as a tree: kept and pruned hypotheses, the winner, and the result of greedy decoding."""

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

import streamlit as st

from model import DecodingOptions, Step
from model.decoding.doubt import Doubt
from model.decoding.search import BeamTree, beam_tree_in_steps, length_penalty
from model.networks.loss_terms import score_target
from pages.shared import checks, files
from pages.shared.doubt import doubt_of_ids, doubt_of_steps, render_note
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import caption, column_with_text, fold_check, warn_if_cut_off
from views.components.inline_svg import inline_svg
from views.controls import widgets
from views.controls.sentence_input import WIDEST_BEAM, Decoding
from views.html import bars, generated_tokens
from views.svg import beam
from views.text import literal
from views.text.catalogue import Message, say

node_numbers = attrgetter("probability", "log_probability", "score")  # of a hypothesis, in the order of the table
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


def render(request: Request) -> None:
    """Show the tree, its final translations, and the checks."""
    left = column_with_text("decoding", "beam-search")
    with left:
        options = choose_options()
        nodes = {"kept": say("decoding.nodes.kept", "Kept"), "all": say("decoding.nodes.all", "All considered")}
        all_nodes = widgets.pick(say("decoding.nodes", "Hypotheses drawn"), nodes, "nodes") == "all"
    source = request.service.model.tokenizer.encode_source(request.text)
    tree = request.service.lesson_in_steps(("beam tree", request.text, options), beam_tree_in_steps, source, options)
    with left:
        render_results(request, tree, options)
    st.header(say("decoding.search", "The search, from left to right"), anchor=False)
    text = say(
        "decoding.search.title",
        "Beam search of {steps} {steps:step|steps}; the table has its numbers.",
        steps=len(tree.steps),
    )
    svg = beam.beam(tree_columns(request, tree, all_nodes), text)
    inline_svg(svg, key="tree")
    caption("decoding", "reading-the-tree")
    header, rows = [column() for column in HEADER], lambda: table_rows(request, tree)
    with st.container(horizontal=True):
        files.download(say("files.svg", "SVG"), lambda: svg, "beam.svg")
        files.csv(header, rows, "beam")
    files.folded_table(lambda: files.data_frame(rows(), header), "tree_table", hide_index=True)


def choose_options() -> DecodingOptions:
    """Choose width and length penalty, which all pages share."""
    first, second = st.columns(2)
    with first:
        width = widgets.slider(say("decoding.width", "Beam width"), "beam", Decoding.beam, 1, WIDEST_BEAM)
    with second:
        alpha = widgets.decimal(say("decoding.penalty", "Length penalty"), "penalty", 0.6, 0.0, 2.0, 0.1)
    return DecodingOptions("beam", beam=width, length_penalty=alpha)


def render_results(request: Request, tree: BeamTree, options: DecodingOptions) -> None:
    """Show the translations of the search and that of greedy decoding, and the check."""
    service = request.service
    greedy_steps = service.steps(request.text, DecodingOptions())
    greedy = greedy_steps[-1].ids
    greedy_sum = -negative_log_probability(request, greedy)
    greedy_score = greedy_sum / length_penalty(len(greedy), options.length_penalty)
    hypotheses = [(str(rank), best.ids, best.log_probability, best.score) for rank, best in enumerate(tree.best, 1)]
    hypotheses.append((say("decoding.row.greedy", "greedy"), greedy, greedy_sum, greedy_score))
    doubts = find_doubts(request, tree, greedy_steps)
    rows: list[list[bars.Value]] = [
        [name, generated_tokens.sentence_cell(doubt.text, doubt.spans), len(ids), *sums]
        for (name, ids, *sums), doubt in zip(hypotheses, doubts, strict=True)
    ]
    translation, tokens = say("column.translation", "translation"), say("column.tokens", "tokens")
    header = ["", translation, tokens, SUM(), SCORE()]
    st.html(bars.table(header, rows, say("decoding.results", "What the search returns")))
    render_note(service, doubts)
    warn_if_cut_off(service.has_ended(tree.winner), "best")
    warn_if_cut_off(service.has_ended(greedy), "greedy")
    agrees, best = service.steps(request.text, options)[-1].ids == tree.winner, tree.best[0]
    result = {"wide": best.score, "narrow": greedy_score} if options.beam == WIDEST_BEAM else None
    render_experiment("decoding-beam-search", {"beam": WIDEST_BEAM}, result)
    difference = checks.format_difference(
        "sum of ln p", abs(-negative_log_probability(request, best.ids) - best.log_probability)
    )
    fold_check("decoding", "check-beam-same" if agrees else "check-beam-different", difference=difference)


def find_doubts(request: Request, tree: BeamTree, greedy: Sequence[Step]) -> list[Doubt]:
    """Find the doubtful tokens of the returned translations, best first, and of the greedy one.

    Only of the best and the greedy one a low mean is of interest: the others are less probable by design.
    """
    of_node = {node.ids: node.probability for nodes in tree.steps for node in nodes}
    doubts = []
    for rank, best in enumerate(tree.best):
        probabilities = [of_node[best.ids[:count]] for count in range(1, len(best.ids) + 1)]
        doubt = doubt_of_ids(request.service, best.ids, probabilities)
        doubts.append(replace(doubt, is_low=doubt.is_low and rank == 0))
    return [*doubts, doubt_of_steps(request.service, request.text, greedy)]


def negative_log_probability(request: Request, ids: tuple[int, ...]) -> float:
    """Compute the sum of -ln p of a translation, from one teacher-forced pass."""
    compute = lambda model: score_target(model.trace(request.text, target_ids=ids).logits, ids).terms.total  # noqa: E731
    return request.service.analysis(("sum of -ln p", request.text, ids), compute)


def tree_columns(request: Request, tree: BeamTree, all_nodes: bool) -> list[list[beam.Node]]:
    """Return the nodes of each step for drawing; without the pruned ones unless `all_nodes`."""
    label = request.service.model.tokenizer.labels
    columns: list[list[beam.Node]] = []
    parents: dict[tuple[int, ...], int] = {(): 0}
    for nodes in tree.steps:
        visible = [node for node in nodes if all_nodes or node.fate != "pruned"]
        columns.append(
            [
                beam.Node(token, *node_numbers(node), node.fate, tree.on_winning_path(node), parents[node.ids[:-1]])
                for node, token in zip(visible, label(node.id for node in visible), strict=True)
            ]
        )
        parents = {node.ids: place for place, node in enumerate(visible)}
    return columns


def table_rows(request: Request, tree: BeamTree) -> list[list]:
    """Return a row for each considered hypothesis, pruned ones included."""
    tokenizer = request.service.model.tokenizer
    return [
        [
            step,
            rank,
            tokenizer.decode(node.ids[:-1]),
            literal.token(tokenizer.labels([node.id])[0]),
            *node_numbers(node),
            beam.FATES[node.fate](),
            tree.on_winning_path(node),
        ]
        for step, nodes in enumerate(tree.steps, 1)
        for rank, node in enumerate(nodes, 1)
    ]
