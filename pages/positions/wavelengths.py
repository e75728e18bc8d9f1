"""How long the waves of the encoding are, dimension by dimension."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model.networks.positional import wavelengths
from pages.positions.settings import FORMS, Settings, settings
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.opening import Request
from views.controls import inputs
from views.export import downloads
from views.figures.lines import Line, lines
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import grouped, three_digits


def show(request: Request) -> None:
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
                shortest=in_positions(mine[0]),
                longest=in_positions(mine[-1]),
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


def in_positions(wavelength: float) -> str:
    """A number of positions in digits, however large."""
    return three_digits(float(wavelength)) if wavelength < 1000 else grouped(round(float(wavelength)))


def _measured(chosen: Settings) -> float:
    """Largest share by which a wavelength differs from the one that the table's second position gives away."""
    second = chosen.table[1]  # sin or cos of one step's angle, an angle of at most 1
    angles = np.where(np.arange(chosen.d_model) % 2, np.arccos(second), np.arcsin(second))
    mine = wavelengths(chosen.d_model, chosen.form).numpy()
    return float(np.abs(2 * np.pi / angles / mine - 1).max())
