"""Columns as waves: which are orthogonal, and what their sums can draw."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model.lessons.position_basis import CURVES, curve, fit, harmonics
from model.lessons.position_geometry import wave_product
from model.networks.positional import wavelengths
from pages.positions.settings import settings
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.opening import Request
from views.controls import inputs, widgets
from views.export import downloads
from views.figures.lines import Line, lines
from views.text import prose
from views.text.numbers import three_digits

BASES = ("Columns of the encoding", "Harmonics of the length")
PERIODS = 12  # how far the inner product is followed


def orthogonal(request: Request) -> None:
    """The inner product of two columns over longer and longer spans."""
    chosen = settings(request)
    left, right = st.columns([3, 2], gap="large")
    with right:
        first = widgets.slider("One dimension", "first", 0, 0, chosen.d_model - 1)
        second = widgets.slider("Another dimension", "second", 1, 0, chosen.d_model - 1)
        st.markdown(prose.block("positions", "Orthogonality"))
    turns = wavelengths(chosen.d_model, chosen.form).numpy()
    slower = max(turns[first], turns[second])
    periods = np.linspace(0.02, PERIODS, 100 * PERIODS)
    products = wave_product(chosen.d_model, first, second, periods * slower, chosen.form)
    whole = np.arange(1, PERIODS + 1)
    at_whole = wave_product(chosen.d_model, first, second, whole * slower, chosen.form)
    with left:
        curves = [
            Line("over any span", periods, products, 5),
            Line("over whole periods of the slower wave", whole, at_whole, 1, marks=True),
        ]
        figure = lines(curves, inputs.theme(), "span, in periods of the slower wave", "inner product")
        chart(figure, "product", "Inner product of the two waves over longer and longer spans.")
    st.caption(
        prose.block("positions", "Proof of the orthogonality").format(
            one=three_digits(_clean(at_whole[0])),
            all=three_digits(_clean(at_whole[-1])),
            periods=PERIODS,
            difference=checks.said("sum of samples", _sampled(chosen, first, second, slower, float(at_whole[0]))),
        )
    )
    header = ["whole periods", "inner product"]
    rows = list(zip(whole.tolist(), at_whole.tolist(), strict=True))
    files.download("Inner products as CSV", lambda: downloads.table_csv(header, rows), "orthogonality.csv")
    files.numbers(lambda: pd.DataFrame(rows, columns=header), hide_index=True)


def _clean(value: float) -> float:
    """Rounding around 0 is no information: 6e-17 is written as 0."""
    return 0.0 if abs(value) < 1e-14 else float(value)


def _sampled(chosen, first: int, second: int, span: float, formula: float) -> float:
    """The inner product over one period again, by a sum over many samples; difference to the formula."""
    samples = 200_000
    x = (np.arange(samples) + 0.5) / samples * span
    turns = wavelengths(chosen.d_model, chosen.form).numpy()
    a, b = (np.sin(2 * np.pi * x / turns[n] + (np.pi / 2 if n % 2 else 0)) for n in (first, second))
    return abs(2 * float((a * b).mean()) - formula)


def basis(request: Request) -> None:
    """A curve, and the best sum of the first columns."""
    chosen = settings(request)
    left, right = st.columns([3, 2], gap="large")
    with right:
        name = widgets.select("Curve to draw", CURVES, "curve", "square wave")
        which = widgets.pick("Made of", BASES, "basis")
        columns = widgets.slider("Columns used", "columns", min(64, chosen.d_model), 0, chosen.d_model, varies=True)
    target = curve(name, chosen.length)
    table = chosen.table if which == BASES[0] else harmonics(chosen.length, chosen.d_model)
    found = fit(target, table, columns)
    theme, positions = inputs.theme(), np.arange(chosen.length)
    with left:
        curves = [
            Line(name, positions, target, 0, "dot"),
            Line(f"sum of {columns} columns", positions, found.approximation, 1),
        ]
        chart(lines(curves, theme, "position", "value", height=300), "fit", "The curve and the sum that comes nearest.")
        numbers = np.arange(chosen.d_model + 1)
        marked = [
            Line("residual", numbers, found.residuals, 2),
            Line("columns used", np.array([columns]), found.residuals[[columns]], 1, marks=True),
        ]
        figure = lines(marked, theme, "columns", "share left over", height=260, y_range=(-0.02, 1.05))
        chart(figure, "residual", "What is left over after each column; it never rises.")
    with right:
        st.markdown(prose.block("positions", "A basis"))
    left_over = float(found.residuals[columns])
    again = float(np.linalg.norm(target - found.approximation) / np.linalg.norm(target))
    st.caption(
        prose.block("positions", "Proof of the basis").format(
            columns=columns,
            used=int(found.used[:columns].sum()),
            residual=three_digits(left_over),
            difference=checks.said("share left over", abs(left_over - again)),
        )
    )
    header = ["columns", "share left over"]
    rows = list(zip(numbers.tolist(), found.residuals.tolist(), strict=True))
    files.download("Residuals as CSV", lambda: downloads.table_csv(header, rows), "basis.csv")
    files.numbers(lambda: pd.DataFrame(rows, columns=header), hide_index=True)
