"""The tokens of the vocabulary that are nearest to one token."""

import streamlit as st

from model.lessons.embedding import find_neighbours
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.experiment import render_experiment, token_value
from pages.shared.page_header import Request
from pages.shared.texts import block, caption, fold_check, paragraph
from views import map_labels
from views.controls import sentence_input, widgets
from views.figures.line_chart import histogram
from views.html import bars
from views.text import literal
from views.text.catalogue import say, say_count
from views.text.numbers import grouped

MOST = 50  # neighbours


def render(request: Request) -> None:
    """Show the vocabulary sorted by the cosine of its rows with one row."""
    width, tokenizer = request.service.model.config.d_model, request.service.model.tokenizer
    ids = tokenizer.encode_source(request.text)
    source_tokens = tuple(tokenizer.display(ids))
    left, right = st.columns([3, 2], gap="large")
    with left:
        longest = max(range(len(ids) - 1), key=lambda place: (len(literal.token(source_tokens[place])), place))
        label, choices = say("tokens.near", "Token of your sentence"), map_labels.token_options(source_tokens)
        near = widgets.select(label, choices, "near", str(longest + 1))
        place = int(near) - 1
        count = widgets.slider(say("tokens.near.count", "Neighbours shown"), "count", 12, 3, MOST)
    neighbours = request.service.lesson(("neighbourhood", ids[place]), find_neighbours, tokenizer, ids[place], MOST)
    header = [say("column.token", "token"), say("column.id", "id"), say("cosine", "cosine")]
    rows = [(literal.token(near.token), near.id, near.cosine) for near in neighbours.nearest]
    with left:
        cells: list[list[bars.Value]] = [
            [bars.data_cell(token, "token", "en"), str(id), bars.bar_cell(cosine, rows[0][2])]
            for token, id, cosine in rows[:count]
        ]
        name = say("tokens.near.table", "Nearest tokens to {token}", token=literal.token(neighbours.token))
        st.html(bars.table(header, cells, name))
    with right:
        paragraph("tokens", "neighbours")
        figure = histogram(neighbours.others, rows[count - 1][2], sentence_input.theme(), header[2])
        chart(figure, "cosines", block("tokens", "neighbours-alt"))
        caption(
            "tokens",
            "neighbours-spread",
            others=grouped(len(neighbours.others)),
            mean=neighbours.others.mean(),
            deviation=neighbours.others.std(),
            width=width,
            random=width**-0.5,
        )
    nearest, last = neighbours.nearest[0], len(ids) - 1  # before </s>
    result = {
        "token": token_value(neighbours.token),
        "near": token_value(nearest.token),
        "cosine": float(nearest.cosine),
    }
    render_experiment("tokens-neighbours", {"near": str(last)}, result if place == last - 1 else None)
    fold_check("tokens", "neighbours-check", difference=checks.format_difference("cosines", neighbours.difference))
    label = say_count("tokens.near.csv", "{count} neighbour as CSV", "{count} neighbours as CSV", MOST)
    files.csv_and_table(header, rows, "neighbours", label)
