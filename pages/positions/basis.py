"""Columns as waves: how nearly two of them are orthogonal over longer spans, and what their sums can draw."""

import numpy as np
import streamlit as st

from model.lessons.position_basis import curve, fit_columns, harmonics
from model.lessons.position_geometry import wave_product
from pages.positions import coefficients
from pages.positions.encoding_settings import LENGTH, choose_settings
from pages.shared import checks, files
from pages.shared.charts import curves
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, caption, paragraph
from views.controls import widgets
from views.figures.line_chart import ChartLine
from views.text.catalogue import Message, say

BASES = {
    "columns": Message("positions.basis.columns", "Columns of the encoding"),
    "harmonics": Message("positions.basis.harmonics", "Harmonics of the length"),
}
CURVES = {  # id, see `model.lessons.position_basis` -> what it is called
    "step": Message("positions.shape.step", "step"),
    "square-wave": Message("positions.shape.square-wave", "square wave"),
    "sawtooth": Message("positions.shape.sawtooth", "sawtooth"),
    "triangle": Message("positions.shape.triangle", "triangle"),
    "bump": Message("positions.shape.bump", "bump"),
    "one-position": Message("positions.shape.one-position", "one position"),
}
PERIODS = 12  # how far the inner product is followed
SAMPLES = 200_000  # of one period, for its check


def render_basis(request: Request) -> None:
    """A curve, and the best sum of the first columns."""
    chosen = choose_settings(request)
    left, right = st.columns([3, 2], gap="large")
    with right:
        shape = widgets.select(say("positions.shape", "Curve to draw"), CURVES, "curve", "square-wave")
        which = widgets.pick(say("positions.basis", "Made of"), BASES, "basis")
        used = say("positions.columns", "Columns used")
        columns = widgets.slider(used, "columns", min(64, chosen.d_model), 0, chosen.d_model, varies=True)
    target = curve(shape, chosen.length)
    table = chosen.table if which == "columns" else harmonics(chosen.length, chosen.d_model)
    found = fit_columns(target, table, columns)
    places, counts = np.arange(chosen.length), np.arange(chosen.d_model + 1)
    header = [say("positions.column.columns", "columns"), say("positions.column.left", "share that is left")]
    with left:
        drawn = [
            ChartLine(CURVES[shape](), places, target, 0, "dot"),
            ChartLine(say("positions.sum", "sum of columns: {count}", count=columns), places, found.approximation, 1),
        ]
        axes = say("axis.position", "position"), say("value", "value")
        alt = say("positions.fit.alt", "The curve and the sum that is nearest to it.")
        curves(drawn, *axes, "fit", alt, height=300)
        here, label = np.array([columns]), say("positions.columns.used", "columns used")
        marked = [
            ChartLine(say("positions.residual", "residual"), counts, found.residuals, 2),
            ChartLine(label, here, found.residuals[here], 1, marks=True),
        ]
        alt = say("positions.residual.alt", "The share that is left after each column; it never rises.")
        curves(marked, *header, "residual", alt, height=260, y_range=(-0.02, 1.05))
    right.markdown(block("positions", "basis"))
    residual = float(found.residuals[columns])
    result = {"residual": residual, "columns": columns, "half": float(found.residuals[columns // 2])}
    render_experiment("positions-basis", {"columns": chosen.d_model}, result if columns == chosen.d_model else None)
    again = float(np.linalg.norm(target - found.approximation) / np.linalg.norm(target))
    difference = checks.format_difference("share left over", abs(residual - again))
    added = int(found.used[:columns].sum())
    caption("positions", "basis-check", columns=columns, used=added, residual=residual, difference=difference)
    rows = list(zip(counts.tolist(), found.residuals.tolist(), strict=True))
    files.csv_and_table(header, rows, "basis", say("positions.basis.csv", "Residuals as CSV"))
    coefficients.render(target, shape, columns)


def render_orthogonality(request: Request) -> None:
    """The inner product of two columns over longer and longer spans, whatever the length of a sentence."""
    chosen = choose_settings(request, LENGTH)
    left, right = st.columns([3, 2], gap="large")
    with right:
        first = widgets.slider(say("positions.first", "One dimension"), "first", 0, 0, chosen.d_model - 1)
        second = widgets.slider(say("positions.second", "Another dimension"), "second", 1, 0, chosen.d_model - 1)
        paragraph("positions", "orthogonality")
    slower = max(chosen.wavelengths[first], chosen.wavelengths[second])
    periods, whole = np.linspace(0.02, PERIODS, 100 * PERIODS), np.arange(1, PERIODS + 1)
    products, at_whole = (
        wave_product(chosen.d_model, first, second, spans * slower, chosen.form) for spans in (periods, whole)
    )
    product = say("positions.product", "inner product")
    with left:
        label = say("positions.product.whole", "over whole periods of the slower wave")
        drawn = [
            ChartLine(say("positions.product.any", "over any span"), periods, products, 5),
            ChartLine(label, whole, at_whole, 1, marks=True),
        ]
        span = say("positions.product.span", "span, in periods of the slower wave")
        alt = say("positions.product.alt", "Inner product of the two waves over longer and longer spans.")
        curves(drawn, span, product, "product", alt)
    # one period again, by a sum over many samples
    x = (np.arange(SAMPLES) + 0.5) / SAMPLES * slower
    a, b = (np.sin(2 * np.pi * x / chosen.wavelengths[n] + (np.pi / 2 if n % 2 else 0)) for n in (first, second))
    difference = checks.format_difference("sum of samples", abs(2 * float((a * b).mean()) - float(at_whole[0])))
    # rounding around 0 is no information: 6e-17 is written as 0
    one, last = (0.0 if abs(value) < 1e-14 else float(value) for value in at_whole[[0, -1]])
    itself = {"one": one, "all": last, "periods": PERIODS} if first == second else None
    render_experiment("positions-orthogonality", {"first": 0, "second": 0}, itself)
    caption("positions", "orthogonality-check", one=one, all=last, periods=PERIODS, difference=difference)
    header = [say("positions.product.periods", "whole periods"), product]
    rows = list(zip(whole.tolist(), at_whole.tolist(), strict=True))
    files.csv_and_table(header, rows, "orthogonality", say("positions.product.csv", "Inner products as CSV"))
