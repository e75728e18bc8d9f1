"""Columns as waves: how nearly two of them are orthogonal over longer and longer spans."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

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
from views.text.catalogue import say
from views.text.numbers import three_digits

PERIODS = 12  # how far the inner product is followed


def show(request: Request) -> None:
    """The inner product of two columns over longer and longer spans."""
    chosen = settings(request)
    left, right = st.columns([3, 2], gap="large")
    with right:
        first = widgets.slider(say("positions.first", "One dimension"), "first", 0, 0, chosen.d_model - 1)
        second = widgets.slider(say("positions.second", "Another dimension"), "second", 1, 0, chosen.d_model - 1)
        st.markdown(prose.block("positions", "orthogonality"))
    turns = wavelengths(chosen.d_model, chosen.form).numpy()
    slower = max(turns[first], turns[second])
    periods = np.linspace(0.02, PERIODS, 100 * PERIODS)
    products = wave_product(chosen.d_model, first, second, periods * slower, chosen.form)
    whole = np.arange(1, PERIODS + 1)
    at_whole = wave_product(chosen.d_model, first, second, whole * slower, chosen.form)
    with left:
        curves = [
            Line(say("positions.product.any", "over any span"), periods, products, 5),
            Line(
                say("positions.product.whole", "over whole periods of the slower wave"), whole, at_whole, 1, marks=True
            ),
        ]
        figure = lines(
            curves,
            inputs.theme(),
            say("positions.product.span", "span, in periods of the slower wave"),
            say("positions.product", "inner product"),
        )
        alt = say("positions.product.alt", "Inner product of the two waves over longer and longer spans.")
        chart(figure, "product", alt)
    st.caption(
        prose.block(
            "positions",
            "orthogonality-check",
            one=three_digits(_clean(at_whole[0])),
            all=three_digits(_clean(at_whole[-1])),
            periods=PERIODS,
            difference=checks.said("sum of samples", _sampled(chosen, first, second, slower, float(at_whole[0]))),
        )
    )
    header = [say("positions.product.periods", "whole periods"), say("positions.product", "inner product")]
    rows = list(zip(whole.tolist(), at_whole.tolist(), strict=True))
    files.download(
        say("positions.product.csv", "Inner products as CSV"),
        lambda: downloads.table_csv(header, rows),
        "orthogonality.csv",
    )
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
