"""The Fourier coefficients of the drawn curve: a_n and b_n by their formulas."""

import numpy as np
import streamlit as st

from model.lessons.fourier import Fourier, fourier_coefficients
from pages.shared import checks, files
from pages.shared.charts import curves
from pages.shared.code import render_program
from pages.shared.texts import block, caption, paragraph
from views.figures.line_chart import ChartLine
from views.html import bars
from views.text.catalogue import Untranslated, say

ROWS = 12  # of the table; the file has all


def render(target: np.ndarray, curve: str, columns: int) -> None:
    """Show the coefficients as a table and as curves.

    Args:
        target: the curve, `(length,)`.
        curve: its id, for the program.
        columns: how many terms of the series are summed for the check.
    """
    series = fourier_coefficients(target)
    st.header(say("positions.fourier", "Its Fourier series"), anchor=False)
    left, right = st.columns([3, 2], gap="large")
    with right:
        paragraph("positions", "fourier")
    header = [
        say("positions.fourier.turns", "n, whole turns"),
        Untranslated("a\u2099")(),
        Untranslated("b\u2099")(),
        say("positions.fourier.size", "\u221a(a\u2099\u00b2 + b\u2099\u00b2)"),
    ]
    rows = [[n, *map(_without_rounding, (series.a[n], series.b[n], series.sizes[n]))] for n in range(len(series.a))]
    with left:
        turns, axes = np.arange(len(series.a)), (header[0], say("positions.fourier.coefficient", "coefficient"))
        lines = [
            ChartLine(Untranslated("a\u2099")(), turns, series.a, 0, marks=True),
            ChartLine(Untranslated("b\u2099")(), turns, series.b, 1, "dot", marks=True),
        ]
        curves(lines, *axes, "coefficients", block("positions", "fourier-alt"), height=260)
    top = float(series.sizes.max())
    table: list[list[bars.Value]] = [[*row[:3], bars.bar_cell(row[3], top)] for row in rows[:ROWS]]
    name = say("positions.fourier.table", "Coefficients of the first terms")
    st.html(bars.table(header, table, name, whole=True))
    strongest = int(series.sizes[1:].argmax()) + 1
    rest = _share_left(target, series, columns)
    if columns > series.length:
        columns = series.length + (series.length + 1) % 2  # a sine and a cosine of each turn, and the constant
    difference = checks.format_difference("Fourier coefficients", series.difference(target))
    size = float(series.sizes[strongest])
    caption(
        "positions", "fourier-check", strongest=strongest, size=size, columns=columns, left=rest, difference=difference
    )
    files.csv_and_table(header, rows, "fourier", say("positions.fourier.csv", "Coefficients as CSV"), "fourier_table")
    title = say("positions.fourier.code", "The coefficients in PyTorch")
    render_program("positions", "fourier", title, length=series.length, curve=curve)


def _share_left(target: np.ndarray, series: Fourier, columns: int) -> float:
    """Return the residual of the first terms, as a share of the curve's norm."""
    return _without_rounding(float(np.linalg.norm(target - series.sum(columns)) / np.linalg.norm(target)))


def _without_rounding(value: float) -> float:
    """Replace rounding errors such as 6e-17 by 0."""
    return 0.0 if abs(value) < 1e-14 else float(value)
