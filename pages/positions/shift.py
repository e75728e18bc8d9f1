"""Positions compared with each other, and moved: products that know only the distance, shifts that are rotations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model.lessons.position_geometry import shift_of, similarity
from pages.positions.settings import settings
from pages.shared import checks, files
from pages.shared.charts import chart, matrix_chart
from pages.shared.opening import Request
from views.controls import inputs, widgets
from views.export import downloads
from views.figures.lines import Line, lines
from views.figures.matrix import ChartMatrix
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import three_digits

SHOWN = 16  # dimensions of the rotation that are drawn


def similar(request: Request) -> None:
    """PE(p) . PE(q) for all pairs, and by distance."""
    chosen = settings(request)
    found = similarity(chosen.length, chosen.d_model, chosen.form)
    left, right = st.columns(2, gap="large")
    with left:
        high = float(found.products.max())
        low = -high if found.products.min() < 0 else 0.0
        shown = ChartMatrix(
            found.products,
            say("positions.p", "position p"),
            say("positions.q", "position q"),
            "PE(p) \u00b7 PE(q)",
            low=low,
            high=high,
        )
        alt = say("positions.products.alt", "Inner product of every two positions.")
        matrix_chart(shown, "products", alt)
    with right:
        distances = np.arange(chosen.length)
        names = (
            say("positions.mean", "mean"),
            say("positions.smallest", "smallest"),
            say("positions.largest", "largest"),
        )
        curves = [
            Line(names[0], distances, found.by_distance, 0),
            Line(names[1], distances, found.smallest, 4, "dot"),
            Line(names[2], distances, found.largest, 5, "dot"),
        ]
        figure = lines(curves, inputs.theme(), say("positions.distance", "distance k"), "PE(p) \u00b7 PE(p + k)")
        alt = say("positions.distance.alt", "Inner product by distance: mean, smallest and largest over all positions.")
        chart(figure, "distance", alt)
        st.markdown(prose.block("positions", "similarity"))
    paper, spread = chosen.form == "paper", float(found.spread.max())
    block = "similarity-check" if paper else "similarity-variant"
    said = checks.said("similarity of positions", spread) if paper else three_digits(spread)
    st.caption(prose.block("positions", block, spread=said))
    header = [say("positions.distance.column", "distance"), *names]
    rows = list(zip(distances.tolist(), found.by_distance, found.smallest, found.largest, strict=True))
    with st.container(horizontal=True):
        files.download(
            say("positions.distance.csv", "By distance as CSV"),
            lambda: downloads.table_csv(header, rows),
            "distance.csv",
        )
        files.download(
            say("positions.products.npz", "All products as NPZ"),
            lambda: downloads.arrays_npz({"products": found.products}),
            "similarity.npz",
        )
    files.numbers(lambda: pd.DataFrame(rows, columns=header), hide_index=True)


def rotated(request: Request) -> None:
    """The matrix that moves all positions on, and what it leaves over."""
    chosen = settings(request)
    left, right = st.columns(2, gap="large")
    with right:
        shift = widgets.slider(say("positions.shift", "Shift k"), "shift", 5, 0, 128)
    found = shift_of(chosen.length, chosen.d_model, shift, chosen.form)
    drawn = min(SHOWN, chosen.d_model)
    with left:
        block = found.matrix[:drawn, :drawn]
        shown = ChartMatrix(
            block,
            say("axis.row", "row"),
            say("axis.column", "column"),
            say("positions.rotation.entry", "entry"),
            low=-1,
            high=1,
        )
        alt = say("positions.rotation.alt", "The first {count} rows and columns of the matrix.", count=drawn)
        matrix_chart(shown, "rotation", alt)
        if drawn < chosen.d_model:
            st.caption(
                say(
                    "positions.rotation.part",
                    "The first {count} of {all} rows and columns; the rest continues in the same way.",
                    count=drawn,
                    all=chosen.d_model,
                )
            )
    with right:
        st.markdown(prose.block("positions", "rotation"))
        label = say("positions.pair", "Pair i")
        pair = widgets.slider(label, "pair", 0, 0, chosen.d_model // 2 - 1) if chosen.d_model > 2 else 0
        cells = [[three_digits(float(found.matrix[2 * pair + r, 2 * pair + c])) for c in (0, 1)] for r in (0, 1)]
        st.latex(
            rf"R_{{{shift}}}^{{({pair})}}=\begin{{pmatrix}}{cells[0][0]}&{cells[0][1]}\\{cells[1][0]}&{cells[1][1]}"
            r"\end{pmatrix}"
        )
    paper = chosen.form == "paper"
    block_id = "rotation-check" if paper else "rotation-variant"
    st.caption(
        prose.block(
            "positions",
            block_id,
            length=chosen.length,
            shift=shift,
            residual=checks.said("rotation", found.residual) if paper else three_digits(found.residual),
            fitted=checks.said("fitted rotation", found.fitted_difference) if paper else "",
        )
    )
    header = [say("axis.row", "row"), *map(str, range(drawn))]
    with st.container(horizontal=True):
        files.download(
            say("positions.rotation.npz", "Matrix as NPZ"),
            lambda: downloads.arrays_npz({"rotation": found.matrix}),
            "rotation.npz",
        )
        files.download(
            say("positions.rotation.csv", "Shown part as CSV"),
            lambda: downloads.table_csv(header, [[n, *row] for n, row in enumerate(block.tolist())]),
            "rotation.csv",
        )
    files.numbers(lambda: files.table(block, header[1:], list(range(len(block))), header[0]))
