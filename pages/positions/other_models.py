"""How other models encode positions: as biases or rotations of the scores of every query and key."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from model.hub.position_tables import find_position_tables
from model.lessons import position_schemes as numbered
from model.lessons.position_schemes import learned_vectors
from pages.models.model_cache import opened_models
from pages.shared import checks, files
from pages.shared.charts import curves, matrix_chart
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.models import open_vision_without_sidebar
from pages.shared.page_header import Request
from pages.shared.texts import block, caption, fold_check, paragraph
from views import streamlit_internals
from views.controls import widgets
from views.figures.heatmap import ChartMatrix, symmetric
from views.figures.line_chart import ChartLine
from views.text import literal, terms
from views.text.catalogue import Message, Untranslated, say

SCHEMES = {
    "sinusoids": Message("positions.numbered.sinusoids", "Sinusoids, added"),
    "learned": Message("positions.numbered.learned", "Learned, added"),
    "t5": Message("positions.numbered.t5", "Relative (T5)"),
    "rotary": Message("positions.numbered.rotary", "Rotary"),
    "alibi": Message("positions.numbered.alibi", "ALiBi"),
}


def render(request: Request) -> None:
    """Show one scheme at a time."""
    scheme = widgets.pick(say("positions.numbered", "Positions"), SCHEMES, "numbered", "alibi")
    own = choose_table() if scheme == "learned" else None
    if scheme == "learned" and own is None:
        return
    left, right = st.columns([3, 2], gap="large")
    head = 1
    with right:
        length = widgets.slider(say("positions.numbered.length", "Number of positions"), "places", 32, 2, 128)
        values = {}  # only a text without values may contain formulas
        if scheme == "alibi":
            head = widgets.slider(say("positions.numbered.head", "Head"), "slope", 1, 1, numbered.HEADS)
            values["slope"] = numbered.alibi_slope(head)
        id = text_id(own) if own else f"numbered-{scheme}"
        paragraph("positions", id, **values)
    width = request.service.model.config.d_model
    matrix = numbered.products(own.vectors[:length]) if own else numbered.scheme_matrix(scheme, length, head, width)
    length = len(matrix)
    value = say("positions.numbered.bucket", "bucket") if scheme == "t5" else say("column.score", "score")
    with left:
        top = float(np.abs(matrix).max())
        low = -top if matrix.min() < 0 else 0.0
        alt = say("positions.numbered.alt", "The number that the scheme gives to each pair of query and key.")
        chart = ChartMatrix(matrix, terms.QUERY(), terms.KEY(), value, low=low, high=top)
        matrix_chart(chart, "numbered-map", alt)
        rows = [0, length // 2, length - 1]
        series = [
            ChartLine(
                say("positions.numbered.query", "query at position {place}", place=row),
                np.arange(length) - row,
                matrix[row].astype(np.float64),
                place,
            )
            for place, row in enumerate(dict.fromkeys(rows))
        ]
        distance_title = say("positions.numbered.distance", "key\u2019s position minus the query\u2019s")
        alt = say("positions.numbered.curves.alt", "The same by distance, for three queries.")
        curves(series, distance_title, value, "by-distance", alt, height=260)
    result = {"slope": numbered.alibi_slope(head), "lost": -float(matrix[0, -1]), "last": length - 1}
    setting = {"numbered": "alibi", "slope": numbered.HEADS}
    render_experiment(
        "positions-other-models", setting, result if scheme == "alibi" and head == numbered.HEADS else None
    )
    spread = numbered.spread(matrix)
    if own:
        caption("positions", "numbered-check-learned", spread=spread)
    else:
        fold_check("positions", "numbered-check", spread=checks.format_difference("one distance", spread))
    header = [distance_title, *(line.name for line in series)]
    by_query = [dict(zip(np.asarray(line.x).tolist(), np.asarray(line.y).tolist(), strict=True)) for line in series]
    steps = range(1 - length, length)
    table = [[step, *(row.get(step, "") for row in by_query)] for step in steps]
    files.npz(f"positions-{scheme}", {"matrix": matrix}, say("positions.numbered.npz", "All pairs as NPZ"))
    files.csv_and_table(header, table, f"positions-{scheme}", say("positions.numbered.csv", "By distance as CSV"))
    if own:
        render_table(own)
        if own.owner == "classifier":
            render_program("positions", "learned-table", length=length)
    else:
        render_program("positions", "other-models", scheme=scheme, length=length, head=head, d_model=width)


# Learned position tables: of this app's picture classifier, or of the model that the visitor opened.

OWNERS = {
    "classifier": Message("positions.learned.classifier", "This app\u2019s classifier"),
    "opened": Message("positions.learned.opened", "The opened model"),
}
MOST_ROWS, MOST_COLUMNS = 512, 1024  # of the table that are drawn


@dataclass(frozen=True, eq=False)
class LearnedTable:
    """A table of position vectors, `(position, width)` float32, its name, and a key of `OWNERS`."""

    name: str
    vectors: np.ndarray
    owner: str


def choose_table() -> LearnedTable | None:
    """Choose a table; if the opened model has none, or none is open, render the reason and return None."""
    owner = widgets.pick(say("positions.learned.owner", "Table of"), OWNERS, "table_of")
    if owner == "classifier":
        vectors = open_vision_without_sidebar().lesson("learned positions", learned_vectors)
        return LearnedTable("position_embedding", vectors, owner)
    service = opened_models().used_by(streamlit_internals.session_id())
    if service is None:
        st.info(block("positions", "numbered-none-opened"))
        label = say("positions.learned.open", "Open a model")
        st.page_link("pages/models/page.py", label=label)
        return None
    tables = service.lesson("position tables", find_position_tables)
    if not tables:
        st.info(block("positions", "numbered-no-table", name=literal.markdown(service.model.name)))
        return None
    names = {table.name: Untranslated(table.name) for table in tables}
    name = widgets.select(say("positions.learned.name", "Table"), names, "table_name") if len(tables) > 1 else ""
    table = next((table for table in tables if table.name == name), tables[0])
    return LearnedTable(table.name, table.vectors, owner)


def text_id(table: LearnedTable) -> str:
    """Return the id of the block that explains the table."""
    return "numbered-learned" if table.owner == "classifier" else "numbered-opened"


def render_table(table: LearnedTable) -> None:
    """Show the table itself, position by dimension, and its numbers as a file."""
    drawn = table.vectors[:MOST_ROWS, :MOST_COLUMNS]
    top = symmetric(drawn)
    axes = say("axis.position", "position"), say("axis.dimension", "dimension")
    title = say("positions.learned.table", "The table")
    st.header(title, anchor=False)
    matrix_chart(
        ChartMatrix(drawn, *axes, say("value", "value"), low=-top, high=top),
        "learned-table",
        say("positions.learned.alt", "The learned vectors, a row for each position; the file has all numbers."),
    )
    count, width = table.vectors.shape
    largest = float(np.abs(table.vectors).max())
    name = literal.markdown(table.name)
    caption("positions", "numbered-shape", name=name, count=count, width=width, largest=largest)
    files.npz("position-table", {"table": table.vectors}, say("positions.learned.npz", "Table as NPZ"))
