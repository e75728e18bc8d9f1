"""The encoding as a table and as curves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model.networks.positional import wavelengths
from pages.positions.settings import Settings, settings
from pages.positions.wavelengths import in_positions
from pages.shared import checks, files
from pages.shared.charts import chart, matrix_chart
from pages.shared.opening import Request
from views.controls import inputs, widgets
from views.export import downloads
from views.figures.lines import Line, lines
from views.figures.matrix import ChartMatrix
from views.text import prose
from views.text.catalogue import say


def table(request: Request) -> None:
    """Position x dimension, and two columns of it as curves."""
    chosen = settings(request)
    encoding = chosen.table
    left, right = st.columns(2, gap="large")
    with right:
        column = widgets.slider(say("positions.dimension", "Dimension to draw"), "column", 8, 0, chosen.d_model - 1)
        partner = column ^ 1  # the other one of its pair
        turns = wavelengths(chosen.d_model, chosen.form).tolist()
        positions = np.arange(chosen.length)
        curves = [Line(_wave(n), positions, encoding[:, n], n % 2) for n in sorted((column, partner))]
        figure = lines(
            curves,
            inputs.theme(),
            say("axis.position", "position"),
            say("value", "value"),
            y_range=(-1.05, 1.05),
            short=True,
        )
        alt = say("positions.curve.alt", "The chosen dimension and its partner over the positions.")
        chart(figure, "curve", alt)
        st.caption(
            say(
                "positions.turns",
                "One period of dimension {column} takes {turn} positions, one of dimension {partner} {other}.",
                column=column,
                turn=in_positions(turns[column]),
                partner=partner,
                other=in_positions(turns[partner]),
            )
        )
    with left:
        shown = ChartMatrix(
            encoding, say("axis.position", "position"), say("axis.dimension", "dimension"), say("value", "value")
        )
        alt = say("positions.table.alt", "Heatmap of the encoding; the table below has the same numbers.")
        matrix_chart(shown, "encoding", alt)
    st.markdown(prose.block("positions", "table"))
    st.caption(check_line(request, chosen))
    numbers(chosen, encoding)


def check_line(request: Request, chosen: Settings) -> str:
    """The drawn table against the one inside the loaded network, as far as both reach."""
    trained = request.service.model.config
    if chosen.form != "paper" or chosen.d_model != trained.d_model:
        return prose.block("positions", "no-table-check", d_model=trained.d_model)
    inside = request.service.lesson("position table", lambda network: network.positions.cpu().numpy())[: chosen.length]
    difference = float(np.abs(inside - chosen.table).max())
    return prose.block("positions", "table-check", difference=checks.said("sinusoid table", difference))


def numbers(chosen: Settings, encoding: np.ndarray) -> None:
    """The encoding as files and a table."""
    header = [say("axis.position", "position"), *map(str, range(chosen.d_model))]
    with st.container(horizontal=True):
        files.download(
            say("positions.csv", "Encoding as CSV"),
            lambda: downloads.table_csv(header, ([place, *row] for place, row in enumerate(encoding.tolist()))),
            f"{chosen.name}.csv",
        )
        files.download(
            say("positions.npz", "Encoding as NPZ"),
            lambda: downloads.arrays_npz({"encoding": encoding}),
            f"{chosen.name}.npz",
        )
    files.numbers(lambda: pd.DataFrame(encoding, columns=header[1:]).rename_axis(header[0]))


def _wave(dimension: int) -> str:
    """What the curve of a dimension is called."""
    if dimension % 2:
        return say("positions.curve.cosine", "dimension {dimension}, cosine", dimension=dimension)
    return say("positions.curve.sine", "dimension {dimension}, sine", dimension=dimension)
