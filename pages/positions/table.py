"""The encoding as a table and as curves, and how long its waves are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model.networks.positional import wavelengths
from pages.positions.settings import FORMS, Settings, settings
from pages.shared import checks, files
from pages.shared.charts import chart, matrix_chart
from pages.shared.opening import Request
from views.controls import inputs, widgets
from views.export import downloads
from views.figures.lines import Line, lines
from views.figures.matrix import ChartMatrix
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import grouped, three_digits


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
                turn=_positions(turns[column]),
                partner=partner,
                other=_positions(turns[partner]),
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


def waves(request: Request) -> None:
    """Positions a turn takes, dimension by dimension."""
    chosen = settings(request)
    dimensions = np.arange(chosen.d_model)
    both = {form: wavelengths(chosen.d_model, form).numpy() for form in ("paper", "column")}
    mine = both[chosen.form]
    left, right = st.columns([3, 2], gap="large")
    with left:
        curves = [
            Line(FORMS["paper"](), dimensions, both["paper"], 0),
            Line(FORMS["column"](), dimensions, both["column"], 4, dash="dot"),
        ]
        figure = lines(
            curves,
            inputs.theme(),
            say("axis.dimension", "dimension"),
            say("positions.wavelength", "wavelength in positions"),
            log_y=True,
        )
        alt = say("positions.wavelengths.alt", "Wavelength of every dimension, rising from the lowest to the highest.")
        chart(figure, "wavelengths", alt)
    with right:
        st.markdown(prose.block("positions", "wavelengths"))
        seen = int((mine <= chosen.length).sum())
        st.markdown(
            say(
                "positions.wavelengths.range",
                "Shortest: **{shortest}** positions in dimension 0. Longest: **{longest}** in dimension {last}. Within "
                "{length} positions **{seen} of {all}** dimensions complete a full period.",
                shortest=_positions(mine[0]),
                longest=_positions(mine[-1]),
                last=chosen.d_model - 1,
                length=chosen.length,
                seen=seen,
                all=chosen.d_model,
            )
        )
    measured = _measured(chosen)
    st.caption(prose.block("positions", "wavelengths-check", difference=checks.said("wavelengths", measured)))
    header = [
        say("axis.dimension", "dimension"),
        say("positions.wavelength.paper", "wavelength, paper"),
        say("positions.wavelength.column", "wavelength, column index"),
    ]
    rows = list(zip(dimensions.tolist(), both["paper"].tolist(), both["column"].tolist(), strict=True))
    files.download(
        say("positions.wavelengths.csv", "Wavelengths as CSV"),
        lambda: downloads.table_csv(header, rows),
        "wavelengths.csv",
    )
    files.numbers(lambda: pd.DataFrame(rows, columns=header), hide_index=True)


def _wave(dimension: int) -> str:
    """What the curve of a dimension is called."""
    if dimension % 2:
        return say("positions.curve.cosine", "dimension {dimension}, cosine", dimension=dimension)
    return say("positions.curve.sine", "dimension {dimension}, sine", dimension=dimension)


def _positions(wavelength: float) -> str:
    """A number of positions in digits, however large."""
    return three_digits(float(wavelength)) if wavelength < 1000 else grouped(round(float(wavelength)))


def _measured(chosen: Settings) -> float:
    """Largest share by which a wavelength differs from the one that the table's second position gives away."""
    second = chosen.table[1]  # sin or cos of one step's angle, an angle of at most 1
    angles = np.where(np.arange(chosen.d_model) % 2, np.arccos(second), np.arcsin(second))
    mine = wavelengths(chosen.d_model, chosen.form).numpy()
    return float(np.abs(2 * np.pi / angles / mine - 1).max())
