"""The same words in two orders."""

import streamlit as st

from model.lessons.word_order import OrderComparison, compare_orders
from pages.shared import checks, files
from pages.shared.charts import matrix_chart
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request, is_usable, render_translation, sentence_box
from pages.shared.texts import caption, paragraph, warn_if_cut_off
from pages.tokens.contexts import stage_labels
from views import attention_maps
from views.figures.heatmap import ChartMatrix
from views.html import generated_tokens
from views.text import literal
from views.text.catalogue import say

ORDERS = (
    "Although I did not get 95 in last TOEFL, I could get in the Ph.D program.",
    "Although I did get 95 in last TOEFL, I could not get in the Ph.D program.",
)


def render(request: Request) -> None:
    """Two sentences, compared token by token."""
    paragraph("tokens", "word-order")
    columns = st.columns(2, gap="large")
    names = say("tokens.order.first", "First sentence"), say("tokens.order.second", "Second sentence")
    texts = []
    for column, key, first, name in zip(columns, ("o1", "o2"), ORDERS, names, strict=True):
        with column:
            texts.append(sentence_box(name, key, first))
    if not all(is_usable(request, text, name) for text, name in zip(texts, names, strict=True)):
        return
    found = request.service.lesson(("order", *texts), compare_orders, request.service.model.tokenizer, *texts)
    for side, (column, text) in enumerate(zip(columns, texts, strict=True)):
        with column:
            # by how many places a token stands elsewhere, as seen from this sentence
            moved = {pair[side]: f"{pair[1 - side] - pair[side]:+d}" for pair in found.pairs if pair[0] != pair[1]}
            notes = [moved.get(place, "") for place in range(len(found.tokens[side]))]
            st.html(generated_tokens.chips(found.tokens[side], "encoder", notes=notes))
            last = request.service.steps(text, request.options)[-1]
            render_translation(last.text, say("translation", "Translation"))
            warn_if_cut_off(request.service.has_ended(last.ids), "this")
    _render_verdict(found)
    labels = [attention_maps.numbered(found.tokens[0])[first] for first, _ in found.pairs]
    header = [say("column.token", "token"), *stage_labels(len(found.stages))]
    shown = ChartMatrix(
        found.distances,
        header[0],
        say("axis.stage", "stage"),
        say("tokens.order.distance", "distance of its two vectors"),
        labels,
        header[1:],
        low=0,
        high=float(found.distances.max()) or 1.0,
    )
    alt = say("tokens.order.alt", "Distance of the two vectors of every token at every stage.")
    matrix_chart(shown, "distances", alt)
    same = {"distance": float(found.distances.max())} if texts[0] == texts[1] else None
    render_experiment("tokens-word-order", {"o2": texts[0]}, same)
    apart = found.without_positions
    check, bare = (
        ("order-check", checks.format_difference("orders", apart)) if found.same_bag else ("other-bag-check", apart)
    )
    caption("tokens", check, bare=bare, trained=found.with_positions)
    rows = [[label, *map(float, row)] for label, row in zip(labels, found.distances, strict=True)]
    files.csv_and_table(header, rows, "order", say("tokens.order.csv", "Distances as CSV"))


def _render_verdict(found: OrderComparison) -> None:
    if found.same_bag:
        paragraph("tokens", "same-bag", count=len(found.pairs), moved=sum(found.moved))
        return
    none = say("tokens.order.none", "none")
    first, second = (" ".join(literal.markdown(literal.token(token)) for token in only) or none for only in found.only)
    paragraph("tokens", "other-bag", first=first, second=second)
