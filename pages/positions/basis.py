"""Columns as waves: how close two of them are to orthogonal over longer spans, and which curves their sums fit."""

import numpy as np
import streamlit as st

from model.lessons.fourier import Fourier, fourier_coefficients
from model.lessons.position_basis import curve, fit_columns, harmonics
from model.lessons.position_geometry import wave_product
from pages.positions.encoding_settings import LENGTH, choose_settings
from pages.shared import checks, files
from pages.shared.charts import curves
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, caption, paragraph
from views.controls import widgets
from views.figures.line_chart import ChartLine
from views.html import bars
from views.text.catalogue import Message, Untranslated, say

BASES = {
    "columns": Message("positions.basis.columns", "Columns of the encoding"),
    "harmonics": Message("positions.basis.harmonics", "Harmonics of the length"),
}
CURVES = {  # id, see `model.lessons.position_basis` -> label
    "step": Message("positions.shape.step", "step"),
    "square-wave": Message("positions.shape.square-wave", "square wave"),
    "sawtooth": Message("positions.shape.sawtooth", "sawtooth"),
    "triangle": Message("positions.shape.triangle", "triangle"),
    "bump": Message("positions.shape.bump", "bump"),
    "one-position": Message("positions.shape.one-position", "one position"),
}
PERIODS = 12  # over which the inner product is drawn
SAMPLES = 200_000  # of one period, for its check


def render_basis(request: Request) -> None:
    """Show a curve and its best fit by the first columns."""
    encoding = choose_settings(request)
    left, right = st.columns([3, 2], gap="large")
    with right:
        shape = widgets.select(say("positions.shape", "Curve to draw"), CURVES, "curve", "square-wave")
        which = widgets.pick(say("positions.basis", "Approximate by"), BASES, "basis")
        used = say("positions.columns", "Columns used")
        columns = widgets.slider(used, "columns", min(64, encoding.d_model), 0, encoding.d_model, varies=True)
    target = curve(shape, encoding.length)
    table = encoding.table if which == "columns" else harmonics(encoding.length, encoding.d_model)
    fitted = fit_columns(target, table, columns)
    places, counts = np.arange(encoding.length), np.arange(encoding.d_model + 1)
    header = [say("positions.column.columns", "columns"), say("positions.column.left", "share that is left")]
    with left:
        series = [
            ChartLine(CURVES[shape](), places, target, 0, "dot"),
            ChartLine(say("positions.sum", "sum of columns: {count}", count=columns), places, fitted.approximation, 1),
        ]
        axes = say("axis.position", "position"), say("value", "value")
        alt = say("positions.fit.alt", "The curve and the sum that is nearest to it.")
        curves(series, *axes, "fit", alt, height=300)
        used_count, label = np.array([columns]), say("positions.columns.used", "columns used")
        residual_series = [
            ChartLine(say("positions.residual", "residual"), counts, fitted.residuals, 2),
            ChartLine(label, used_count, fitted.residuals[used_count], 1, marks=True),
        ]
        alt = say("positions.residual.alt", "The share that is left after each column; it never rises.")
        curves(residual_series, header[0], header[1], "residual", alt, height=260, y_range=(-0.02, 1.05))
    right.markdown(block("positions", "basis"))
    residual = float(fitted.residuals[columns])
    result = {"residual": residual, "columns": columns, "half": float(fitted.residuals[columns // 2])}
    render_experiment("positions-basis", {"columns": encoding.d_model}, result if columns == encoding.d_model else None)
    recomputed = float(np.linalg.norm(target - fitted.approximation) / np.linalg.norm(target))
    difference = checks.format_difference("share left over", abs(residual - recomputed))
    used_columns = int(fitted.used[:columns].sum())
    caption("positions", "basis-check", columns=columns, used=used_columns, residual=residual, difference=difference)
    rows = list(zip(counts.tolist(), fitted.residuals.tolist(), strict=True))
    files.csv_and_table(header, rows, "basis", say("positions.basis.csv", "Residuals as CSV"))
    render(target, shape, columns)


def render_orthogonality(request: Request) -> None:
    """Show the inner product of two columns over longer and longer spans."""
    encoding = choose_settings(request, LENGTH)
    left, right = st.columns([3, 2], gap="large")
    with right:
        first = widgets.slider(say("positions.first", "One dimension"), "first", 0, 0, encoding.d_model - 1)
        second = widgets.slider(say("positions.second", "Another dimension"), "second", 1, 0, encoding.d_model - 1)
        paragraph("positions", "orthogonality")
    slower = max(encoding.wavelengths[first], encoding.wavelengths[second])
    periods, whole = np.linspace(0.02, PERIODS, 100 * PERIODS), np.arange(1, PERIODS + 1)
    products, at_whole = (
        wave_product(encoding.d_model, first, second, spans * slower, encoding.form) for spans in (periods, whole)
    )
    product = say("positions.product", "inner product")
    with left:
        label = say("positions.product.whole", "over whole periods of the slower wave")
        series = [
            ChartLine(say("positions.product.any", "over any span"), periods, products, 5),
            ChartLine(label, whole, at_whole, 1, marks=True),
        ]
        span = say("positions.product.span", "span, in periods of the slower wave")
        alt = say("positions.product.alt", "Inner product of the two waves over longer and longer spans.")
        curves(series, span, product, "product", alt)
    # check: one period by a sum over many samples
    x = (np.arange(SAMPLES) + 0.5) / SAMPLES * slower
    a, b = (np.sin(2 * np.pi * x / encoding.wavelengths[n] + (np.pi / 2 if n % 2 else 0)) for n in (first, second))
    difference = checks.format_difference("sum of samples", abs(2 * float((a * b).mean()) - float(at_whole[0])))
    # rounding around 0 is no information: 6e-17 is written as 0
    one, last = (0.0 if abs(value) < 1e-14 else float(value) for value in at_whole[[0, -1]])
    result = {"one": one, "all": last, "periods": PERIODS} if first == second else None
    render_experiment("positions-orthogonality", {"first": 0, "second": 0}, result)
    caption("positions", "orthogonality-check", one=one, all=last, periods=PERIODS, difference=difference)
    header = [say("positions.product.periods", "whole periods"), product]
    rows = list(zip(whole.tolist(), at_whole.tolist(), strict=True))
    files.csv_and_table(header, rows, "orthogonality", say("positions.product.csv", "Inner products as CSV"))


# The Fourier coefficients of the drawn curve: a_n and b_n by their formulas.

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
    render_program("positions", "fourier", title, length=series.length, shape=curve)


def _share_left(target: np.ndarray, series: Fourier, columns: int) -> float:
    """Return the residual of the first terms, as a share of the curve's norm."""
    return _without_rounding(float(np.linalg.norm(target - series.sum(columns)) / np.linalg.norm(target)))


def _without_rounding(value: float) -> float:
    """Replace rounding errors such as 6e-17 by 0."""
    return 0.0 if abs(value) < 1e-14 else float(value)
