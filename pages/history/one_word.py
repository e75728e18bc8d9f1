"""One word at a time: the encoder unrolled, a state for every token."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.history import networks
from pages.shared import checks, files
from pages.shared.charts import MAP, matrix_chart
from pages.shared.opening import Request
from views.export import downloads
from views.figures.matrix import ChartMatrix
from views.text import literal, prose
from views.text.catalogue import say


def show(request: Request) -> None:
    """All states of the RNN's encoder, and that they are those of the library's layer."""
    trace = networks.traced(request, "rnn-vector")
    (cells,) = trace.encoder.values()
    top = float(np.abs(cells.hidden).max())
    title = say("history.states", "hidden states h_t")
    shown = ChartMatrix(
        cells.hidden, say("column.token", "token"), say("column.unit", "unit"), title, low=-top, high=top
    )
    matrix_chart(shown, "states", MAP(title=title))
    st.markdown(prose.block("history", "one-word"))
    difference = checks.said("recurrent states", trace.state_differences["encoder"])
    st.caption(prose.block("history", "states-check", difference=difference))
    tokens = [literal.token(token) for token in trace.source_tokens]
    header = [say("column.token", "token"), *map(str, range(1, cells.hidden.shape[1] + 1))]
    with st.container(horizontal=True):
        rows = ([token, *row] for token, row in zip(tokens, cells.hidden.tolist(), strict=True))
        files.download(files.CSV(), lambda: downloads.table_csv(header, rows), "states.csv")
    files.numbers(lambda: files.table(cells.hidden, header[1:], tokens, header[0]))
