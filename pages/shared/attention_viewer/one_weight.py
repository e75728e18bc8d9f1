"""One weight: the query's and the key's numbers, their products, the score and the softmax that it comes from."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.lessons.one_weight import OneWeight, one_weight
from pages.shared import checks, files
from pages.shared.attention_viewer.subject import Subject
from views import maps
from views.controls import inputs, widgets
from views.export import downloads
from views.html import bars
from views.text import literal, prose
from views.text.numbers import three_digits

STRONGEST = "the strongest"
MOST_KEYS = 40  # rows of the softmax's table; the weakest keys beyond are summed up


def show(subject: Subject) -> None:
    """Choose a head, a query and a key; follow the weight."""
    layers, heads = (maps.names(count)[:-1] for count in subject.record.weights.shape[:2])
    query_names, key_names = (subject.kind.names(tokens) for tokens in subject.tokens)
    first = query_names[0 if subject.kind.places else -1]  # CLS, or the token that was read last
    with st.container(horizontal=True, gap="medium"):
        layer, head = inputs.head(layers, heads)
        query = query_names.index(widgets.select("Query", query_names, f"{subject.kind.name}_query_piece", first))
        chosen = widgets.select("Key", [STRONGEST, *key_names], f"{subject.kind.name}_key_piece")
    place = int(layer) - 1, int(head) - 1, query
    key = int(subject.record.weights[place].argmax()) if chosen == STRONGEST else key_names.index(chosen)
    one = one_weight(subject.record, *place, key)
    names = tuple(_name(subject, side, place) for side, place in enumerate((query, key)))
    st.html(bars.STYLE)
    st.markdown(prose.block("microscope", "Masked weight" if one.masked else "One weight").format(**_words(one, names)))
    products, softmax = st.columns(2, gap="large")
    with products:
        st.markdown(prose.block("microscope", "Products"))
        st.html(_products(one, subject.kind.name))
    with softmax:
        st.markdown(prose.block("microscope", "Softmax"))
        st.html(_softmax(one, subject.kind.name, key_names))
    st.caption(
        prose.block("microscope", "Proof of a weight").format(difference=checks.said("one weight", one.difference))
    )
    with st.container(horizontal=True):
        files.download("This weight as CSV", lambda: _csv(one), "weight.csv")
        files.download("Its softmax as CSV", lambda: _softmax_csv(one, key_names), "softmax.csv")


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


def _products(one: OneWeight, kind: str) -> str:
    """A row a dimension, the largest products first, with the sum so far; the last sum is the dot product."""
    order = np.argsort(-np.abs(one.products), kind="stable")
    sums = np.cumsum(one.products[order])
    most = float(np.abs(one.products).max())
    lines = [
        [
            int(place) + 1,
            float(one.query[place]),
            float(one.key[place]),
            bars.bar(float(one.products[place]), most, kind),
        ]
        + [float(total)]
        for place, total in zip(order, sums, strict=True)
    ]
    header = ["dimension", "query", "key", "query \u00d7 key", "sum so far"]
    return bars.table(header, lines, "Products of a weight", whole=True)


def _softmax(one: OneWeight, kind: str, key_names: list[str]) -> str:
    """A row a key: score, exponential, weight."""
    order = np.argsort(-one.weights, kind="stable")
    shown = sorted({*order[:MOST_KEYS].tolist(), one.place})
    lines: list[list[bars.Value]] = [
        [
            key_names[place],
            "masked" if np.isneginf(one.scores[place]) else three_digits(float(one.scores[place])),
            three_digits(float(one.exponentials[place])),
            bars.bar(float(one.weights[place]), 1, kind),
        ]
        for place in shown
    ]
    left = np.setdiff1d(np.arange(len(key_names)), shown)
    if len(left):
        rest = f"{len(left)} weaker keys"
        lines.append(
            [
                rest,
                "",
                three_digits(float(one.exponentials[left].sum())),
                bars.bar(float(one.weights[left].sum()), 1, kind),
            ]
        )
    total = three_digits(float(one.exponentials.sum()))
    lines.append(["sum", "", total, bars.bar(float(one.weights.sum()), 1, kind)])
    header = ["key", "score", "e^(score \u2212 largest)", "weight"]
    return bars.table(header, lines, "Softmax over all keys", marked=shown.index(one.place))


def _csv(one: OneWeight) -> bytes:
    columns = zip(one.query, one.key, one.products, np.cumsum(one.products), strict=True)
    lines = ([place + 1, *map(float, line)] for place, line in enumerate(columns))
    return downloads.table_csv(["dimension", "query", "key", "product", "sum"], lines)


def _softmax_csv(one: OneWeight, key_names: list[str]) -> bytes:
    columns = zip(key_names, one.scores, one.exponentials, one.weights, strict=True)
    lines = ([name, *map(float, line)] for name, *line in columns)
    return downloads.table_csv(["key", "score", "exponential", "weight"], lines)
