"""The same words in two orders."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from model.lessons.word_order import OrderComparison, compare_orders
from pages.shared import checks, files
from pages.shared.charts import matrix_chart
from pages.shared.cut_off import say_if_cut
from pages.shared.opening import Request, usable
from views import maps
from views.controls import widgets
from views.export import downloads
from views.figures.matrix import ChartMatrix
from views.html import tokens
from views.text import literal, prose
from views.text.numbers import three_digits

ORDERS = (
    "Although I did not get 95 in last TOEFL, I could get in the Ph.D program.",
    "Although I did get 95 in last TOEFL, I could not get in the Ph.D program.",
)


def show(request: Request) -> None:
    """Two sentences, compared token by token."""
    st.markdown(prose.block("tokens", "Word order"))
    columns = st.columns(2, gap="large")
    texts = []
    for column, key, sentence, name in zip(columns, ("o1", "o2"), ORDERS, ("First", "Second"), strict=True):
        with column:
            texts.append(widgets.text(f"{name} sentence", key, sentence, "Type an English sentence"))
    if not all(
        usable(request, text, name) for text, name in zip(texts, ("First sentence", "Second sentence"), strict=True)
    ):
        return
    found = request.service.lesson(("order", *texts), compare_orders, request.service.model.tokenizer, *texts)
    places = [{pair[side]: number for pair, number in _moves(found, side)} for side in (0, 1)]
    for column, side, text in zip(columns, (0, 1), texts, strict=True):
        with column:
            notes = [places[side].get(place, "") for place in range(len(found.tokens[side]))]
            st.html(tokens.chips(found.tokens[side], "encoder", notes=notes))
            last = request.service.steps(text, request.options)[-1]
            st.html(tokens.label("Translation") + tokens.sentence(last.text, "fr"))
            say_if_cut(request.service.ended(last.ids), "This translation")
    st.markdown(_verdict(found))
    labels = [maps.numbered(found.tokens[0])[first] for first, _ in found.pairs]
    high = float(found.distances.max()) or 1.0
    shown = ChartMatrix(
        found.distances, "piece", "stage", "distance of its two vectors", labels, found.stages, low=0, high=high
    )
    matrix_chart(shown, "distances", "Distance of every piece's two vectors at every stage.")
    key = "Proof of the order" if found.same_bag else "Proof of another bag"
    apart = found.without_positions
    bare = checks.said("orders", apart) if found.same_bag else three_digits(apart)
    st.caption(prose.block("tokens", key).format(bare=bare, trained=three_digits(found.with_positions)))
    header = ["piece", *found.stages]
    rows = [[label, *map(float, row)] for label, row in zip(labels, found.distances, strict=True)]
    files.download("Distances as CSV", lambda: downloads.table_csv(header, rows), "order.csv")
    files.numbers(lambda: pd.DataFrame(rows, columns=header), hide_index=True)


def _moves(found: OrderComparison, side: int) -> list[tuple[tuple[int, int], str]]:
    """For each pair that stands elsewhere: by how many places, as seen from one of the sentences."""
    return [(pair, f"{pair[1 - side] - pair[side]:+d}") for pair in found.pairs if pair[0] != pair[1]]


def _verdict(found: OrderComparison) -> str:
    if found.same_bag:
        moved = sum(found.moved)
        return (
            f"**The same bag:** both have the same {len(found.pairs)} pieces, so the same embedding rows; {moved} of "
            f"them stand at another place."
        )
    lists = [" ".join(literal.markdown(literal.token(token)) for token in only) or "none" for only in found.only]
    return f"**Not the same bag.** Only in the first: {lists[0]}. Only in the second: {lists[1]}."
