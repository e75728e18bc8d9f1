"""The tokens of the vocabulary that are nearest to one token."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from model.lessons.embedding import neighbourhood
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.opening import Request
from views import maps
from views.controls import inputs, widgets
from views.export import downloads
from views.figures.histogram import histogram
from views.html import bars
from views.text import literal, prose
from views.text.catalogue import say, say_count
from views.text.numbers import grouped, three_digits

MOST = 50  # neighbours


def show(request: Request) -> None:
    """The vocabulary sorted by the cosine of its rows with one row."""
    width, tokenizer = request.service.model.config.d_model, request.service.model.tokenizer
    ids = tokenizer.encode_source(request.text)
    source_tokens = tuple(tokenizer.display(ids))
    labels = maps.numbered(source_tokens)
    wide, narrow = st.columns([3, 2], gap="large")
    with wide:
        longest = max(range(len(ids) - 1), key=lambda place: (len(literal.token(source_tokens[place])), place))
        choices = {str(number): label for number, label in enumerate(labels, 1)}
        near = widgets.select(say("tokens.near", "Token of your sentence"), choices, "near", str(longest + 1))
        place = int(near) - 1
        count = widgets.slider(say("tokens.near.count", "Neighbours shown"), "count", 12, 3, MOST)
    found = request.service.lesson(("neighbourhood", ids[place]), neighbourhood, tokenizer, ids[place], MOST)
    header = [say("column.token", "token"), say("column.id", "id"), say("cosine", "cosine")]
    rows = [(near.token, near.id, near.cosine) for near in found.nearest]
    with wide:
        shown = [
            [bars.data(literal.token(token), "token"), id_, bars.bar(cosine, rows[0][2])]
            for token, id_, cosine in rows[:count]
        ]
        name = say("tokens.near.table", "Nearest tokens to {token}", token=literal.token(found.token))
        st.html(bars.table(header, shown, name))
    with narrow:
        st.markdown(prose.block("tokens", "neighbours"))
        chart(
            histogram(found.others, rows[count - 1][2], inputs.theme(), header[2]),
            "cosines",
            say(
                "tokens.near.alt",
                "Histogram of the cosines with all other tokens; the line is the last neighbour shown.",
            ),
        )
        st.caption(
            say(
                "tokens.near.spread",
                "The other {others} tokens: mean {mean}, standard deviation {deviation}; random directions in {width} "
                "dimensions would have 0 and {random}.",
                others=grouped(len(found.others)),
                mean=three_digits(float(found.others.mean())),
                deviation=three_digits(float(found.others.std())),
                width=width,
                random=three_digits(width**-0.5),
            )
        )
    st.caption(prose.block("tokens", "neighbours-check", difference=checks.said("cosines", found.difference)))
    labelled = [[literal.token(token), id_, cosine] for token, id_, cosine in rows]
    many = say_count("tokens.near.csv", "{count} neighbour as CSV", "{count} neighbours as CSV", MOST)
    files.download(many, lambda: downloads.table_csv(header, labelled), "neighbours.csv")
    files.numbers(lambda: pd.DataFrame(labelled, columns=header), hide_index=True)
