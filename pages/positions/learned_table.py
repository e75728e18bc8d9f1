"""Learned position tables: of this app's picture classifier, or of the model that the visitor opened."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from model.hub.position_tables import find_position_tables
from model.lessons.position_schemes import learned_vectors
from pages.models.model_cache import opened_models
from pages.shared import files
from pages.shared.charts import matrix_chart
from pages.shared.models import open_vision_without_sidebar
from pages.shared.texts import block, caption
from views import streamlit_internals
from views.controls import widgets
from views.figures.heatmap import ChartMatrix, symmetric
from views.text import literal
from views.text.catalogue import Message, Untranslated, say

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
