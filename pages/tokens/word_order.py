"""Two sentences of the same words in different orders, compared token by token."""

import streamlit as st

from model.lessons.word_order import OrderComparison, compare_orders
from pages.shared import checks, files
from pages.shared.charts import matrix_chart
from pages.shared.doubt import doubt_of_steps, render_note
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request, is_usable, render_translation, sentence_box
from pages.shared.texts import caption, paragraph, warn_if_cut_off
from pages.tokens.contexts import stage_labels
from views import map_labels
from views.figures.heatmap import ChartMatrix
from views.html import generated_tokens
from views.text import literal
from views.text.catalogue import say
from views.text.numbers import MINUS

ORDERS = (
    "Although I did not get 95 in last TOEFL, I could get in the Ph.D program.",
    "Although I did get 95 in last TOEFL, I could not get in the Ph.D program.",
)


def render(request: Request) -> None:
    """Show two sentences, compared token by token."""
    paragraph("tokens", "word-order")
    columns = st.columns(2, gap="large")
    names = say("tokens.order.first", "First sentence"), say("tokens.order.second", "Second sentence")
    texts = []
    for column, key, first, name in zip(columns, ("o1", "o2"), ORDERS, names, strict=True):
        with column:
            texts.append(sentence_box(name, key, first))
    if not all(is_usable(request, text, name) for text, name in zip(texts, names, strict=True)):
        return
    comparison = request.service.lesson(("order", *texts), compare_orders, request.service.model.tokenizer, *texts)
    doubts = []
    for side, (column, text) in enumerate(zip(columns, texts, strict=True)):
        with column:
            # by how many places a token is shifted in the other sentence
            shifts = {pair[side]: pair[1 - side] - pair[side] for pair in comparison.pairs if pair[0] != pair[1]}
            moved = {place: f"{shift:+d}".replace("-", MINUS) for place, shift in shifts.items()}
            notes = [moved.get(place, "") for place in range(len(comparison.tokens[side]))]
            st.html(generated_tokens.chips(comparison.tokens[side], "encoder", notes=notes))
            steps = request.service.steps(text, request.options)
            doubts.append(doubt_of_steps(request.service, text, steps))
            render_translation(doubts[-1], say("translation", "Translation"))
            warn_if_cut_off(request.service.has_ended(steps[-1].ids), "this")
    render_note(request.service, doubts)
    _render_verdict(comparison)
    labels = [map_labels.numbered(comparison.tokens[0])[first] for first, _ in comparison.pairs]
    header = [say("column.token", "token"), *stage_labels(len(comparison.stages))]
    chart = ChartMatrix(
        comparison.distances,
        header[0],
        say("axis.stage", "stage"),
        say("tokens.order.distance", "distance of its two vectors"),
        labels,
        header[1:],
        low=0,
        high=float(comparison.distances.max()) or 1.0,
    )
    alt = say("tokens.order.alt", "Distance of the two vectors of every token at every stage.")
    matrix_chart(chart, "distances", alt)
    result = {"distance": float(comparison.distances.max())} if texts[0] == texts[1] else None
    render_experiment("tokens-word-order", {"o2": texts[0]}, result)
    apart = comparison.without_positions
    check, bare = (
        ("order-check", checks.format_difference("orders", apart))
        if comparison.same_bag
        else ("other-bag-check", apart)
    )
    caption("tokens", check, bare=bare, trained=comparison.with_positions)
    rows = [[label, *map(float, row)] for label, row in zip(labels, comparison.distances, strict=True)]
    files.csv_and_table(header, rows, "order", say("tokens.order.csv", "Distances as CSV"))


def _render_verdict(comparison: OrderComparison) -> None:
    if comparison.same_bag:
        paragraph("tokens", "same-bag", count=len(comparison.pairs), moved=sum(comparison.moved))
        return
    none = say("tokens.order.none", "none")
    first, second = (
        " ".join(literal.markdown(literal.token(token)) for token in only) or none for only in comparison.only
    )
    paragraph("tokens", "other-bag", first=first, second=second)
