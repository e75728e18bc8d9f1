"""The page *Attribution*: which source words a target word needs, by six methods, compared with leave-one-out."""

import streamlit as st

from model import Trace
from model.attribution.leave_one_out import Way
from pages.attribution.attribution_scores import AttributionScores, compute_scores, method_name, run_checks
from pages.attribution.integration import is_wanted, render_completeness, render_offer
from pages.attribution.method_agreement import render_agreement
from pages.attribution.score_views import render_matrices, render_word
from pages.shared import checks, code, files, tables
from pages.shared.code import render_program
from pages.shared.coreference_example import render_coreference
from pages.shared.fragments import fragment
from pages.shared.page_header import Request, render_translation_page
from pages.shared.texts import block, fold_check, how_to_read
from views import map_labels
from views.controls import widgets
from views.text import literal
from views.text.catalogue import Message, say
from views.url_state import bound_settings

ERASURES: dict[Way, Message] = {
    "delete": Message("attribution.way.delete", "Deleting it"),
    "mask": Message("attribution.way.mask", "Masking it"),
}


def render(request: Request, trace: Trace) -> None:
    """Render the page below the translation."""
    render_coreference(request, trace.target_text)
    explore(request, trace)
    label = say("attribution.circuits", "What causes a word: exchange parts of the network on Circuits")
    st.page_link("pages/circuits/page.py", label=label, query_params=bound_settings.shared_query())
    how_to_read(*(block("attribution", text) for text in ("methods", "leave-one-out", "why-they-disagree")))


@fragment
def explore(request: Request, trace: Trace) -> None:
    """Choosing a word, a way to leave words out or a method reruns only this fragment."""
    with st.container(horizontal=True, gap="medium"):
        way = widgets.pick(say("attribution.way", "Leave a source word out by"), ERASURES, "erase")
        slot = st.container(width=320)
        integrated = is_wanted(trace)
        if not integrated:
            render_offer(trace)
    evidence = compute_scores(request, trace, way, integrated)
    with slot:
        label, words = say("attribution.target-word", "Target word"), map_labels.token_options(evidence.target)
        place = int(widgets.select(label, words, "target_word")) - 1
    left, right = st.columns([4, 3], gap="medium")
    with left:
        render_word(evidence, place)
    with right:
        render_agreement(request, evidence, place, way)
    render_matrices(evidence, place)
    rolled, gradient = run_checks(request, evidence)
    fold_check(
        "attribution",
        "check",
        nothing=checks.format_difference("nothing erased", evidence.left_out.unaltered_change),
        word=literal.markdown(literal.token(evidence.source[evidence.left_out.checked_word])),
        alone=checks.format_difference("erased alone", evidence.left_out.single_difference),
        rows=checks.format_difference("row sums", evidence.explained.rollout.row_sum_error),
        rolled=checks.format_difference("rollout", rolled),
        layer=gradient.layer + 1,
        head=gradient.head + 1,
        gradient=gradient.gradient,
        slope=gradient.slope,
        apart=checks.format_difference("slope of ln p", gradient.relative_difference),
        batch=checks.format_difference("relevance in a batch", gradient.relevance),
    )
    render_completeness(evidence, place)
    with st.container(horizontal=True):
        one, every = say("attribution.csv", "This word as CSV"), say("attribution.npz", "Everything as NPZ")
        drop = say("attribution.drop", "drop of ln p")
        files.csv(
            *tables.header_and_rows(evidence.columns_of_word(place, method_name, drop)),
            f"attribution-word-{place + 1}",
            one,
        )
        files.npz("attribution", lambda: evidence.arrays(way), every)
    render_programs(request, evidence, place, way)


def render_programs(request: Request, evidence: AttributionScores, place: int, way: Way) -> None:
    """Render programs for the chosen word: leave-one-out and three methods, the others, the rank correlation."""
    word = evidence.explained.target[place]
    words = tuple((each.start, each.end) for each in evidence.explained.source)
    values = code.sentence(request) | {"words": words, "word": (word.start, word.end)}
    render_program("attribution", "attribution", **values, way=way)
    render_program("attribution", "rollout", say("attribution.rollout.code", "Rollout in PyTorch"), **values)
    title = say("attribution.relevance.code", "Gradient relevance in PyTorch")
    render_program("attribution", "relevance", title, **values)
    if evidence.explained.integrated is not None:
        title = say("attribution.integrated.code", "Integrated gradients in PyTorch")
        render_program("attribution", "integrated", title, **values)
    row = lambda matrix: tuple(matrix[place, evidence.columns].tolist())  # noqa: E731
    scores = {id: row(evidence.explained.scores[of]) for id, of in zip(evidence.ids, evidence.methods, strict=True)}
    title = say("attribution.agreement.code", "The rank correlation in PyTorch")
    render_program("attribution", "agreement", title, drops=row(evidence.drops), scores=scores)


render_translation_page("attribution", render)
