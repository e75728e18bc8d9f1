"""One weight: the query's and the key's numbers, their products, the score and the softmax that it comes from."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from model.lessons.one_weight import OneWeight, one_weight
from pages.shared import checks, files
from pages.shared.attention_viewer import weight_tables
from pages.shared.attention_viewer.subject import Subject
from views import maps
from views.controls import inputs, widgets
from views.html import bars
from views.text import literal, prose
from views.text.catalogue import say
from views.text.numbers import three_digits

STRONGEST = "strongest"


def show(subject: Subject) -> None:
    """Choose a head, a query and a key; follow the weight."""
    layers, heads = (maps.names(count)[:-1] for count in subject.record.weights.shape[:2])
    queries, keys = (
        dict(zip(_ids(subject, side), subject.kind.names(subject.tokens[side]), strict=True)) for side in (0, 1)
    )
    first = list(queries)[0 if subject.kind.places else -1]  # CLS, or the token that was read last
    with st.container(horizontal=True, gap="medium"):
        layer, head = inputs.head(layers, heads)
        asked = widgets.select(say("one-weight.query", "Query"), queries, f"{subject.kind.name}_query_piece", first)
        strongest = {STRONGEST: say("one-weight.strongest", "the strongest")}
        chosen = widgets.select(say("one-weight.key", "Key"), strongest | keys, f"{subject.kind.name}_key_piece")
    query = list(queries).index(asked)
    place = int(layer) - 1, int(head) - 1, query
    key = int(subject.record.weights[place].argmax()) if chosen == STRONGEST else list(keys).index(chosen)
    one = one_weight(subject.record, *place, key)
    names = tuple(_name(subject, side, place) for side, place in enumerate((query, key)))
    st.html(bars.STYLE)
    block = "masked-weight" if one.masked else "one-weight"
    st.markdown(prose.block("attention_viewer", block, **_words(one, names)))
    products, softmax = st.columns(2, gap="large")
    with products:
        st.markdown(prose.block("attention_viewer", "products"))
        st.html(weight_tables.products(one, subject.kind.name))
    with softmax:
        st.markdown(prose.block("attention_viewer", "softmax"))
        st.html(weight_tables.softmax(one, subject.kind.name, list(keys.values())))
    st.caption(
        prose.block("attention_viewer", "check-of-a-weight", difference=checks.said("one weight", one.difference))
    )
    with st.container(horizontal=True):
        files.download(
            say("one-weight.csv", "This weight as CSV"), lambda: weight_tables.products_csv(one), "weight.csv"
        )
        softmax_csv = say("one-weight.softmax.csv", "Its softmax as CSV")
        files.download(softmax_csv, lambda: weight_tables.softmax_csv(one, list(keys.values())), "softmax.csv")


def _ids(subject: Subject, side: int) -> list[str]:
    """What the address calls the queries (side 0) or keys (side 1): a token its place, a patch its row and column."""
    count = len(subject.tokens[side])
    if not subject.kind.places:
        return [str(place + 1) for place in range(count)]
    width = math.isqrt(count - 1)
    return ["cls", *(f"{row + 1}-{column + 1}" for row, column in np.ndindex(width, width))]


def _name(subject: Subject, side: int, place: int) -> str:
    """A query (side 0) or key (side 1) for a sentence, as Markdown: a token in quotes with its number."""
    label = subject.tokens[side][place]
    if subject.kind.places:
        return f"**{literal.markdown(label)}**"
    return f"**\u201c{literal.markdown(literal.token(label))}\u201d** ({place + 1})"


def _words(one: OneWeight, names: tuple[str, str]) -> dict[str, str]:
    query, key = names
    return dict(
        query=query,
        key=key,
        d_k=str(one.d_k),
        root=three_digits(one.d_k**0.5),
        product=three_digits(one.product),
        score=three_digits(one.score),
        exponential=three_digits(float(one.exponentials[one.place])),
        total=three_digits(float(one.exponentials.sum())),
        weight=three_digits(one.weight),
    )
