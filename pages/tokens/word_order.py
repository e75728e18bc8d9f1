"""The same words in two orders."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from model.lessons.word_order import OrderComparison, compare_orders
from pages.shared import checks, files
from pages.shared.charts import matrix_chart
from pages.shared.cut_off import say_if_cut
from pages.shared.opening import Request, usable
from pages.tokens.contexts import stages
from views import maps
from views.controls import widgets
from views.export import downloads
from views.figures.matrix import ChartMatrix
from views.html import tokens
from views.text import literal, prose
from views.text.catalogue import say
from views.text.numbers import three_digits

ORDERS = (
    "Although I did not get 95 in last TOEFL, I could get in the Ph.D program.",
    "Although I did get 95 in last TOEFL, I could not get in the Ph.D program.",
)


def show(request: Request) -> None:
    """Two sentences, compared token by token."""
    st.markdown(prose.block("tokens", "word-order"))
    columns = st.columns(2, gap="large")
    names = say("tokens.order.first", "First sentence"), say("tokens.order.second", "Second sentence")
    texts = []
    for column, key, sentence, name in zip(columns, ("o1", "o2"), ORDERS, names, strict=True):
        with column:
            texts.append(widgets.text(name, key, sentence, say("sentence.placeholder", "Type an English sentence")))
    if not all(usable(request, text, name) for text, name in zip(texts, names, strict=True)):
        return
    found = request.service.lesson(("order", *texts), compare_orders, request.service.model.tokenizer, *texts)
    places = [{pair[side]: number for pair, number in _moves(found, side)} for side in (0, 1)]
    for column, side, text in zip(columns, (0, 1), texts, strict=True):
        with column:
            notes = [places[side].get(place, "") for place in range(len(found.tokens[side]))]
            st.html(tokens.chips(found.tokens[side], "encoder", notes=notes))
            last = request.service.steps(text, request.options)[-1]
            st.html(tokens.label(say("translation", "Translation")) + tokens.sentence(last.text, "fr"))
            say_if_cut(request.service.ended(last.ids), say("tokens.order.translation", "This translation"))
    st.markdown(_verdict(found))
    labels = [maps.numbered(found.tokens[0])[first] for first, _ in found.pairs]
    high = float(found.distances.max()) or 1.0
    header = [say("column.token", "token"), *stages(len(found.stages))]
    shown = ChartMatrix(
        found.distances,
        header[0],
        say("axis.stage", "stage"),
        say("tokens.order.distance", "distance of its two vectors"),
        labels,
        header[1:],
        low=0,
        high=high,
    )
    alt = say("tokens.order.alt", "Distance of the two vectors of every token at every stage.")
    matrix_chart(shown, "distances", alt)
    block = "order-check" if found.same_bag else "other-bag-check"
    apart = found.without_positions
    bare = checks.said("orders", apart) if found.same_bag else three_digits(apart)
    st.caption(prose.block("tokens", block, bare=bare, trained=three_digits(found.with_positions)))
    rows = [[label, *map(float, row)] for label, row in zip(labels, found.distances, strict=True)]
    files.download(say("tokens.order.csv", "Distances as CSV"), lambda: downloads.table_csv(header, rows), "order.csv")
    files.numbers(lambda: pd.DataFrame(rows, columns=header), hide_index=True)


def _moves(found: OrderComparison, side: int) -> list[tuple[tuple[int, int], str]]:
    """For each pair that stands elsewhere: by how many places, as seen from one of the sentences."""
    return [(pair, f"{pair[1 - side] - pair[side]:+d}") for pair in found.pairs if pair[0] != pair[1]]


def _verdict(found: OrderComparison) -> str:
    if found.same_bag:
        moved = sum(found.moved)
        return say(
            "tokens.order.same",
            "**The same bag of tokens:** both have the same {count} tokens, so the same embedding rows. Tokens at "
            "another place: {moved}.",
            count=len(found.pairs),
            moved=moved,
        )
    none = say("tokens.order.none", "none")
    first, second = (" ".join(literal.markdown(literal.token(token)) for token in only) or none for only in found.only)
    return say(
        "tokens.order.differs",
        "**Not the same bag of tokens.** Only in the first: {first}. Only in the second: {second}.",
        first=first,
        second=second,
    )
