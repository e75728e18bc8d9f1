"""Columns as waves: what their sums can draw."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model.lessons.position_basis import curve, fit, harmonics
from pages.positions.settings import settings
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.opening import Request
from views.controls import inputs, widgets
from views.export import downloads
from views.figures.lines import Line, lines
from views.text import prose
from views.text.catalogue import Message, say
from views.text.numbers import three_digits

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


def basis(request: Request) -> None:
    """A curve, and the best sum of the first columns."""
    chosen = settings(request)
    left, right = st.columns([3, 2], gap="large")
    with right:
        shapes = {id: said() for id, said in CURVES.items()}
        shape = widgets.select(say("positions.shape", "Curve to draw"), shapes, "curve", "square-wave")
        which = widgets.pick(say("positions.basis", "Made of"), {id: said() for id, said in BASES.items()}, "basis")
        used = say("positions.columns", "Columns used")
        columns = widgets.slider(used, "columns", min(64, chosen.d_model), 0, chosen.d_model, varies=True)
    target = curve(shape, chosen.length)
    table = chosen.table if which == "columns" else harmonics(chosen.length, chosen.d_model)
    found = fit(target, table, columns)
    theme, positions = inputs.theme(), np.arange(chosen.length)
    with left:
        curves = [
            Line(shapes[shape], positions, target, 0, "dot"),
            Line(say("positions.sum", "sum of columns: {count}", count=columns), positions, found.approximation, 1),
        ]
        figure = lines(curves, theme, say("axis.position", "position"), say("value", "value"), height=300)
        chart(figure, "fit", say("positions.fit.alt", "The curve and the sum that is nearest to it."))
        numbers = np.arange(chosen.d_model + 1)
        header = [say("positions.column.columns", "columns"), say("positions.column.left", "share that is left")]
        marked = [
            Line(say("positions.residual", "residual"), numbers, found.residuals, 2),
            Line(
                say("positions.columns.used", "columns used"),
                np.array([columns]),
                found.residuals[[columns]],
                1,
                marks=True,
            ),
        ]
        figure = lines(marked, theme, *header, height=260, y_range=(-0.02, 1.05))
        alt = say("positions.residual.alt", "The share that is left after each column; it never rises.")
        chart(figure, "residual", alt)
    with right:
        st.markdown(prose.block("positions", "basis"))
    left_over = float(found.residuals[columns])
    again = float(np.linalg.norm(target - found.approximation) / np.linalg.norm(target))
    st.caption(
        prose.block(
            "positions",
            "basis-check",
            columns=columns,
            used=int(found.used[:columns].sum()),
            residual=three_digits(left_over),
            difference=checks.said("share left over", abs(left_over - again)),
        )
    )
    rows = list(zip(numbers.tolist(), found.residuals.tolist(), strict=True))
    files.download(
        say("positions.basis.csv", "Residuals as CSV"), lambda: downloads.table_csv(header, rows), "basis.csv"
    )
    files.numbers(lambda: pd.DataFrame(rows, columns=header), hide_index=True)
